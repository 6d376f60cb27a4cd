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
    rereads: ClassVar[bool] = False
    head: ClosedHead

    @abstractmethod
    def read(self, sources: Sources, *, look: bool) -> State:
        """Read all; the entry `features` is `[B, D]`, others are for `weights`, if `look`."""

    @abstractmethod
    def weights(self, read: State) -> Tensor | None:
        """Return where the model looked, `[B, A, S]`; None if it has no attention."""

    def forward(self, batch: Batch, *, look: bool = False) -> Decoded:
        """Write features of the label at the first place and of END behind it, `[B, T, D + 1]`."""
        found, n_places = self.read(batch.sources, look=look), batch.prefix.shape[1]
        weights = self.weights(found) if look else None
        every = None if weights is None else weights[:, None].expand(-1, n_places, -1, -1)
        return Decoded(spread(tensor(found, "features"), n_places), every)

    def start(self, sources: Sources) -> State:
        """Read the source; nothing is written yet."""
        found = self.read(sources, look=True)
        return {SOURCE: found, "ended": torch.zeros_like(tensor(found, "features")[:, 0])}

    def advance(self, token: Tensor, state: State, *, look: bool = False) -> Stepped:
        """Write the label at the first step and END at every other."""
        found, ended = nested(state, SOURCE), tensor(state, "ended")
        features = flagged(tensor(found, "features"), ended)
        weights = self.weights(found) if look else None
        return Stepped(features, weights, {**state, "ended": torch.ones_like(ended)})


def spread(features: Tensor, n_places: int) -> Tensor:
    """Lay features `[B, D]` over the places of an output, END behind the first: `[B, T, D + 1]`."""
    ended = torch.arange(n_places, device=features.device) > 0  # [T]
    every = features[:, None].expand(-1, n_places, -1)  # [B, T, D]
    return flagged(every, ended.expand(every.shape[0], -1))
