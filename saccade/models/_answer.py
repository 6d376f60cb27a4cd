"""What models share that answer a question about a story with one symbol."""

from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple

import torch
from torch import Tensor

from saccade.errors import ShapeError
from saccade.flow import Padded, Sources, State, tensor
from saccade.heads.closed import closed
from saccade.heads.given import GivenHead
from saccade.models._label import LabelWriter


class Answer(NamedTuple):
    """What a model says of every answer, `[B, V]`, and where it looked, `[B, A, S]`, if asked."""

    logits: Tensor
    weights: Tensor | None

    def state(self) -> State:
        """Return it as what was read."""
        found: State = {"features": self.logits}
        return found if self.weights is None else {**found, "weights": self.weights}


class Answerer(LabelWriter, ABC):
    """A writer of one symbol, whose log-probabilities it makes itself."""

    several: ClassVar[bool] = True
    source_raws: ClassVar[tuple[str, ...]] = ("text", "story")
    head: GivenHead

    @abstractmethod
    def answer(self, sources: Sources, *, look: bool = False) -> Answer:
        """Read the sources and answer."""

    def grid(self, shapes: dict[str, tuple[int, ...]]) -> tuple[int, ...]:
        """Return how many places all sources have: sentences and words."""
        return (sum(shape[0] for shape in shapes.values()),)

    def read(self, sources: Sources, *, look: bool) -> State:
        """Read the sources and answer."""
        return self.answer(sources, look=look).state()

    def weights(self, read: State) -> Tensor:
        """Return where every hop looked."""
        return tensor(read, "weights")

    def closing(self, features: Tensor, ended: Tensor) -> Tensor:
        """Return log-probabilities `[..., V]`."""
        return closed(features, ended)


def story_and_question(owner: str, names: tuple[str, ...]) -> tuple[str, str | None]:
    """Say which source is the story and which, if any, the question."""
    if len(names) > 2:
        raise ShapeError(
            f"{owner}: reads a story and a question, but there are {len(names)} sources:"
            f" {', '.join(names)}. Put the others into the story."
        )
    return names[0], names[1] if len(names) == 2 else None


def sentences(source: Padded) -> Padded:
    """Return ids `[B, N, L]` with a mask `[B, N]`; a word of plain text is a sentence by itself."""
    if source.values.dim() == source.mask.dim():
        source = source.flat()
        return Padded(source.values[:, :, None], source.mask)
    return source


def over_places(weights: Tensor, sources: Sources) -> Tensor:
    """Put weights of sentences, `[B, A, N]`, before zeros for the places of other sources."""
    n_places = sum(source.mask.shape[1] for source in sources.values())
    return torch.nn.functional.pad(weights, (0, n_places - weights.shape[2]))  # [B, A, S]
