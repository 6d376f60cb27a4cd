"""One network that reads all of the source and then writes the target."""

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from saccade.cells.base import Cell
from saccade.embedders.base import Embedder, PlaceEmbedder
from saccade.errors import RecipeError
from saccade.flow import (
    SOURCE,
    Batch,
    Decoded,
    Padded,
    Sources,
    State,
    Stepped,
    map_both,
    nested,
    only,
    tensor,
)
from saccade.heads.base import Head, anchored
from saccade.layers.dropout import Dropout
from saccade.models.base import Writer
from saccade.models.encoder_decoder import embedder_of, target_embedder
from saccade.nouns import Side
from saccade.parts import Part


class ReadThenWrite(Writer):
    """Reads the source and writes the target with the same cells and in one state.

        h[t], s[t] = cell(x[t], s[t-1])          t = 1 .. S + T
        x[t] = source[t] for t <= S, then v, or y[t - S - 1] with `feedback`
        f[t] = h[S + t]

    What was put into a memory while reading is there while writing, so that a cell such as `ntm` or
    `dnc` must use it: Graves, Wayne & Danihelka 2014 (arXiv:1410.5401), section 4, train all their
    networks like this, without feedback. v is learned. A source must have an order and end with
    something that says so, as END of text and bits does.
    """

    def __init__(  # noqa: PLR0913 - all but two are options
        self,
        sources: Mapping[str, Side],
        target: Side,
        *,
        embedder: Part[Embedder] | None = None,
        cell: Part[Cell] = Part(Cell, "ntm"),
        head: Part[Head] | None = None,
        embedding: int = 32,
        hidden: int = 100,
        layers: int = 1,
        feedback: bool = False,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        if layers < 1:
            raise RecipeError(f"read_then_write.layers: found {layers}; expected 1 or more.")
        (side,) = sources.values()
        self.source_embedding = embedder_of(side, embedding, embedder)
        self.target_embedding: PlaceEmbedder | None = None
        if feedback:
            self.target_embedding = target_embedder(target, embedding)
        else:
            self.v = nn.Parameter(torch.zeros(embedding))
        widths = [embedding] + [hidden] * (layers - 1)
        self.cells = nn.ModuleList(cell.build(width, hidden) for width in widths)
        self.dropout = Dropout(dropout)
        self.head = (head or Part(Head, target.head)).build(hidden, target.size, None)

    @property
    def _stack(self) -> list[Cell]:
        return list(self.cells)  # type: ignore[arg-type]

    @property
    def attention_names(self) -> tuple[str, ...]:
        """None: where it looks is inside its cell."""
        return ()

    def forward(self, batch: Batch, *, look: bool = False) -> Decoded:
        """Read the source and the given prefix, each row's prefix right behind its source."""
        source = self._embedded(batch.sources)
        prefix = self._read_back(batch.prefix)  # [B, T, D]
        x, first = joined(source, prefix)  # [B, S + T, D], [B, T]
        for i, cell in enumerate(self._stack):
            x = cell.sweep(self.dropout(x) if i else x, cell.start(x[:, 0])).outputs
        features = x.gather(1, first[:, :, None].expand(-1, -1, x.shape[2]))  # [B, T, D]
        weights = x.new_zeros(*prefix.shape[:2], 0, source.mask.shape[1]) if look else None
        if self.head.anchors:
            features = anchored(features, self.head.anchor(only(batch.sources)))
        return Decoded(features, weights)

    def start(self, sources: Sources) -> State:
        """Read the source; return the state after its last place."""
        source = self._embedded(sources)
        x, mask = source.values, source.mask
        cells: State = {str(i): cell.start(x[:, 0]) for i, cell in enumerate(self._stack)}
        for t in range(x.shape[1]):
            _, after = self._tick(x[:, t], cells)
            here = mask[:, t]
            cells = after if bool(here.all()) else kept_where(here, after, cells)
        anchor = self.head.anchor(only(sources)) if self.head.anchors else None
        return {SOURCE: {} if anchor is None else {"anchor": anchor}, "cells": cells}

    def advance(self, token: Tensor, state: State, *, look: bool = False) -> Stepped:
        """Take one step behind the source."""
        given = token[:, None]
        hidden, cells = self._tick(self._read_back(given)[:, 0], nested(state, "cells"))
        source = nested(state, SOURCE)
        anchor = tensor(source, "anchor") if "anchor" in source else None
        weights = hidden.new_zeros(len(hidden), 0, 1) if look else None
        return Stepped(anchored(hidden, anchor), weights, {**state, "cells": cells})

    def _tick(self, x: Tensor, state: State) -> tuple[Tensor, State]:
        after: State = {}
        for i, cell in enumerate(self._stack):
            given = cell.project(self.dropout(x) if i else x)
            x, after[str(i)], _ = cell.tick(given, nested(state, str(i)))
        return x, after

    def _embedded(self, sources: Sources) -> Padded:
        vectors: Padded = self.source_embedding(only(sources))
        flat = vectors.flat()
        return Padded(self.dropout(flat.values), flat.mask)

    def _read_back(self, prefix: Tensor) -> Tensor:
        """Turn what was written `[B, T, ...]` into what is read while writing, `[B, T, D]`."""
        if self.target_embedding is None:
            return self.v.expand(*prefix.shape[:2], -1)
        vectors: Tensor = self.dropout(self.target_embedding.embed(prefix))
        return vectors


def joined(source: Padded, prefix: Tensor) -> tuple[Tensor, Tensor]:
    """Put each row's prefix right behind the last real place of its source.

    Returns:
        The rows `[B, S + T, D]`, and where the places of the prefix are in them, `[B, T]`.

    >>> source = Padded(torch.tensor([[[1], [2]], [[3], [0]]]), torch.tensor([[1, 1], [1, 0]]) > 0)
    >>> joined(source, torch.tensor([[[7], [8]], [[9], [9]]]))[0].squeeze(2).tolist()
    [[1, 2, 7, 8], [3, 9, 9, 9]]
    """
    n, (n_source, n_prefix) = source.lengths[:, None], (source.mask.shape[1], prefix.shape[1])
    every = torch.cat([source.values, prefix], dim=1)  # [B, S + T, D]
    place = torch.arange(n_source + n_prefix, device=n.device)  # [S + T]
    index = torch.where(place < n, place, (place - n + n_source).clamp(max=len(place) - 1))
    rows = every.gather(1, index[:, :, None].expand_as(every))
    return rows, n + torch.arange(n_prefix, device=n.device)


def kept_where(here: Tensor, after: State, before: State) -> State:
    """Take the rows of `after` where `here [B]` is True, and those of `before` elsewhere."""
    return map_both(
        lambda new, old: torch.where(here.view(-1, *[1] * (new.dim() - 1)), new, old), after, before
    )
