"""Beam search: follow the K best beginnings of every sentence at once.

One step is four small ones: expand every hypothesis by every symbol, set aside those that end,
choose the K best of the rest, stop the sentences that have enough. All sentences move together.
"""

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from saccade.errors import RecipeError
from saccade.flow import State, StepFunction, reorder, reorder_within
from saccade.nouns import Branch, Hypothesis
from saccade.plans import beam_problems
from saccade.search._lines import Lines, empty
from saccade.search._rules import NEVER, Rules, normalise
from saccade.search._tree import level
from saccade.search.base import Found, Search, Task


class Candidates(NamedTuple):
    """The best ways to go on, best first, all `[B, 2K]`; `gain` is the token's log-probability."""

    log_prob: Tensor
    parent: Tensor
    token: Tensor
    gain: Tensor

    def take(self, place: Tensor) -> "Candidates":
        """Pick candidates `place[b]`, `[B, M]`, of each sentence."""
        return Candidates(*(entry.gather(1, place) for entry in self))


@dataclass(frozen=True)
class Beams:
    """Where the search stands: what the sentences that are not done write and have completed."""

    rows: Tensor  # [B], which sentences these are
    state: State  # one row a hypothesis, [B * K]
    active: Lines  # [B, K], scored by log-probability
    completed: Lines  # [B, n_completed], scored by the normalised one


class Beam(Search):
    """Keep the `width` best unfinished hypotheses at every step.

        log_prob(y) = sum_t log p(y[t] | y[1..t-1])
        score(y)    = log_prob(y) / length(y) ** length_penalty        length counts END

    `length_penalty` 0 ranks by log-probability, 1 by the mean over symbols. Of the 2K best ways to
    go on, those among the first K that write END are completed: they are set aside and take no
    place in the beam. A sentence stops, whatever its neighbours do,

    - when `n_completed` hypotheses are completed; 0 means as many as `width`, and no active
      one scores better so far, so that a few poor early endings do not end the search;
    - or when `n_best` are and no active one can still beat them: a log-probability only falls, so
      none will score above log_prob / (limit + 1) ** length_penalty (shapers turn this rule off);
    - or at its limit: what is active there counts as unfinished and ranks after what is finished.

    Ties go to the lower parent, then to the lower id.

    Graves 2012 (arXiv:1211.3711); Sutskever, Vinyals & Le 2014 (arXiv:1409.3215), 3.2. Width 1
    is greedy search; a width beyond the number of all outputs is exhaustive search.
    """

    def __init__(
        self, *, width: int = 5, length_penalty: float = 1.0, n_best: int = 1, n_completed: int = 0
    ) -> None:
        self.width, self.alpha, self.n_best = width, length_penalty, n_best
        self.n_completed, self.patient = n_completed or width, n_completed == 0
        problems = beam_problems(width, length_penalty, n_best, n_completed)
        if problems:
            raise RecipeError(problems)

    @torch.no_grad()
    def __call__(
        self, step: StepFunction, state: State, task: Task, *, trace: bool = False
    ) -> list[Found]:
        """Search from `state`, whose tensors have one row a sentence; `trace` asks for the tree."""
        rules, n = Rules(task), len(task.limits)
        found: list[tuple[Hypothesis, ...]] = [()] * n
        trees: list[list[tuple[Branch, ...]]] = [[] for _ in range(n)]
        beams = self._begin(state, task, rules)
        for t in range(rules.n_steps):
            candidates, state = self._expand(step, beams, task, rules, t)
            completed = self._set_aside(beams.active, candidates, task.end, t)
            completed = beams.completed.merge(completed, self.n_completed)
            chosen = self._choose(candidates, task.end)
            cut = self._cut(beams, chosen, rules, t)  # [B]
            stop = cut | self._enough(beams, completed, chosen, rules, t)  # [B]
            if trace:
                self._draw(trees, beams, candidates, task.end, cut, t)
            done, going = stop.nonzero().squeeze(1), (~stop).nonzero().squeeze(1)
            if len(done):
                self._read(found, beams, completed, done, task.end)
            beams = _move(Beams(beams.rows, state, beams.active, completed), chosen, going, t)
            if not len(going):
                break
            if task.watch:
                task.watch(beams.rows, beams.active.tokens[:, 0, : t + 1])
        return [Found(h, tuple(tree)) for h, tree in zip(found, trees, strict=True)]

    def _begin(self, state: State, task: Task, rules: Rules) -> Beams:
        """Copy each sentence's row K times; of its K hypotheses only the first exists yet."""
        n, device = len(task.limits), task.limits.device
        rows = torch.arange(n, device=device)
        active = empty(n, self.width, rules.n_steps, device)
        active.score[:, :1] = 0.0
        completed = empty(n, self.n_completed, rules.n_steps, device)
        return Beams(rows, reorder(state, rows.repeat_interleave(self.width)), active, completed)

    def _expand(
        self, step: StepFunction, beams: Beams, task: Task, rules: Rules, t: int
    ) -> tuple[Candidates, State]:
        """Follow every hypothesis by every symbol and find the 2K best continuations."""
        tokens = beams.active.tokens.flatten(0, 1)  # [B * K, T]
        last = tokens[:, t - 1] if t else torch.full_like(tokens[:, 0], task.start)  # [B * K]
        log_probs, state = step(last, beams.state)
        log_probs = rules.edit(log_probs, tokens[:, :t], beams.rows.repeat_interleave(self.width))
        gains = log_probs.view(len(beams.rows), self.width, -1)  # [B, K, V]
        totals = beams.active.score[:, :, None] + gains  # [B, K, V]
        log_prob, place = best_of(totals.flatten(1), 2 * self.width)  # [B, 2K]
        gain = gains.flatten(1).gather(1, place)  # [B, 2K]
        n_symbols = gains.shape[2]
        return Candidates(log_prob, place // n_symbols, place % n_symbols, gain), state

    def _set_aside(self, active: Lines, candidates: Candidates, end: int, t: int) -> Lines:
        """Complete the candidates among the first K that write END; normalise their scores."""
        first = Candidates(*(entry[:, : self.width] for entry in candidates))  # [B, K]
        score = normalise(first.log_prob, t + 1, self.alpha).where(first.token == end, NEVER)
        return active.take(first.parent).append(score, first.token, first.gain, t)

    def _choose(self, candidates: Candidates, end: int) -> Candidates:
        """Keep the K best candidates that do not write END."""
        going = candidates.log_prob.masked_fill(candidates.token == end, NEVER)  # [B, 2K]
        log_prob, place = going.sort(dim=1, descending=True, stable=True)
        chosen = candidates.take(place[:, : self.width])  # [B, K]
        return chosen._replace(log_prob=log_prob[:, : self.width])

    def _cut(self, beams: Beams, chosen: Candidates, rules: Rules, t: int) -> Tensor:
        """Tell which sentences cannot go on: they are at their limit, or nothing may follow."""
        return (rules.limits[beams.rows] == t) | (chosen.log_prob[:, 0] == NEVER)  # [B]

    def _enough(
        self, beams: Beams, completed: Lines, chosen: Candidates, rules: Rules, t: int
    ) -> Tensor:
        """Tell which sentences need not go on: enough is completed, or nothing better can come."""
        full, worst = completed.score[:, -1] > NEVER, completed.score[:, self.n_best - 1]  # [B]
        if self.patient:
            full = full & (normalise(chosen.log_prob[:, 0], t + 1, self.alpha) <= worst)
        if rules.shapers:
            return full
        hope = normalise(chosen.log_prob[:, 0], rules.limits[beams.rows] + 1, self.alpha)  # [B]
        return full | (hope < worst)

    def _read(
        self,
        found: list[tuple[Hypothesis, ...]],
        beams: Beams,
        completed: Lines,
        done: Tensor,
        end: int,
    ) -> None:
        """Note what the sentences `done` found; too few completed, the unfinished fill up."""
        score = normalise(beams.active.score, beams.active.length, self.alpha)  # [B, K]
        unfinished = beams.active._replace(score=score).sentences(done).read(end)
        finished = completed.sentences(done).read(end)
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
        cut: Tensor,
        t: int,
    ) -> None:
        """Add the branches of this step to the trees: every candidate with its fate."""
        ends = candidates.token == end  # [B, 2K]
        kept = ~ends & ((~ends).cumsum(1) <= self.width) & ~cut[:, None]
        completed = ends & (torch.arange(ends.shape[1], device=ends.device) < self.width)
        fates = torch.where(kept, 0, torch.where(completed, 1, 2)).tolist()  # as in FATES
        rows = zip(*(entry.tolist() for entry in candidates[:3]), strict=True)
        for row, (log_probs, parents, tokens), fate in zip(
            beams.rows.tolist(), rows, fates, strict=True
        ):
            trees[row].append(level(t + 1, log_probs, tokens, parents, fate))


