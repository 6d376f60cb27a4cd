"""Beam search: follow the K best beginnings of every sentence at once.

One step is four small ones: expand every hypothesis by every symbol, set aside those that end,
choose the K best of the rest, stop the sentences that have enough. All sentences move together.
"""

from dataclasses import replace
from typing import ClassVar

import numpy as np
import torch

from saccade.errors import RecipeError
from saccade.flow import State, StepFunction
from saccade.nouns import Hypothesis
from saccade.search._beam_hypotheses import BeamHypotheses
from saccade.search._plan import beam_problems
from saccade.search._rules import normalise
from saccade.search.base import BeamOptions, Found, Search, Task
from saccade.search.greedy import Greedy


class Beam(Search):
    """Keep the `width` best unfinished hypotheses at every step.

        log_prob(y) = sum_t log p(y[t] | y[1..t-1])
        score(y)    = log_prob(y) / lp(y) + cp(y)
        lp(y)       = ((k + length(y)) / (k + 1)) ** length_penalty    length counts END
        cp(y)       = coverage_penalty sum_s log min(sum_t a[t, s], 1)

    `length_penalty` 0 ranks by log-probability, 1 by the mean over symbols. k is `length_offset`; 0
    leaves `length ** length_penalty`, 5 is Wu et al. 2016 (arXiv:1609.08144), equation 14. So is
    cp, which lowers the score of what did not read a place s of the source, by the weights a of the
    attention (of several maps their mean); it has a say among the completed alone, since nobody
    has read everything before. What is cut at its limit has read with its next step too. A model
    that is searched with a coverage penalty is searched by torch. Of the 2K best ways to
    go on, those among the first K that write END are completed: they are set aside and take no
    place in the beam. A sentence stops, whatever its neighbours do,

    - when `n_completed` hypotheses are completed; 0 means as many as `width`, and, if `patient`, no
      active one scores better so far, so that a few poor early endings do not end the search;
    - or when `n_best` are and no active one can still beat them: a log-probability only falls and
      cp is never above 0, so none will score above its log_prob / lp(limit + 1) (shapers turn this
      rule off);
    - or at its limit: what is active there counts as unfinished and ranks after what is finished.

    Ties go to the lower parent, then to the lower id.

    Graves 2012 (arXiv:1211.3711); Sutskever, Vinyals & Le 2014 (arXiv:1409.3215), 3.2. Width 1
    is greedy search; a width beyond the number of all outputs is exhaustive search.
    """

    once: ClassVar[bool] = True
    beam: BeamOptions

    def __init__(
        self,
        *,
        width: int = 5,
        length_penalty: float = 1.0,
        length_offset: float = 0.0,
        coverage_penalty: float = 0.0,
        n_best: int = 1,
        n_completed: int = 0,
        patient: bool = True,
    ) -> None:
        self.lines, self.n_best = width, n_best
        patient = patient and n_completed == 0
        keep = (width, length_penalty, n_best, n_completed or width, patient)
        self.beam = BeamOptions(*keep, length_offset, coverage_penalty)
        self.looks = coverage_penalty > 0
        problems = beam_problems(
            width,
            length_penalty,
            n_best,
            n_completed,
            length_offset=length_offset,
            coverage_penalty=coverage_penalty,
        )
        if problems:
            raise RecipeError(problems)

    @torch.no_grad()
    def __call__(
        self, step: StepFunction, state: State, task: Task, *, trace: bool = False
    ) -> list[Found]:
        """Search from `state`, whose tensors have one row a sentence; `trace` asks for the tree."""
        if self.beam.n_completed == self.beam.width == 1 and not trace and not self.looks:
            return self._greedy(step, state, task)
        hypotheses = BeamHypotheses(self.beam, task, step, trace=trace)
        while hypotheses.going:
            state = hypotheses.advance(state)
        return hypotheses.found()

    def _greedy(self, step: StepFunction, state: State, task: Task) -> list[Found]:
        """Do what a beam of one does with less bookkeeping: its first END is its best."""
        written = Greedy()(step, state, task)
        return [Found(tuple(map(self._normalised, found.hypotheses))) for found in written]

    def _normalised(self, hypothesis: Hypothesis) -> Hypothesis:
        gains = np.asarray(hypothesis.token_scores, dtype=np.float32)
        log_prob = gains.cumsum(dtype=np.float32)[-1:].sum()  # one after the other, as beams add
        score = normalise(log_prob, len(gains), self.beam.alpha, self.beam.offset)
        return replace(hypothesis, score=float(score))
