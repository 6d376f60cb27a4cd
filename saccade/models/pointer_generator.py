"""The pointer-generator: an encoder-decoder that may copy from its source."""

from collections.abc import Mapping
from typing import ClassVar, Literal

from torch import Tensor

from saccade.decoders.base import Decoder
from saccade.encoders.base import Encoder
from saccade.errors import RecipeError, ShapeError
from saccade.flow import SOURCE, Batch, Decoded, Sources, State, Stepped, nested, only, tensor
from saccade.heads.base import Head
from saccade.heads.pointer import PointerHead
from saccade.models.base import Writer
from saccade.models.encoder_decoder import EncoderDecoder
from saccade.nouns import Side
from saccade.parts import Part


class PointerGenerator(Writer):
    """Writes a symbol of its own, or one of the source by the weight attention gives its places.

        p(w) = g[t] P(w) + (1 - g[t]) sum_{s : x[s] = w} a[t, s]
        g[t] = sigmoid(u . f[t] + b)           P = softmax(O f[t])

    See, Liu & Manning 2017 (arXiv:1704.04368), eqs. 8 and 9, on top of any decoder with attention;
    the head `pointer` does the mixing. a is the mean of the decoder's maps, or the one numbered
    `map`, from 1. Source and target share one vocabulary.

    Where we differ: g sees f[t], which is made of state, context and input, not each by its own
    vector; weights that need not sum to one are divided by their sum.
    """

    one_vocabulary = True
    source_raws: ClassVar[tuple[str, ...]] = ("text",)
    discrete: ClassVar[bool | None] = True
    head: PointerHead

    def __init__(
        self,
        sources: Mapping[str, Side],
        target: Side,
        *,
        encoder: Part[Encoder] = Part(Encoder, "rnn"),
        decoder: Part[Decoder] = Part(Decoder, "rnn"),
        embedding: int = 256,
        dropout: float = 0.1,
        tie: Literal["none", "output", "all"] = "output",
        map: int = 0,
    ) -> None:
        super().__init__()
        _check_sizes(next(iter(sources.values())).size, target.size)
        self.inner = EncoderDecoder(
            sources,
            target,
            encoder=encoder,
            decoder=decoder,
            head=Part(Head, "pointer"),
            embedding=embedding,
            dropout=dropout,
            tie=tie,
        )
        assert isinstance(self.inner.head, PointerHead)
        self.head = self.inner.head
        self.map = map
        _check_map(map, self.attention_names)

    @property
    def attention_names(self) -> tuple[str, ...]:
        """The decoder's."""
        return self.inner.attention_names

    def forward(self, batch: Batch, *, look: bool = False) -> Decoded:
        """Read the source and the given prefix: features `[B, T, D + 1 + V]`."""
        features, weights = self.inner(batch, look=True)
        assert weights is not None
        symbols = batch.source.flat().values
        features = self.head.extend(features, self._chosen(weights), symbols)
        return Decoded(features, weights if look else None)

    def start(self, sources: Sources) -> State:
        """Read the source and keep its symbols."""
        state, symbols = self.inner.start(sources), only(sources).flat().values
        return {**state, SOURCE: {"read": nested(state, SOURCE), "symbols": symbols}}

    def advance(self, token: Tensor, state: State, *, look: bool = False) -> Stepped:
        """Read one symbol `[B]`."""
        source = nested(state, SOURCE)
        within: State = {**state, SOURCE: nested(source, "read")}
        features, weights, after = self.inner.advance(token, within, look=True)
        assert weights is not None
        chosen, symbols = self._chosen(weights[:, None]), tensor(source, "symbols")
        whole = self.head.extend(features[:, None], chosen, symbols)[:, 0]
        return Stepped(whole, weights if look else None, {**after, SOURCE: source})

    def _chosen(self, weights: Tensor) -> Tensor:
        """Return the map to copy by, `[B, T, A, S]` to `[B, T, S]`."""
        return weights[:, :, self.map - 1] if self.map else weights.mean(dim=2)


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
