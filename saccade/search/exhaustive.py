"""Exhaustive search: every output there is, for vocabularies and limits that are tiny."""

import numpy as np
import torch
from torch import Tensor

from saccade.errors import RecipeError
from saccade.flow import State, StepFunction, reorder
from saccade.nouns import Hypothesis
from saccade.search._best import Array
from saccade.search._plan import penalty_problems
from saccade.search._rules import NEVER, Rules, coverage, normalise, read
from saccade.search._tree import paths
from saccade.search.base import Found, Search, Task


class Exhaustive(Search):
    """Try every sequence up to the limit and rank them all; the yardstick for every other search.

        score(y) = log_prob(y) / lp(y) + cp(y)        lp and cp as in `beam`, and their options

    Sequences that cannot write END within the limit are unfinished and rank last. `most` bounds the
    number of sequences of the full length, (symbols that may be written) ** (places to fill).
    """

    def __init__(
        self,
        *,
        most: int = 100_000,
        length_penalty: float = 1.0,
        length_offset: float = 0.0,
        coverage_penalty: float = 0.0,
        n_best: int = 1,
    ) -> None:
        self.most, self.n_best, self.looks = most, n_best, coverage_penalty > 0
        self.alpha, self.offset, self.beta = length_penalty, length_offset, coverage_penalty
        problems = penalty_problems(
            "exhaustive",
            length_penalty=length_penalty,
            length_offset=length_offset,
            coverage_penalty=coverage_penalty,
        )
        if n_best < 1:
            problems.append(f"exhaustive.n_best: {n_best} is below 1; ask for 1 or more.")
        if problems:
            raise RecipeError(problems)

    @torch.no_grad()
    def __call__(
        self, step: StepFunction, state: State, task: Task, *, trace: bool = False
    ) -> list[Found]:
        """Search from `state`, one row a sentence; the tree holds the paths of the `n_best`."""
        rules, found = Rules(task), []
        for row, limit in enumerate(rules.limits.tolist()):
            index = torch.tensor([row], device=task.limits.device)
            every = self._list(step, reorder(state, index), task, rules, row, limit)
            best = sorted(every, key=lambda h: (not h.finished, -h.score))[: self.n_best]
            found.append(Found(tuple(best), paths(best, task.end) if trace else ()))
        return found

    def _list(
        self, step: StepFunction, state: State, task: Task, rules: Rules, row: int, limit: int
    ) -> list[Hypothesis]:
        """List all outputs of one sentence, growing all sequences of one length at once."""
        tokens = torch.full((1, 1), task.start, device=task.limits.device)  # [N, 1 + t], with START
        gains = torch.zeros(1, 1, device=tokens.device)  # [N, 1 + t]
        every: list[Hypothesis] = []
        for t in range(limit + 1):
            log_probs, state = step(tokens[:, -1], state)
            lost = coverage(state, self.beta, "exhaustive") + np.zeros(len(tokens), np.float32)
            rows = torch.full_like(tokens[:, -1], row)
            log_probs = rules.edit(log_probs, tokens[:, 1:], rows)  # [N, V]
            if t == 0:
                self._check(log_probs.shape[1], task, row, limit)
            parent, token = (log_probs > NEVER).nonzero().unbind(1)  # [M]
            ended = token == task.end  # [M]
            stuck = torch.ones_like(rows, dtype=torch.bool)  # [N]
            stuck[parent[ended] if t == limit else parent] = False
            every += self._read(tokens[stuck], gains[stuck], lost[stuck.numpy(force=True)], task)
            tokens = torch.cat([tokens[parent], token[:, None]], dim=1)  # [M, 2 + t]
            gains = torch.cat([gains[parent], log_probs[parent, token][:, None]], dim=1)
            whole = lost[parent.numpy(force=True)][ended.numpy(force=True)]
            every += self._read(tokens[ended], gains[ended], whole, task)
            tokens, gains, state = tokens[~ended], gains[~ended], reorder(state, parent[~ended])
        return every

    def _read(self, tokens: Tensor, gains: Tensor, lost: Array, task: Task) -> list[Hypothesis]:
        length = tokens.shape[1] - 1
        log_probs = gains.sum(dim=1).numpy(force=True)
        scores = normalise(log_probs, length, self.alpha, self.offset) + lost
        lines = zip(tokens[:, 1:].tolist(), gains[:, 1:].tolist(), scores.tolist(), strict=True)
        return [read(line, gain, length, score, task.end) for line, gain, score in lines]

    def _check(self, n_symbols: int, task: Task, row: int, limit: int) -> None:
        n = n_symbols - len({*task.banned, task.end})
        places = limit - (len(task.prefixes[row]) if task.prefixes else 0)
        if n**places > self.most:
            raise RecipeError(
                f"exhaustive: sentence {row} has {n} symbols for {places} places, {n**places}"
                f" sequences; at most {self.most} are tried; use beam, a lower limit or a higher"
                " 'most'."
            )
