"""Beam search: follow the K best beginnings of every sentence at once.

One step is four small ones: expand every hypothesis by every symbol, set aside those that end,
choose the K best of the rest, stop the sentences that have enough. All sentences move together.
"""

from dataclasses import replace
from typing import ClassVar

import numpy as np
import torch

from saccade.errors import RecipeError
from saccade.flow import State, StepFunction, brief
from saccade.kernels import library
from saccade.nouns import Hypothesis
from saccade.search._beam_hypotheses import Aims, Books
from saccade.search._native_books import NativeBooks
from saccade.search._plan import beam_problems
from saccade.search._rules import Rules, normalise
from saccade.search.base import Found, Search, Task
from saccade.search.greedy import Greedy


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
        self.lines, self.n_best = width, n_best
        patient = patient and n_completed == 0
        self.aims = Aims(width, length_penalty, n_best, n_completed or width, patient)
        problems = beam_problems(width, length_penalty, n_best, n_completed)
        if problems:
            raise RecipeError(problems)

    @torch.no_grad()
    def __call__(
        self, step: StepFunction, state: State, task: Task, *, trace: bool = False
    ) -> list[Found]:
        """Search from `state`, whose tensors have one row a sentence; `trace` asks for the tree."""
        books = self._books(step, task, trace=trace)
        if self.aims.n_completed == self.aims.width == 1 and not trace and type(books) is Books:
            return self._greedy(step, state, task)
        while books.going:
            state = books.turn(state)
        return books.found()

    def _books(self, step: StepFunction, task: Task, *, trace: bool) -> Books | NativeBooks:
        """Choose who keeps the books; both find the same."""
        rules, short = Rules(task), None if trace else brief(step)
        if short is not None and NativeBooks.serves(task, rules):
            kernels = library.found().kernels
            if kernels is not None:
                return NativeBooks(self.aims, task, rules, kernels, short)
        return Books(self.aims, task, rules, step, trace=trace)

    def _greedy(self, step: StepFunction, state: State, task: Task) -> list[Found]:
        """Do what a beam of one does with less bookkeeping: its first END is its best."""
        written = Greedy()(step, state, task)
        return [Found(tuple(map(self._normalised, found.hypotheses))) for found in written]

    def _normalised(self, hypothesis: Hypothesis) -> Hypothesis:
        gains = np.asarray(hypothesis.token_scores, dtype=np.float32)
        log_prob = gains.cumsum(dtype=np.float32)[-1:].sum()  # one after the other, as beams add
        return replace(hypothesis, score=float(normalise(log_prob, len(gains), self.aims.alpha)))
