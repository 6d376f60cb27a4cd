"""What an objective is: a model and a batch in, a sum to make small out."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from saccade.flow import Batch, Loss
from saccade.models.base import Model
from saccade.objectives._errors import squared_error

Decode = Callable[[Sequence[int]], str]  # what a model wrote, as text; PAD, START, END drop out


@dataclass(frozen=True, slots=True)
class Moment:
    """When in a training an objective is asked, and all the chance it may use.

    step: updates made before this one.  generator: seeded by the run's seed and `step`.
    """

    step: int
    generator: torch.Generator


class Objective(ABC):
    """Sums, never means: the training loop divides once, after accumulation.

    The host gives `decode`, by which risks are measured on text whatever the pieces are. `learned`
    holds, by name, what an objective learns for itself beside the model, if anything; checkpoints
    keep it, and a resumed run gets it back.
    """

    discrete: ClassVar[bool] = True  # False if it is for models that write values
    all_references: ClassVar[bool] = False  # True if it asks for all targets of an example
    frames: ClassVar[bool] = False  # True if it is for models of frames, as CTC is
    distance: ClassVar[bool] = False  # True if it asks how far values are, not how likely
    steady: ClassVar[bool] = False  # True if any batch takes the same calls of the model's layers

    def __init__(self, decode: Decode) -> None:
        self.decode = decode
        self.learned: dict[str, Tensor] = {}

    @abstractmethod
    def __call__(self, model: Model, batch: Batch, moment: Moment) -> Loss:
        """Return the sum over the batch; `count` is the number of its target symbols."""

    def study(self, references: Iterable[Sequence[str]]) -> None:  # noqa: B027 - most need nothing
        """Read the references of every training example, before the first update.

        Only objectives of `all_references` are asked to. What they find depends on the training
        data alone, so a resumed run finds it again.
        """

    def remarks(self, step: int, counts: Mapping[str, int]) -> dict[str, str]:
        """Say what a user should know of the last updates, by topic; each topic is told once.

        Args:
            step: updates made.
            counts: `Loss.counts` of the updates since the last report, added up.
        """
        return {}

    def validate(self, model: Model, batch: Batch) -> Loss:
        """Return what a model is validated by, without the objective's own terms.

        The negative log-probability of target symbols, or of values where the head knows it; else
        the squared error of values that the model writes by itself.
        """
        if not self.discrete and not model.head.draws:
            return squared_error(model, batch, free_running=True)
        mask = batch.target.mask
        total, nll = model.head.loss(model(batch).features[mask], batch.target.values[mask])
        return Loss(total, len(nll), {"nll": nll.sum().item()})
