"""How models read: every source by an embedder and an encoder of its own, into one memory."""

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from saccade.embedders.base import Embedder, PlaceEmbedder
from saccade.encoders.base import Encoder
from saccade.errors import RecipeError, ShapeError
from saccade.flow import Memory, Padded, Sources
from saccade.nouns import Side
from saccade.parts import Part, find


class SourceReader(nn.Module):
    """Embeds and encodes each source, and lays their memories side by side.

        M = [encoder_1(embedder_1(x_1)); encoder_2(embedder_2(x_2)); ...]

    Attention then looks at the places of all sources. The summary is the mean of theirs.

    Args:
        embedders: the embedder of each source.
        encoders: the encoder of each source.
        dropout: for the vectors.
    """

    def __init__(
        self,
        embedders: Mapping[str, Embedder],
        encoders: Mapping[str, Encoder],
        dropout: nn.Module,
    ) -> None:
        super().__init__()
        self.embedders, self.encoders = nn.ModuleDict(embedders), nn.ModuleDict(encoders)
        self._dropout = [dropout]  # the model's own; a list, so that it is registered once
        widths = {name: encoder.memory_dim for name, encoder in encoders.items()}
        if len(set(widths.values())) > 1:
            found = ", ".join(f"{name} {width}" for name, width in widths.items())
            raise ShapeError(
                f"model.encoders: the memories have different widths: {found}; expected one width."
                " Change hidden or embedding of an encoder."
            )
        self.memory_dim = next(iter(widths.values()))

    def forward(self, sources: Sources) -> Memory:
        """Read all sources."""
        memories = [self._read(name, source) for name, source in sources.items()]
        return memories[0] if len(memories) == 1 else _joined(memories)

    def _read(self, name: str, source: Padded) -> Memory:
        vectors: Padded = self.embedders[name](source)
        dropped = self._dropout[0](vectors.values.flatten(1, -2)).view_as(vectors.values)
        encoder = self.encoders[name]
        assert isinstance(encoder, Encoder)
        return encoder.read(Padded(dropped, vectors.mask))

    def grid(self, shapes: dict[str, tuple[int, ...]]) -> tuple[int, ...]:
        """Return the shape of the places that attention weighs."""
        grids = [self._embedder(name).grid(shape) for name, shape in shapes.items()]
        return grids[0] if len(grids) == 1 else (sum(_area(grid) for grid in grids),)

    @property
    def embedder(self) -> Embedder:
        """The embedder of the only source."""
        (name,) = self.embedders
        return self._embedder(name)

    @property
    def encoder(self) -> Encoder:
        """The encoder of the only source."""
        (encoder,) = self.encoders.values()
        assert isinstance(encoder, Encoder)
        return encoder

    def _embedder(self, name: str) -> Embedder:
        embedder = self.embedders[name]
        assert isinstance(embedder, Embedder)
        return embedder


def embedder_of(side: Side, dim: int, part: Part[Embedder] | None = None) -> Embedder:
    """Build the embedder of a source: the one that the recipe names, or the one that suits it."""
    return (part or Part(Embedder, side.embedder)).build(side.size, dim)


def target_embedder(side: Side, dim: int) -> PlaceEmbedder:
    """Build the embedder of what was written before."""
    found = find(Embedder, side.embedder)(side.size, dim)
    if not isinstance(found, PlaceEmbedder):
        raise RecipeError(
            f"data.target: a target embedded by {side.embedder} cannot be written place by place;"
            " expected text or numbers. Change data.target.kind."
        )
    return found


def _joined(memories: list[Memory]) -> Memory:
    """Lay memories side by side, real states first."""
    masks = torch.cat([memory.mask for memory in memories], dim=1)  # [B, M]
    order = (~masks).to(torch.uint8).argsort(dim=1, stable=True)  # [B, M]
    rows = torch.arange(len(masks), device=masks.device)[:, None]
    rank = order.argsort(dim=1)  # [B, M], where each state goes
    values = [memory.states if memory.values is None else memory.values for memory in memories]
    separate = any(memory.values is not None for memory in memories)
    return Memory(
        torch.cat([memory.states for memory in memories], dim=1)[rows, order],
        masks[rows, order],
        torch.stack([memory.summary for memory in memories]).mean(dim=0),
        torch.cat(_places(memories, rank), dim=1),
        torch.cat(values, dim=1)[rows, order] if separate else None,
    )


def _places(memories: list[Memory], rank: Tensor) -> list[Tensor]:
    """Say which of the joined states each place of every source went into."""
    found, first = [], 0
    for memory in memories:
        own = rank[:, first : first + memory.mask.shape[1]]  # [B, M_i]
        if memory.places is None:
            found.append(own.masked_fill(~memory.mask, -1))
        else:
            moved = own.gather(1, memory.places.clamp(min=0))
            found.append(moved.masked_fill(memory.places < 0, -1))
        first += memory.mask.shape[1]
    return found


def _area(grid: tuple[int, ...]) -> int:
    area = 1
    for length in grid:
        area *= length
    return area
