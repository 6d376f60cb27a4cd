"""What models share that read all, and then write one label: it, then END."""

from abc import ABC, abstractmethod
from typing import ClassVar

import torch
from torch import Tensor

from saccade.flow import SOURCE, Batch, Decoded, Sources, State, Stepped, nested, tensor
from saccade.heads.closed import ClosedHead, flagged
from saccade.models.base import Writer


class LabelWriter(Writer, ABC):
    """Reads the sources into one vector and writes a label: an output of one symbol.

    So search ranks labels, and attention maps show what decided.
    """

    discrete: ClassVar[bool | None] = True
    head: ClosedHead

    @abstractmethod
    def read(self, sources: Sources, *, look: bool) -> tuple[Tensor, Tensor | None]:
        """Return features `[B, D]` and, if asked for, weights `[B, 1, A, S]`."""

    def forward(self, batch: Batch, *, look: bool = False) -> Decoded:
        """Write features of the label at the first place and of END behind it, `[B, T, D + 1]`."""
        features, weights = self.read(batch.sources, look=look)
        return Decoded(spread(features, batch.prefix.shape[1]), _over(weights, batch.prefix))

    def start(self, sources: Sources) -> State:
        """Read the source; nothing is written yet."""
        features, weights = self.read(sources, look=True)
        source: State = {"features": features}
        if weights is not None:
            source["weights"] = weights[:, 0]
        return {SOURCE: source, "ended": torch.zeros_like(features[:, 0])}

    def advance(self, token: Tensor, state: State, *, look: bool = False) -> Stepped:
        """Write the label at the first step and END at every other."""
        source, ended = nested(state, SOURCE), tensor(state, "ended")
        features = flagged(tensor(source, "features"), ended)
        weights = tensor(source, "weights") if look and "weights" in source else None
        return Stepped(features, weights, {**state, "ended": torch.ones_like(ended)})


def spread(features: Tensor, n_places: int) -> Tensor:
    """Lay features `[B, D]` over the places of an output, END behind the first: `[B, T, D + 1]`."""
    ended = torch.arange(n_places, device=features.device) > 0  # [T]
    every = features[:, None].expand(-1, n_places, -1)  # [B, T, D]
    return flagged(every, ended.expand(every.shape[0], -1))


def _over(weights: Tensor | None, prefix: Tensor) -> Tensor | None:
    return None if weights is None else weights.expand(-1, prefix.shape[1], -1, -1)
