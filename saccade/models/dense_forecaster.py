"""The dense forecaster: all steps at once."""

from typing import ClassVar

import torch
from torch import Tensor, nn

from saccade.attention.base import Attention
from saccade.encoders.base import Encoder
from saccade.errors import RecipeError, ShapeError
from saccade.flow import (
    SOURCE,
    Batch,
    Decoded,
    Memory,
    Padded,
    State,
    Step,
    nested,
    tensor,
)
from saccade.layers.dropout import Dropout
from saccade.masks import last
from saccade.models._pooling import pooled
from saccade.models.base import Model
from saccade.parts import Part


class DenseForecaster(Model):
    """Reads a window of numbers and writes the next `horizon` of them by dense layers.

        c = attend(q) over encoder(D x)              q is learned; nothing with attention `none`
        f = tanh(W [c; m] + a)                       m: the summary, the RNN's last states
        y[1..H] = r x[S] + O f + b                   r = 1 if `relative`, else 0

    The direct multi-step forecast: no step reads the one before, so errors do not add up, and the
    steps do not know of each other. Compare `forecaster`.
    """

    numeric: ClassVar[bool] = True

    def __init__(  # noqa: PLR0913 - seven of them are options
        self,
        source_size: int,
        target_size: int,
        *,
        encoder: Part[Encoder] = Part(Encoder, "rnn"),
        attention: Part[Attention] = Part(Attention, "none"),
        embedding: int = 32,
        hidden: int = 64,
        horizon: int = 12,
        dropout: float = 0.0,
        relative: bool = False,
    ) -> None:
        super().__init__()
        if horizon < 1:
            raise RecipeError(f"dense_forecaster.horizon: {horizon} is below 1; it is in places.")
        self.horizon, self.relative, self.n_columns = horizon, relative, target_size
        self.source_map = nn.Linear(source_size, embedding)
        self.dropout = Dropout(dropout)
        self.encoder = encoder.build(embedding)
        width = self.encoder.memory_dim
        self.attention = attention.build(width, width)
        if self.attention.hard:
            raise ShapeError(
                f"dense_forecaster: attention {attention.kind} chooses places and learns by its"
                " choices, but a forecaster does not hand them out. Use additive."
            )
        drawn = torch.randn(width) / width**0.5
        self.query = nn.Parameter(drawn) if self.attention.context_dim else None
        self.mix = nn.Linear(self.attention.context_dim + width, hidden)
        self.output = nn.Linear(hidden, horizon * target_size)

    @property
    def attention_names(self) -> tuple[str, ...]:
        """The attention's."""
        return self.attention.names

    def forward(self, batch: Batch, *, look: bool = False) -> Decoded:
        """Write the first T values, `[B, T, C]`, whatever the prefix is."""
        n = batch.prefix.shape[1]
        if n > self.horizon:
            raise ShapeError(
                f"dense_forecaster: {n} steps were asked for; expected at most its horizon,"
                f" {self.horizon}. Set model.horizon to that of the data, or ask for fewer."
            )
        path, weights = self._path(batch.source, look=look)
        return Decoded(path[:, :n], None if weights is None else weights.expand(-1, n, -1, -1))

    def log_probs(self, features: Tensor) -> Tensor:
        """Return the values `[..., C]` as they are."""
        return features

    def start(self, source: Padded) -> State:
        """Read the window and write all; none has been handed out yet."""
        path, _ = self._path(source, look=False)
        place = torch.zeros(len(path), dtype=torch.long, device=path.device)
        return {SOURCE: {"path": path}, "place": place}

    def step(self, token: Tensor, state: State) -> Step:
        """Hand out the next value `[B, C]`, whatever the one before was."""
        path, place = tensor(nested(state, SOURCE), "path"), tensor(state, "place")
        if int(place.max()) >= self.horizon:
            raise ShapeError(
                f"dense_forecaster: step {int(place.max()) + 1} was asked for; expected at most its"
                f" horizon, {self.horizon}. Ask for fewer, or train with a longer one."
            )
        here = path[torch.arange(len(path), device=path.device), place]  # [B, C]
        return Step(here, {**state, "place": place + 1})

    def _path(self, source: Padded, *, look: bool) -> tuple[Tensor, Tensor | None]:
        """Return all values `[B, H, C]` and, if asked for, weights `[B, 1, A, S]`."""
        vectors = self.dropout(self.source_map(source.values))  # [B, S, D]
        memory: Memory = self.encoder(Padded(vectors, source.mask))
        query = memory.summary if self.query is None else self.query.expand(len(vectors), -1)
        both, weights = pooled(self.attention, query, memory, self.dropout, look=look)
        features = self.dropout(torch.tanh(self.mix(both)))  # [B, D]
        path = self.output(features).view(len(features), self.horizon, self.n_columns)
        if self.relative:
            path = path + last(source.values, source.mask)[:, None, : self.n_columns]
        return path, weights
