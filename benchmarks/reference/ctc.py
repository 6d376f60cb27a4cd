"""The model of recipes/speech/strings-ctc.yaml in plain torch, and its update as people write it.

Two convolutions, a packed bidirectional LSTM, `F.ctc_loss`, clipped gradients, fused AdamW.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import ctc_loss, relu
from torch.nn.utils import clip_grad_norm_
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class Shape(NamedTuple):
    """Widths: bands, channels, vectors, states of each direction, layers, labels."""

    bands: int = 40
    channels: int = 32
    width: int = 128
    hidden: int = 96
    layers: int = 2
    labels: int = 14
    dropout: float = 0.2


class Utterances(NamedTuple):
    """A batch: features, frames of each, labels one behind the other, labels of each."""

    features: Tensor  # [B, T, F]
    frames: Tensor  # [B]
    labels: Tensor  # [sum of L]
    lengths: Tensor  # [B]


class Recogniser(nn.Module):
    """Says of every fourth frame which label it is; 0 is the blank."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.first = nn.Conv2d(1, shape.channels, 3, stride=2, padding=1)
        self.second = nn.Conv2d(shape.channels, shape.channels, 3, stride=2, padding=1)
        self.project = nn.Linear(shape.channels * -(-shape.bands // 4), shape.width)
        self.norm = nn.LayerNorm(shape.width)
        self.dropout = nn.Dropout(shape.dropout)
        self.lstm = nn.LSTM(
            shape.width,
            shape.hidden,
            shape.layers,
            batch_first=True,
            bidirectional=True,
            dropout=shape.dropout,
        )
        self.output = nn.Linear(2 * shape.hidden, shape.labels)

    def forward(self, features: Tensor, frames: Tensor) -> tuple[Tensor, Tensor]:
        """Return log-probabilities `[S, B, V]` and how many of them count, `[B]`."""
        x = relu(self.second(relu(self.first(features[:, None]))))  # [B, C, S, F / 4]
        frames = (frames + 3) // 4
        x = x.transpose(1, 2).flatten(2)  # [B, S, C F / 4]
        x = self.dropout(self.norm(self.project(x)))
        packed = pack_padded_sequence(x, frames, batch_first=True, enforce_sorted=False)
        states, _ = pad_packed_sequence(self.lstm(packed)[0], batch_first=True)
        said = self.output(self.dropout(states)).log_softmax(dim=2)
        return said.transpose(0, 1), frames


class PlainTraining:
    """The model and its optimiser."""

    def __init__(self, shape: Shape, rate: float = 0.003) -> None:
        self.model = Recogniser(shape).train()
        self.optimiser = torch.optim.AdamW(
            self.model.parameters(), rate, betas=(0.9, 0.98), weight_decay=0.01, fused=True
        )

    def update(self, batch: Utterances) -> float:
        """Make one update; return the loss of a label."""
        self.optimiser.zero_grad(set_to_none=True)
        said, frames = self.model(batch.features, batch.frames)
        total = ctc_loss(
            said, batch.labels, frames, batch.lengths, reduction="sum", zero_infinity=True
        )
        loss = total / len(batch.labels)
        loss.backward()  # type: ignore[no-untyped-call]
        clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimiser.step()
        return float(loss.item())
