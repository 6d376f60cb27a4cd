"""The pointer-generator: an encoder-decoder that may copy from its source."""

from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn.functional import logsigmoid

from saccade.decoders.base import Decoder
from saccade.encoders.base import Encoder
from saccade.errors import RecipeError, ShapeError
from saccade.flow import SOURCE, Batch, Decoded, Padded, State, Step, nested, tensor
from saccade.models.base import Model
from saccade.models.encoder_decoder import EncoderDecoder
from saccade.parts import Part


class PointerGenerator(Model):
    """Writes a symbol of its own, or one of the source by the weight attention gives its places.

        p(w) = g[t] P(w) + (1 - g[t]) sum_{s : x[s] = w} a[t, s]
        g[t] = sigmoid(u . f[t] + b)           P = softmax(O f[t])

    See, Liu & Manning 2017 (arXiv:1704.04368), eqs. 8 and 9, on top of any decoder with attention.
    a is the mean of the decoder's maps, or the one numbered `map`, from 1. The features are
    `[f; u . f + b; sum_s a[t, s] by symbol]`, of width D + 1 + V, so that whoever trains or
    searches need not know of copying. Source and target share one vocabulary.

    Where we differ: g sees f[t], which is made of state, context and input, not each by its own
    vector; weights that need not sum to one are divided by their sum; if no place has any weight,
    nothing is copied and p = P.
    """

    one_vocabulary = True

    def __init__(
        self,
        source_size: int,
        target_size: int,
        *,
        encoder: Part[Encoder] = Part(Encoder, "rnn"),
        decoder: Part[Decoder] = Part(Decoder, "rnn"),
        embedding: int = 256,
        dropout: float = 0.1,
        tie: Literal["none", "output", "all"] = "output",
        map: int = 0,
    ) -> None:
        super().__init__()
        _check_sizes(source_size, target_size)
        self.inner = EncoderDecoder(
            source_size,
            target_size,
            encoder=encoder,
            decoder=decoder,
            embedding=embedding,
            dropout=dropout,
            tie=tie,
        )
        self.size, self.map = target_size, map
        _check_map(map, self.attention_names)
        self.width = self.inner.decoder.feature_dim
        self.switch = nn.Linear(self.width, 1)

    @property
    def attention_names(self) -> tuple[str, ...]:
        """The decoder's."""
        return self.inner.attention_names

    def forward(self, batch: Batch, *, look: bool = False) -> Decoded:
        """Read the source and the given prefix."""
        features, weights = self.inner(batch, look=True)
        assert weights is not None
        features = self._extended(features, weights, batch.source.values)  # [B, T, D + 1 + V]
        return Decoded(features, weights if look else None)

    def log_probs(self, features: Tensor) -> Tensor:
        """Mix what is written and what is copied: `[..., D + 1 + V]` to `[..., V]`."""
        own, gate = features[..., : self.width], features[..., self.width : self.width + 1]
        copied = features[..., self.width + 1 :]  # [..., V]
        least = torch.finfo(features.dtype).tiny
        nothing = ~copied.any(dim=-1, keepdim=True)  # [..., 1]
        write = logsigmoid(gate).masked_fill(nothing, 0.0)
        copy = logsigmoid(-gate) + copied.clamp(min=least).log()  # [..., V]
        return torch.logaddexp(write + self.inner.log_probs(own), copy)

    def generating(self, features: Tensor) -> Tensor:
        """Return g, the share of what is written and not copied: `[...]`."""
        return torch.sigmoid(features[..., self.width])

    def start(self, source: Padded) -> State:
        """Read the source and keep its symbols."""
        state = self.inner.start(source)
        return {**state, SOURCE: {"read": nested(state, SOURCE), "symbols": source.values}}

    def step(self, token: Tensor, state: State) -> Step:
        """Read one symbol `[B]`."""
        source = nested(state, SOURCE)
        within: State = {**state, SOURCE: nested(source, "read")}
        features, weights, after = self.inner.look_step(token, within)
        assert weights is not None
        whole = self._extended(features[:, None], weights[:, None], tensor(source, "symbols"))
        return Step(self.log_probs(whole[:, 0]), {**after, SOURCE: source})

    def _extended(self, features: Tensor, weights: Tensor, symbols: Tensor) -> Tensor:
        """Put the switch and the weight of every symbol behind the features.

        Args:
            features: `[B, T, D]`.
            weights: `[B, T, A, S]`, zero on padding.
            symbols: `[B, S]`.
        """
        a = weights[:, :, self.map - 1] if self.map else weights.mean(dim=2)  # [B, T, S]
        a = a / a.sum(dim=2, keepdim=True).clamp(min=torch.finfo(a.dtype).tiny)
        where = symbols[:, None].expand_as(a)  # [B, T, S]
        copied = a.new_zeros(*a.shape[:2], self.size).scatter_add(2, where, a)  # [B, T, V]
        return torch.cat([features, self.switch(features), copied], dim=2)


def _check_sizes(source_size: int, target_size: int) -> None:
    if source_size != target_size:
        raise ShapeError(
            f"model pointer_generator: copying needs one vocabulary, but the source has"
            f" {source_size} symbols and the target {target_size}. Set data.joint: true."
        )


def _check_map(map_number: int, names: tuple[str, ...]) -> None:
    if not names:
        raise RecipeError(
            "model pointer_generator: the decoder has no attention, so there is nothing to copy by;"
            " expected one that looks at the source. Give the decoder an attention."
        )
    if not 0 <= map_number <= len(names):
        raise RecipeError(
            f"pointer_generator.map: there is no map {map_number}; the decoder has {len(names)}:"
            f" {', '.join(name or 'nameless' for name in names)}. 0 takes their mean."
        )
