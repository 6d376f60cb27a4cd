"""How the processes of a job hold a model: each the whole of it, or a part as in `shards.py`."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.nn.utils import get_total_norm

from saccade.flow import Batch, Loss
from saccade.kernels.allocator import LARGEST
from saccade.models.base import Model
from saccade.objectives.base import Moment, Objective
from saccade.train.processes import Processes

# What to read a tensor of a checkpoint into, by its name, size and type.
Room = Callable[[str, torch.Size, torch.dtype], Tensor]


class Holding(ABC):
    """What one process has of a model, and how its gradients come together with those of others.

    model: what an objective is given.  own: the numbers that this process holds, under the model's
    names: what its optimiser moves, and what an average is made of.
    """

    joint: ClassVar[bool]  # whether processes speak within a pass, so that all must make as many
    kept: ClassVar[int] = LARGEST  # bytes: freed pieces below are kept for the next update
    model: Model
    own: nn.Module

    @abstractmethod
    def loss(self, objective: Objective, batch: Batch, moment: Moment) -> Loss:
        """Ask an objective."""

    @abstractmethod
    def collect(self, processes: Processes) -> None:
        """Put the sum of the gradients of all processes where the optimiser reads it."""

    @abstractmethod
    def norm(self, processes: Processes) -> float:
        """Return how long the gradient of the whole model is, once it is collected."""

    @abstractmethod
    def show(self, weights: dict[str, Tensor]) -> None:
        """Put weights of `own`'s names and shapes into the model that is judged and written."""

    @abstractmethod
    def stored(self, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
        """Say of tensors of `own` what they are of the model's, for a checkpoint."""

    @abstractmethod
    def taken(self, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
        """Undo `stored`."""

    @property
    @abstractmethod
    def room(self) -> Room | None:
        """What makes room for the part of a tensor that this process needs; None if it is all."""


class Whole(Holding):
    """A model of which every process has the whole."""

    joint: ClassVar[bool] = False

    def __init__(self, model: Model) -> None:
        self.model = self.own = model

    def loss(self, objective: Objective, batch: Batch, moment: Moment) -> Loss:
        """Ask an objective."""
        return objective(self.model, batch, moment)

    def collect(self, processes: Processes) -> None:
        """Add up the gradients of all processes."""
        processes.add_gradients([p for p in self.model.parameters() if p.requires_grad])

    def norm(self, processes: Processes) -> float:
        """Return how long the gradient is."""
        return length([p.grad for p in self.model.parameters() if p.grad is not None])

    def show(self, weights: dict[str, Tensor]) -> None:
        """Do nothing: the model that is judged is the one that is trained."""

    def stored(self, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
        """Return what is given."""
        return tensors

    def taken(self, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
        """Return what is given."""
        return tensors

    @property
    def room(self) -> Room | None:
        """Say that all of it is needed."""
        return None


def length(tensors: list[Tensor]) -> float:
    """Return the root of the sum of all squares."""
    return get_total_norm(tensors).item() if tensors else 0.0
