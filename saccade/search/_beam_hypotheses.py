"""The hypotheses of a beam: what sentences write, what they have completed, who goes on."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from saccade.flow import State, StepFunction, reorder, reorder_within
from saccade.nouns import Branch, Hypothesis
from saccade.search._best import Array, Candidates, ways_on
from saccade.search._lines import Lines, empty
from saccade.search._rules import NEVER, Rules, coverage, normalise
from saccade.search._tree import level
from saccade.search.base import BeamOptions, Found, Task

_LEAVE = 8  # sentences that are done leave when they are one in so many


class Move(NamedTuple):
    """Which rows of the state `[N]` lines go on from; None if they stay in place.

    Those that move `within` their sentence read what they have read before.
    """

    rows: Tensor | None
    within: bool

    def of(self, state: State) -> State:
        """Move the rows of a state."""
        if self.rows is None:
            return state
        return (reorder_within if self.within else reorder)(state, self.rows)


@dataclass(frozen=True)
class Beams:
    """Where the search stands.

    Sentences that are done stay for a while, since to leave means to copy the states of the others;
    what becomes of them then is of no interest.
    """

    rows: Array  # [B], which sentences these are
    going: Array  # [B], bool, which of them are not done
    active: Lines  # [B, K], scored by log-probability; one each before the first step
    completed: Lines  # [B, n_completed], scored by the normalised one


class BeamHypotheses:
    """The hypotheses of all sentences of a batch, as arrays of numpy."""

    def __init__(
        self, options: BeamOptions, task: Task, step: StepFunction, *, trace: bool = False
    ) -> None:
        self.options, self.task, self.step, self.trace = options, task, step, trace
        self.rules = rules = Rules(task)
        n, self.device, self.t = len(task.limits), task.limits.device, 0
        self._limits = rules.limits.numpy(force=True)  # [B]
        self._found: list[tuple[Hypothesis, ...]] = [()] * n
        self._trees: list[list[tuple[Branch, ...]]] = [[] for _ in range(n)]
        active = empty(n, 1, rules.n_steps)  # one hypothesis a sentence, which is empty
        active.score[:] = 0.0
        completed = empty(n, options.n_completed, rules.n_steps)
        self.beams = Beams(np.arange(n), np.ones(n, dtype=np.bool_), active, completed)
        self._lost: Array = np.zeros(
            (n, 1), dtype=np.float32
        )  # [B, K], what active lines did not read

    @property
    def going(self) -> bool:
        """Whether a sentence is not done."""
        return bool(self.beams.going.any())

    @property
    def last(self) -> Tensor:
        """The symbols that the lines wrote last, `[N]`."""
        written = self._written()
        return written[:, -1] if self.t else torch.full_like(self._rows(), self.task.start)

    def advance(self, state: State) -> State:
        """Write one symbol a line; return the state of those that go on."""
        log_probs, state = self.step(self.last, state)
        lost = coverage(state, self.options.beta, "beam")
        self._lost = np.broadcast_to(lost, len(log_probs)).reshape(self.beams.active.score.shape)
        return self._write(log_probs).of(state)

    def _write(self, log_probs: Tensor) -> Move:
        """Write one symbol a line, given how likely each is, `[N, V]`."""
        t, end = self.t, self.task.end
        candidates = self._expand(log_probs)
        completed = self._set_aside(candidates)
        chosen = self._choose(candidates)
        limits = self._limits[self.beams.rows]  # [B]
        cut = (limits == t) | (chosen.log_prob[:, 0] == NEVER)  # [B], those that cannot go on
        enough = self._enough(completed, chosen, limits)
        if self.trace:
            self._draw(candidates, cut)
        done = self.beams.going & (cut | enough)  # [B]
        self.beams = replace(self.beams, completed=completed, going=self.beams.going & ~done)
        if done.any():
            self._read(done.nonzero()[0], end)
        if not self.going:
            return Move(None, within=True)
        move = self._move(chosen)
        self.t += 1
        if self.task.watch:
            best = self.beams.active.tokens[self.beams.going, 0, : self.t]
            self.task.watch(*map(self._tensor, (self.beams.rows[self.beams.going], best)))
        return move

    def found(self) -> list[Found]:
        """Tell what every sentence found, and the tree it grew if that was asked for."""
        return [
            Found(best, tuple(tree)) for best, tree in zip(self._found, self._trees, strict=True)
        ]

    def _tensor(self, array: Array) -> Tensor:
        return torch.from_numpy(array).to(self.device)

    def _written(self) -> Tensor:
        """What the lines have written, `[N, t]`."""
        n, width, n_steps = self.beams.active.tokens.shape
        return self._tensor(self.beams.active.tokens.reshape(n * width, n_steps))[:, : self.t]

    def _rows(self) -> Tensor:
        """The sentence that each line belongs to, `[N]`."""
        return self._tensor(self.beams.rows.repeat(self.beams.active.score.shape[1]))

    def _normalised(self, log_prob: Array, length: Any) -> Any:
        return normalise(log_prob, length, self.options.alpha, self.options.offset)

    def _expand(self, log_probs: Tensor) -> Candidates:
        """Follow every hypothesis by every symbol and find the 2K best continuations."""
        n = 2 * self.options.width
        log_probs = self.rules.edit(log_probs, self._written(), self._rows())
        return _filled(ways_on(log_probs, self.beams.active.score, n), n)

    def _set_aside(self, candidates: Candidates) -> Lines:
        """Complete the candidates among the first K that write END; normalise their scores."""
        first = candidates.first(self.options.width)  # [B, K]
        ends = first.token == self.task.end
        if not ends.any():
            return self.beams.completed
        lost = np.take_along_axis(self._lost, first.parent, axis=1)  # [B, K]
        score = np.where(ends, self._normalised(first.log_prob, self.t + 1) + lost, NEVER)
        written = self.beams.active.take(first.parent)
        written = written.append(score.astype(np.float32), first.token, first.gain, self.t)
        return self.beams.completed.merge(written, self.options.n_completed)

    def _choose(self, candidates: Candidates) -> Candidates:
        """Keep the K best candidates that do not write END."""
        ends = candidates.token == self.task.end  # [B, 2K]
        if not ends.any():
            return candidates.first(self.options.width)
        place = np.argsort(ends, axis=1, kind="stable")[:, : self.options.width]  # [B, K]
        chosen = candidates.take(place)
        log_prob = np.where(chosen.token == self.task.end, np.float32(NEVER), chosen.log_prob)
        return chosen._replace(log_prob=log_prob)

    def _enough(self, completed: Lines, chosen: Candidates, limits: Array) -> Array:
        """Tell which sentences need not go on: enough is completed, or nothing better can come."""
        full, worst = completed.score[:, -1] > NEVER, completed.score[:, self.options.n_best - 1]
        if not (worst > NEVER).any():
            return full
        if self.options.patient:
            so_far = self._normalised(chosen.log_prob[:, 0], self.t + 1)  # [B]
            full = full & (so_far <= worst)
        if self.rules.shapers:
            return full
        hope = self._normalised(chosen.log_prob[:, 0], limits + 1)  # [B]
        return full | (hope < worst)  # type: ignore[no-any-return]

    def _read(self, done: Array, end: int) -> None:
        """Note what the sentences `done` found; too few completed, the unfinished fill up."""
        active = self.beams.active.sentences(done)
        score = self._normalised(active.score, active.length) + self._lost[done]  # [B, K]
        unfinished = active._replace(score=score).read(end)
        finished = self.beams.completed.sentences(done).read(end)
        rows = self.beams.rows[done].tolist()
        for row, best, rest in zip(rows, finished, unfinished, strict=True):
            self._found[row] = filled_up(best, rest, self.options.n_best)

    def _move(self, chosen: Candidates) -> Move:
        """Let each chosen candidate take its place, and sentences that are done leave."""
        beams, (n, width) = self.beams, self.beams.active.score.shape
        moves = chosen.parent.shape[1] > width or (chosen.parent != np.arange(width)).any()
        active = beams.active.take(chosen.parent) if moves else beams.active
        active = active.append(chosen.log_prob, chosen.token, chosen.gain, self.t)
        source = np.arange(n)[:, None] * width + chosen.parent  # [B, K], rows of the state
        if (~beams.going).sum() * _LEAVE < n:
            self.beams = replace(beams, active=active)
            index = self._tensor(source.ravel()) if moves else None
            return Move(index, within=source.shape[1] == width)  # not after the first step
        stay = beams.going.nonzero()[0]
        self.beams = Beams(
            beams.rows[stay],
            beams.going[stay],
            active.sentences(stay),
            beams.completed.sentences(stay),
        )
        return Move(self._tensor(source[stay].ravel()), within=False)

    def _draw(self, candidates: Candidates, cut: Array) -> None:
        """Add the branches of this step to the trees: every candidate with its fate."""
        ends = candidates.token == self.task.end  # [B, 2K]
        kept = ~ends & ((~ends).cumsum(axis=1) <= self.options.width) & ~cut[:, None]
        completed = ends & (np.arange(ends.shape[1]) < self.options.width)
        fates = np.where(kept, 0, np.where(completed, 1, 2))  # as in FATES
        for b in self.beams.going.nonzero()[0]:
            log_probs, parents, tokens = (entry[b].tolist() for entry in candidates[:3])
            branches = level(self.t + 1, log_probs, tokens, parents, fates[b].tolist())
            self._trees[self.beams.rows[b]].append(branches)


def filled_up(
    finished: list[Hypothesis], unfinished: Iterable[Hypothesis], n: int
) -> tuple[Hypothesis, ...]:
    """Take the `n` best; where too few are finished, those that say something else fill up."""
    known = {hypothesis.tokens for hypothesis in finished}
    others = (hypothesis for hypothesis in unfinished if hypothesis.tokens not in known)
    return tuple(islice(chain(finished, others), n))


def _filled(candidates: Candidates, n: int) -> Candidates:
    """Fill up to `n` candidates a sentence with such as cannot be, where there are too few."""
    missing = n - candidates.token.shape[1]
    if missing <= 0:
        return candidates
    empty_places = ((0, 0), (0, missing))
    log_prob = np.pad(candidates.log_prob, empty_places, constant_values=NEVER)
    rest = (np.pad(entry, empty_places) for entry in candidates[1:])
    return Candidates(log_prob, *rest)