def best_of(scores: Tensor, n: int) -> tuple[Tensor, Tensor]:
    """Find the `n` highest of each row and their places; of equals, those that stand first.

    `topk` promises no order among equals, so its choice is put in order, and where equals straddle
    the edge of the choice everything is sorted.

    >>> best_of(torch.tensor([[1.0, 3.0, 3.0, 3.0]]), 2)[1].tolist()
    [[1, 2]]
    """
    n = min(n, scores.shape[1])
    values, places = scores.topk(min(n + 1, scores.shape[1]), dim=1)
    tied = (values[:, n - 1] == values[:, -1]) & (values[:, -1] > NEVER)  # [B]
    if bool(tied.any()):
        values, places = scores.sort(dim=1, descending=True, stable=True)
        return values[:, :n], places[:, :n]
    places = places[:, :n].sort(dim=1).values
    values, order = scores.gather(1, places).sort(dim=1, descending=True, stable=True)
    return values, places.gather(1, order)


def _move(beams: Beams, chosen: Candidates, going: Tensor, t: int) -> Beams:
    """Let each chosen candidate take its place, and sentences that are done leave."""
    active = beams.active.take(chosen.parent)
    active = active.append(chosen.log_prob, chosen.token, chosen.gain, t)
    n, width = chosen.parent.shape
    first = torch.arange(n, device=going.device)[:, None] * width  # [B, 1]
    source = first + chosen.parent  # [B, K], rows of the state
    if len(going) == n:
        return Beams(
            beams.rows, reorder_within(beams.state, source.flatten()), active, beams.completed
        )
    return Beams(
        beams.rows[going],
        reorder(beams.state, source[going].flatten()),
        active.sentences(going),
        beams.completed.sentences(going),
    )
