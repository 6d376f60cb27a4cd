"""What models share that answer with one symbol: they read all, then write it, then END."""

from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple

import torch
from torch import Tensor

from saccade.errors import ShapeError
from saccade.flow import (
    SOURCE,
    Batch,
    Decoded,
    Padded,
    Sources,
    State,
    Stepped,
    nested,
    tensor,
)
from saccade.heads.closed import closed
from saccade.heads.given import GivenHead
from saccade.models.base import Writer


class Answer(NamedTuple):
    """What a model says of every answer, `[B, V]`, and where it looked, `[B, A, S]`, if asked."""

    logits: Tensor
    weights: Tensor | None


class Answerer(Writer, ABC):
    """A writer of one symbol: search ranks answers, and maps show where the model looked for it."""

    several: ClassVar[bool] = True
    source_raws: ClassVar[tuple[str, ...]] = ("text", "story")
    discrete: ClassVar[bool | None] = True
    head: GivenHead

    @abstractmethod
    def answer(self, sources: Sources, *, look: bool = False) -> Answer:
        """Read the sources and answer."""

    def grid(self, shapes: dict[str, tuple[int, ...]]) -> tuple[int, ...]:
        """Return how many places all sources have: sentences and words."""
        return (sum(shape[0] for shape in shapes.values()),)

    def forward(self, batch: Batch, *, look: bool = False) -> Decoded:
        """Say how likely every answer is at the first place, and END behind it: `[B, T, V]`."""
        return self.spoken(self.answer(batch.sources, look=look), batch.prefix.shape[1])

    def spoken(self, found: Answer, n_places: int) -> Decoded:
        """Lay an answer out over the places of a target."""
        ended = torch.arange(n_places, device=found.logits.device) > 0  # [T]
        every = found.logits[:, None].expand(-1, n_places, -1)  # [B, T, V]
        weights = found.weights
        weights = None if weights is None else weights[:, None].expand(-1, n_places, -1, -1)
        return Decoded(closed(every, ended.expand(every.shape[:2])), weights)

    def start(self, sources: Sources) -> State:
        """Read the sources and answer; nothing is written yet."""
        found = self.answer(sources, look=True)
        assert found.weights is not None
        ended = torch.zeros_like(found.logits[:, 0])
        return {SOURCE: {"logits": found.logits, "weights": found.weights}, "ended": ended}

    def advance(self, token: Tensor, state: State, *, look: bool = False) -> Stepped:
        """Write the answer at the first step and END at every other."""
        source, ended = nested(state, SOURCE), tensor(state, "ended")
        features = closed(tensor(source, "logits"), ended > 0)
        weights = tensor(source, "weights") if look else None
        return Stepped(features, weights, {**state, "ended": torch.ones_like(ended)})


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
