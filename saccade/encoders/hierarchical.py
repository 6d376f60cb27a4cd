"""The hierarchical encoder: words make turns, turns make a dialogue."""

from typing import ClassVar, Literal

import torch
from torch import Tensor

from saccade.cells.base import Cell
from saccade.encoders.base import Encoder
from saccade.encoders.rnn import RnnEncoder
from saccade.flow import Memory, Padded
from saccade.parts import Part


class HierarchicalEncoder(Encoder):
    """Reads the words of each turn, then the turns one after the other.

        w[n][p], u[n] = states and summary of an RNN over the words of turn n
        c[n]          = RNN over u[1..n]

    Sordoni et al. 2015 (arXiv:1507.02221), section 3; for dialogue Serban et al. 2016
    (arXiv:1507.04808). With `level: words` the memory holds a state for every word, `[w[n][p];
    c[n]]`, and the summary is `[u[N]; c[N]]` of the last turn; with `level: turns` it holds the
    `c[n]`, and the summary is the last of them. `data.source.separator` parts the turns; without
    one, the source is a single turn.
    """

    nested: ClassVar[bool] = True

    def __init__(
        self,
        input_dim: int,
        *,
        cell: Part[Cell] = Part(Cell, "gru"),
        hidden: int = 256,
        context: int = 256,
        layers: int = 1,
        level: Literal["words", "turns"] = "words",
        bidirectional: bool = True,
        dropout: float = 0.1,
    ) -> None:
        super().__init__(input_dim)
        self.by_words = level == "words"
        self.words = RnnEncoder(
            input_dim,
            cell=cell,
            hidden=hidden,
            layers=layers,
            bidirectional=bidirectional,
            dropout=dropout,
        )
        self.turns = RnnEncoder(
            self.words.memory_dim, cell=cell, hidden=context, bidirectional=False
        )

    @property
    def memory_dim(self) -> int:
        """The width of words and turns together, or of turns."""
        return self.turns.memory_dim + (self.words.memory_dim if self.by_words else 0)

    def forward(self, source: Padded) -> Memory:
        """Read every turn by itself, then the row of turns; `source` is `[B, N, S, D]`."""
        source = source if source.mask.dim() == 3 else _one_turn(source)
        mask = source.mask  # [B, N, S]
        given = mask.any(dim=2)  # [B, N], turns that hold something
        words: Memory = self.words(Padded(source.values[given], mask[given]))  # [R, S, W]
        vectors = _spread(words.summary, given)  # [B, N, W]
        turns: Memory = self.turns(Padded(vectors, given))  # [B, N, C]
        number = torch.arange(given.shape[1], device=mask.device)  # [N]
        if not self.by_words:
            places = Padded(number[None, :, None].expand_as(mask), mask).flat()
            return Memory(
                turns.states, given, turns.summary, places.values.masked_fill(~places.mask, -1)
            )
        of_words = _spread(words.states, given)  # [B, N, S, W]
        of_turns = turns.states[:, :, None].expand(*mask.shape, -1)  # [B, N, S, C]
        states = Padded(torch.cat([of_words, of_turns], dim=3), mask).flat()  # [B, S', W + C]
        rows = torch.arange(len(given), device=mask.device)
        last = vectors[rows, (given.sum(dim=1) - 1).clamp(min=0)]  # [B, W]
        summary = torch.cat([last, turns.summary], dim=1)  # [B, W + C]
        return Memory(states.values * states.mask[:, :, None], states.mask, summary)


def _one_turn(source: Padded) -> Padded:
    return Padded(source.values[:, None], source.mask[:, None])


def _spread(rows: Tensor, given: Tensor) -> Tensor:
    """Put rows `[R, ...]` where `given [B, N]` is True, and zeros elsewhere: `[B, N, ...]`."""
    return rows.new_zeros(*given.shape, *rows.shape[1:]).index_put((given,), rows)
