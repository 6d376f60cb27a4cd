"""What search is: a step function and a state in, hypotheses out. It never sees a model."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from saccade.flow import Hypothesis, State, StepFunction


@dataclass(frozen=True, slots=True)
class Task:
    """What to search for.

    start, end: the ids of START and END.  banned: ids never written (PAD, START, UNK if unwanted).
    limits: `[B]`, the most symbols of each output, END not counted.  prefixes: for each row the
    symbols its output must begin with, or () for all rows.
    """

    start: int
    end: int
    limits: Tensor
    banned: tuple[int, ...] = ()
    prefixes: Sequence[tuple[int, ...]] = ()
    generator: torch.Generator | None = None


@dataclass(frozen=True, slots=True)
class Branch:
    """One step of one hypothesis in the beam: enough to draw the tree.

    step: from 1.  parent: its place in the branches of the step before, -1 for the root.
    fate: kept, pruned, or completed.
    """

    step: int
    token: int
    parent: int
    log_prob: float
    fate: str


@dataclass(frozen=True, slots=True)
class Found:
    """What search found for one row: hypotheses, best first, and, if asked, the tree it grew."""

    hypotheses: tuple[Hypothesis, ...]
    tree: tuple[tuple[Branch, ...], ...] = field(default=())


class Search(ABC):
    """A way to choose symbols. Each row's outcome depends on that row alone."""

    @abstractmethod
    def __call__(
        self, step: StepFunction, state: State, task: Task, *, trace: bool = False
    ) -> list[Found]:
        """Search from `state`, whose tensors have one row a sentence; `trace` asks for the tree."""
