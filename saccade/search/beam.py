"""Beam search: follow the K best beginnings of every sentence at once.

One step is four small ones: expand every hypothesis by every symbol, set aside those that end,
choose the K best of the rest, stop the sentences that have enough. All sentences move together.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import torch

from saccade.errors import RecipeError
from saccade.flow import State, StepFunction, reorder, reorder_within
from saccade.nouns import Branch, Hypothesis
from saccade.plans import beam_problems
from saccade.search._best import Array, Candidates, ways_on
from saccade.search._lines import Lines, empty
from saccade.search._rules import NEVER, Rules, normalise
from saccade.search._tree import level
from saccade.search.base import Found, Search, Task, Watch
from saccade.search.greedy import Greedy

_LEAVE = 8  # sentences that are done leave when they are one in so many


@dataclass(frozen=True)
class Beams:
    """Where the search stands: what the sentences write and have completed.

    Those that are done stay for a while, since to leave means to copy the states of the others;
    what becomes of them then is of no interest.
    """

    rows: Array  # [B], which sentences these are
    going: Array  # [B], bool, which of them are not done
    state: State  # one row a hypothesis, [B * K]
    active: Lines  # [B, K], scored by log-probability; one each before the first step
    completed: Lines  # [B, n_completed], scored by the normalised one


class Beam(Search):
    """Keep the `width` best unfinished hypotheses at every step.

        log_prob(y) = sum_t log p(y[t] | y[1..t-1])
        score(y)    = log_prob(y) / length(y) ** length_penalty        length counts END

    `length_penalty` 0 ranks by log-probability, 1 by the mean over symbols. Of the 2K best ways to
    go on, those among the first K that write END are completed: they are set aside and take no
    place in the beam. A sentence stops, whatever its neighbours do,

    - when `n_completed` hypotheses are completed; 0 means as many as `width`, and, if `patient`, no
      active one scores better so far, so that a few poor early endings do not end the search;
    - or when `n_best` are and no active one can still beat them: a log-probability only falls, so
      none will score above log_prob / (limit + 1) ** length_penalty (shapers turn this rule off);
    - or at its limit: what is active there counts as unfinished and ranks after what is finished.

    Ties go to the lower parent, then to the lower id.

    Graves 2012 (arXiv:1211.3711); Sutskever, Vinyals & Le 2014 (arXiv:1409.3215), 3.2. Width 1
    is greedy search; a width beyond the number of all outputs is exhaustive search.
    """

    once: ClassVar[bool] = True

    def __init__(
        self,
        *,
        width: int = 5,
        length_penalty: float = 1.0,
        n_best: int = 1,
        n_completed: int = 0,
        patient: bool = True,
    ) -> None:
        self.width, self.alpha, self.n_best = width, length_penalty, n_best
        self.lines = width
        self.n_completed, self.patient = n_completed or width, patient and n_completed == 0
        problems = beam_problems(width, length_penalty, n_best, n_completed)
        if problems:
            raise RecipeError(problems)

    @torch.no_grad()
    def __call__(
        self, step: StepFunction, state: State, task: Task, *, trace: bool = False
    ) -> list[Found]:
        """Search from `state`, whose tensors have one row a sentence; `trace` asks for the tree."""
        if self.n_completed == self.width == 1 and not trace:
            return self._greedy(step, state, task)
        rules, n = Rules(task), len(task.limits)
        every_limit = rules.limits.numpy(force=True)  # [B]
        found: list[tuple[Hypothesis, ...]] = [()] * n
        trees: list[list[tuple[Branch, ...]]] = [[] for _ in range(n)]
        beams = self._begin(state, n, rules)
        for t in range(rules.n_steps):
            candidates, state = self._expand(step, beams, task, rules, t)
            completed = self._set_aside(beams, candidates, task.end, t)
            chosen = self._choose(candidates, task.end)
            limits = every_limit[beams.rows]  # [B]
            cut = (limits == t) | (chosen.log_prob[:, 0] == NEVER)  # [B], those that cannot go on
            enough = self._enough(completed, chosen, limits, t, shaped=bool(rules.shapers))
            if trace:
                self._draw(trees, beams, candidates, task.end, cut, t)
            done = beams.going & (cut | enough)  # [B]
            beams = replace(beams, state=state, completed=completed, going=beams.going & ~done)
            if done.any():
                self._read(found, beams, done.nonzero()[0], task.end)
            if not beams.going.any():
                break
            beams = _move(beams, chosen, t, task.limits.device)
            if task.watch:
                _tell(task.watch, beams, t, task.limits.device)
        return [Found(h, tuple(tree)) for h, tree in zip(found, trees, strict=True)]

    def _greedy(self, step: StepFunction, state: State, task: Task) -> list[Found]:
        """Do what a beam of one does with less bookkeeping: its first END is its best."""
        written = Greedy()(step, state, task)
        return [Found(tuple(map(self._normalised, found.hypotheses))) for found in written]

    def _normalised(self, hypothesis: Hypothesis) -> Hypothesis:
        gains = np.asarray(hypothesis.token_scores, dtype=np.float32)
        log_prob = gains.cumsum(dtype=np.float32)[-1:].sum()  # one after the other, as beams add
        return replace(hypothesis, score=float(normalise(log_prob, len(gains), self.alpha)))

    def _begin(self, state: State, n: int, rules: Rules) -> Beams:
        """Begin with one hypothesis a sentence, which is empty."""
        active = empty(n, 1, rules.n_steps)
        active.score[:] = 0.0
        completed = empty(n, self.n_completed, rules.n_steps)
        return Beams(np.arange(n), np.ones(n, dtype=np.bool_), state, active, completed)

    def _expand(
        self, step: StepFunction, beams: Beams, task: Task, rules: Rules, t: int
    ) -> tuple[Candidates, State]:
        """Follow every hypothesis by every symbol and find the 2K best continuations."""
        device, (n, width, n_steps) = task.limits.device, beams.active.tokens.shape
        tokens = torch.from_numpy(beams.active.tokens.reshape(n * width, n_steps)).to(device)
        last = tokens[:, t - 1] if t else torch.full_like(tokens[:, 0], task.start)  # [B * K]
        log_probs, state = step(last, beams.state)
        rows = torch.from_numpy(beams.rows.repeat(width)).to(device)
        log_probs = rules.edit(log_probs, tokens[:, :t], rows)
        found = ways_on(log_probs, beams.active.score, 2 * self.width)
        return _filled(found, 2 * self.width), state

    def _set_aside(self, beams: Beams, candidates: Candidates, end: int, t: int) -> Lines:
        """Complete the candidates among the first K that write END; normalise their scores."""
        first = candidates.first(self.width)  # [B, K]
        ends = first.token == end
        if not ends.any():
            return beams.completed
        score = np.where(ends, normalise(first.log_prob, t + 1, self.alpha), NEVER)
        written = beams.active.take(first.parent)
        written = written.append(score.astype(np.float32), first.token, first.gain, t)
        return beams.completed.merge(written, self.n_completed)

    def _choose(self, candidates: Candidates, end: int) -> Candidates:
        """Keep the K best candidates that do not write END."""
        ends = candidates.token == end  # [B, 2K]
        if not ends.any():
            return candidates.first(self.width)
        place = np.argsort(ends, axis=1, kind="stable")[:, : self.width]  # [B, K]
        chosen = candidates.take(place)
        log_prob = np.where(chosen.token == end, np.float32(NEVER), chosen.log_prob)
        return chosen._replace(log_prob=log_prob)

    def _enough(
        self, completed: Lines, chosen: Candidates, limits: Array, t: int, *, shaped: bool
    ) -> Array:
        """Tell which sentences need not go on: enough is completed, or nothing better can come."""
        full, worst = completed.score[:, -1] > NEVER, completed.score[:, self.n_best - 1]  # [B]
        if not (worst > NEVER).any():
            return full
        if self.patient:
            full = full & (normalise(chosen.log_prob[:, 0], t + 1, self.alpha) <= worst)
        if shaped:
            return full
        hope = normalise(chosen.log_prob[:, 0], limits + 1, self.alpha)  # [B]
        return full | (hope < worst)  # type: ignore[no-any-return]

    def _read(
        self, found: list[tuple[Hypothesis, ...]], beams: Beams, done: Array, end: int
    ) -> None:
        """Note what the sentences `done` found; too few completed, the unfinished fill up."""
        active = beams.active.sentences(done)
        score = normalise(active.score, active.length, self.alpha)  # [B, K]
        unfinished = active._replace(score=score).read(end)
        finished = beams.completed.sentences(done).read(end)
        for row, best, rest in zip(beams.rows[done].tolist(), finished, unfinished, strict=True):
            known = {hypothesis.tokens for hypothesis in best}
            more = [hypothesis for hypothesis in rest if hypothesis.tokens not in known]
            found[row] = (*best, *more)[: self.n_best]

    def _draw(
        self,
        trees: list[list[tuple[Branch, ...]]],
        beams: Beams,
        candidates: Candidates,
        end: int,
        cut: Array,
        t: int,
    ) -> None:
        """Add the branches of this step to the trees: every candidate with its fate."""
        ends = candidates.token == end  # [B, 2K]
        kept = ~ends & ((~ends).cumsum(axis=1) <= self.width) & ~cut[:, None]
        completed = ends & (np.arange(ends.shape[1]) < self.width)
        fates = np.where(kept, 0, np.where(completed, 1, 2))  # as in FATES
        for b in beams.going.nonzero()[0]:
            log_probs, parents, tokens = (entry[b].tolist() for entry in candidates[:3])
            branches = level(t + 1, log_probs, tokens, parents, fates[b].tolist())
            trees[beams.rows[b]].append(branches)


def _filled(candidates: Candidates, n: int) -> Candidates:
    """Fill up to `n` candidates a sentence with such as cannot be, where there are too few."""
    missing = n - candidates.token.shape[1]
    if missing <= 0:
        return candidates
    empty_places = ((0, 0), (0, missing))
    log_prob = np.pad(candidates.log_prob, empty_places, constant_values=NEVER)
    rest = (np.pad(entry, empty_places) for entry in candidates[1:])
    return Candidates(log_prob, *rest)


def _move(beams: Beams, chosen: Candidates, t: int, device: torch.device) -> Beams:
    """Let each chosen candidate take its place, and sentences that are done leave."""
    n, width = beams.active.score.shape
    moves = chosen.parent.shape[1] > width or (chosen.parent != np.arange(width)).any()
    active = beams.active.take(chosen.parent) if moves else beams.active
    active = active.append(chosen.log_prob, chosen.token, chosen.gain, t)
    source = np.arange(n)[:, None] * width + chosen.parent  # [B, K], rows of the state
    if (~beams.going).sum() * _LEAVE < n:
        state = beams.state
        if moves:
            index = torch.from_numpy(source.ravel()).to(device)
            widened = source.shape[1] > width  # as it is after the first step
            state = reorder(state, index) if widened else reorder_within(state, index)
        return replace(beams, state=state, active=active)
    stay = beams.going.nonzero()[0]
    index = torch.from_numpy(source[stay].ravel()).to(device)
    return Beams(
        beams.rows[stay],
        beams.going[stay],
        reorder(beams.state, index),
        active.sentences(stay),
        beams.completed.sentences(stay),
    )


def _tell(watch: Watch, beams: Beams, t: int, device: torch.device) -> None:
    """Tell the best line so far of every sentence that goes on."""
    lines = beams.active.tokens[beams.going, 0, : t + 1]
    watch(torch.from_numpy(beams.rows[beams.going]).to(device), torch.from_numpy(lines).to(device))
