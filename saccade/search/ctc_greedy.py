"""The best path of CTC: the likeliest symbol of every frame."""

from typing import ClassVar

import torch
from torch import Tensor

from saccade.flow import State, StepFunction
from saccade.nouns import Hypothesis
from saccade.search._frames import BLANK, check_task, frames_of
from saccade.search._rules import NEVER
from saccade.search._tree import paths
from saccade.search.base import Found, Search, Task


class CtcGreedy(Search):
    """Take the likeliest symbol of every frame; write repeats once and blanks not at all.

        path[t] = argmax_v y[t, v]                   score = sum_t log y[t, path[t]]

    Graves et al. 2006, section 3.2, "best path decoding". The score is that of one path, not of the
    labels, which have others. Each label has the frames behind the label before it, up to its own
    last one; END has the rest.
    """

    once: ClassVar[bool] = True
    frames: ClassVar[bool] = True

    @torch.no_grad()
    def __call__(
        self, step: StepFunction, state: State, task: Task, *, trace: bool = False
    ) -> list[Found]:
        """Read the path off the frames of `state`; the tree is a single path."""
        check_task(task, "ctc_greedy")
        frames = frames_of(state, "ctc_greedy").float()
        never = [i for i in (*task.banned, task.start, task.end) if i != BLANK]
        frames = frames.index_fill(2, torch.tensor(never, device=frames.device), NEVER)
        best, path = frames.max(dim=2)  # [B, S]; of equals the first
        written = [
            _read(*row, limit)
            for row, limit in zip(
                zip(path.tolist(), best.tolist(), strict=True), task.limits.tolist(), strict=True
            )
        ]
        if task.watch:
            _tell(task, written)
        return [Found((one,), paths([one], task.end) if trace else ()) for one in written]


def _read(path: list[int], best: list[float], limit: int) -> Hypothesis:
    """Write the labels of a path and the log-probability of the frames of each."""
    tokens, scores, waiting, before = list[int](), list[float](), 0.0, BLANK
    for symbol, log_prob in zip(path, best, strict=True):
        waiting += log_prob
        if symbol == BLANK:
            before = BLANK
            continue
        if symbol != before:
            tokens.append(symbol)
            scores.append(waiting)
        else:
            scores[-1] += waiting
        before, waiting = symbol, 0.0
    if len(tokens) > limit:
        return Hypothesis(
            tuple(tokens[:limit]), sum(scores[:limit]), tuple(scores[:limit]), finished=False
        )
    return Hypothesis(tuple(tokens), sum(scores) + waiting, (*scores, waiting))


def _tell(task: Task, written: list[Hypothesis]) -> None:
    """Tell who watches of every row that wrote something: there is only one step."""
    assert task.watch is not None
    for row, one in enumerate(written):
        if one.tokens:
            tokens: Tensor = torch.tensor([one.tokens], device=task.limits.device)
            task.watch(torch.tensor([row], device=task.limits.device), tokens)
