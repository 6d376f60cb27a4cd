"""What models share that read all, and then write one label: it, then END."""

from abc import ABC, abstractmethod
from typing import ClassVar

import torch
from torch import Tensor

from saccade.flow import SOURCE, Batch, Decoded, Sources, State, Stepped, nested, tensor
from saccade.heads.closed import flagged
from saccade.models.base import Writer


class LabelWriter(Writer, ABC):
    """Reads the sources into one vector and writes a label: an output of one symbol.

    So search ranks labels, and attention maps show what decided.
    """

    discrete: ClassVar[bool | None] = True
    rereads: ClassVar[bool] = False

    @abstractmethod
    def read(self, sources: Sources, *, look: bool) -> State:
        """Read all; the entry `features` is `[B, D]`, others are for `weights`, if `look`."""

    @abstractmethod
    def weights(self, read: State) -> Tensor | None:
        """Return where the model looked, `[B, A, S]`; None if it has no attention."""

    def closing(self, features: Tensor, ended: Tensor) -> Tensor:
        """Return what the head reads at places `[..., D]` before which the output may have ended.

        For the head `closed`: features with a mark behind them, `[..., D + 1]`.
        """
        return flagged(features, ended)

    def forward(self, batch: Batch, *, look: bool = False) -> Decoded:
        """Write features of the label at the first place and of END behind it."""
        found = self.read(batch.sources, look=look)
        return self.lay(found, batch.prefix.shape[1], look=look)

    def lay(self, read: State, n_places: int, *, look: bool = False) -> Decoded:
        """Lay what was read out over the places of an output."""
        features = tensor(read, "features")
        every = features[:, None].expand(-1, n_places, -1)  # [B, T, D]
        ended = torch.arange(n_places, device=features.device) > 0  # [T]
        weights = self.weights(read) if look else None
        weights = None if weights is None else weights[:, None].expand(-1, n_places, -1, -1)
        return Decoded(self.closing(every, ended.expand(len(every), -1)), weights)

    def start(self, sources: Sources) -> State:
        """Read the source; nothing is written yet."""
        found = self.read(sources, look=True)
        return {SOURCE: found, "ended": torch.zeros_like(tensor(found, "features")[:, 0])}

    def advance(self, token: Tensor, state: State, *, look: bool = False) -> Stepped:
        """Write the label at the first step and END at every other."""
        found, ended = nested(state, SOURCE), tensor(state, "ended")
        features = self.closing(tensor(found, "features"), ended > 0)
        weights = self.weights(found) if look else None
        return Stepped(features, weights, {**state, "ended": torch.ones_like(ended)})
