"""What an objective is: a model and a batch in, a sum to make small out."""

from abc import ABC, abstractmethod

import torch

from saccade.flow import Batch, Loss
from saccade.models.base import Model


class Objective(ABC):
    """Sums, never means: the training loop divides once, after accumulation."""

    @abstractmethod
    def __call__(self, model: Model, batch: Batch, generator: torch.Generator) -> Loss:
        """Return the sum over the batch's target symbols; draw random numbers from `generator`."""
