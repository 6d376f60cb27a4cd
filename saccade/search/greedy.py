"""Greedy search: always the likeliest next symbol."""

from typing import ClassVar

import torch
from torch import Tensor

from saccade.flow import State, StepFunction
from saccade.search._best import Array, highest
from saccade.search._tree import paths
from saccade.search._write import write
from saccade.search.base import Found, Search, Task


class Greedy(Search):
    """Write the likeliest symbol at every step; of equally likely ones the lowest id.

        y[t] = argmax_v log p(v | y[1..t-1])

    The score is the log-probability. Fast, and blind to what a symbol leads to.
    """

    once: ClassVar[bool] = True

    @torch.no_grad()
    def __call__(
        self, step: StepFunction, state: State, task: Task, *, trace: bool = False
    ) -> list[Found]:
        """Search from `state`, whose tensors have one row a sentence; the tree is a single path."""
        written = write(step, state, task, _likeliest)
        return [Found(tuple(h), paths(h, task.end) if trace else ()) for h in written]


def _likeliest(log_probs: Tensor, _lines: Array, _step: int) -> tuple[Array, Array]:
    values, places = highest(log_probs, 1)  # the first of equals
    return places[:, 0], values[:, 0]
