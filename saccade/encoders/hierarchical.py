"""The hierarchical encoder: words make turns, turns make a dialogue."""

from typing import Literal, NamedTuple

import torch
from torch import Tensor

from saccade.cells.base import Cell
from saccade.encoders.base import Encoder
from saccade.encoders.rnn import RnnEncoder
from saccade.flow import Memory, Padded
from saccade.masks import from_lengths
from saccade.parts import Part


class HierarchicalEncoder(Encoder):
    """Reads the words of each turn, then the turns one after the other.

        w[n][p], u[n] = states and summary of an RNN over the words of turn n
        c[n]          = RNN over u[1..n]

    Sordoni et al. 2015 (arXiv:1507.02221), section 3; for dialogue Serban et al. 2016
    (arXiv:1507.04808). With `level: words` the memory holds a state for every word, `[w[n][p];
    c[n]]`, and the summary is `[u[N]; c[N]]` of the last turn; with `level: turns` it holds the
    `c[n]`, and the summary is the last of them. A turn ends where `Padded.ends` says, which
    `data.source.separator` decides; without one, the source is a single turn.
    """

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
        """Read every turn by itself, then the row of turns."""
        cut = _cut(source)
        n_turns, longest = int(cut.lengths.max()), int(cut.lengths_of_turns.max())
        words = self.words(_spread(source, cut, longest))  # of all turns of all rows: [R, L, W]
        mask = from_lengths(cut.lengths, n_turns)  # [B, N]
        vectors = words.summary.new_zeros(*mask.shape, words.summary.shape[1])  # [B, N, W]
        vectors[mask] = words.summary
        mask = mask & source.mask.any(dim=1, keepdim=True)  # an empty row was given an empty turn
        turns = self.turns(Padded(vectors, mask))  # [B, N, C]
        if not self.by_words:
            places = cut.turn.masked_fill(~source.mask, -1)
            return Memory(turns.states, mask, turns.summary, places)
        rows = torch.arange(len(mask), device=mask.device)[:, None]
        of_word = words.states[cut.row, cut.place]  # [B, S, W]
        states = torch.cat([of_word, turns.states[rows, cut.turn]], dim=2)  # [B, S, W + C]
        last = vectors[rows[:, 0], (cut.lengths - 1).clamp(min=0)]  # [B, W]
        summary = torch.cat([last, turns.summary], dim=1)  # [B, W + C]
        return Memory(states * source.mask[:, :, None], source.mask, summary)


class _Cut(NamedTuple):
    """Where each place of the source stands once it is cut into turns.

    turn, place: `[B, S]`, which turn of its row and where in it.  row: `[B, S]`, which turn of all
    rows' turns laid out one after the other.  lengths: `[B]`, turns in a row.  lengths_of_turns:
    `[R]`, places in a turn.
    """

    turn: Tensor
    place: Tensor
    row: Tensor
    lengths: Tensor
    lengths_of_turns: Tensor


def _cut(source: Padded) -> _Cut:
    mask = source.mask
    ends = torch.zeros_like(mask) if source.ends is None else source.ends & mask
    before = ends.long().cumsum(dim=1) - ends.long()  # [B, S], turns that ended before a place
    lengths = torch.where(mask, before + 1, 0).amax(dim=1).clamp(min=1)
    turn = torch.where(mask, before, 0)
    offsets = lengths.cumsum(dim=0) - lengths  # [B]
    row = turn + offsets[:, None]
    in_turn = torch.zeros(int(lengths.sum()), dtype=torch.long, device=mask.device)
    in_turn = in_turn.index_add(0, row[mask], torch.ones_like(row[mask]))  # [R]
    s = torch.arange(mask.shape[1], device=mask.device).expand_as(mask)  # [B, S]
    first = torch.full_like(in_turn, mask.shape[1]).scatter_reduce(0, row[mask], s[mask], "amin")
    place = torch.where(mask, s - first[row], 0)
    return _Cut(turn, place, row, lengths, in_turn)


def _spread(source: Padded, cut: _Cut, longest: int) -> Padded:
    """Lay every turn out as a row of its own: `[R, L, D]`."""
    values = source.values.new_zeros(
        len(cut.lengths_of_turns), max(longest, 1), source.values.shape[2]
    )
    values = values.index_put(
        (cut.row[source.mask], cut.place[source.mask]), source.values[source.mask]
    )
    return Padded(values, from_lengths(cut.lengths_of_turns, values.shape[1]))
