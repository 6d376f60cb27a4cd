"""The tagger: one symbol for every place of the source."""

from collections.abc import Mapping
from typing import ClassVar

import torch
from torch import Tensor, nn

from saccade.embedders.base import Embedder
from saccade.encoders.base import Encoder
from saccade.errors import ShapeError
from saccade.flow import (
    SOURCE,
    Batch,
    Decoded,
    Memory,
    Padded,
    Sources,
    State,
    Stepped,
    nested,
    only,
    tensor,
)
from saccade.heads.closed import ClosedHead, flagged
from saccade.layers.dropout import Dropout
from saccade.models.base import Writer
from saccade.models.encoder_decoder import embedder_of, target_embedder
from saccade.nouns import Side
from saccade.parts import Part


class Tagger(Writer):
    """Reads the whole source and writes one tag for each of its words, and END with its END.

        h[1..S] = encoder(x)
        f[t] = tanh(W [h[t]; e(y[t-1])])         the tag before only if `previous` > 0, its width
        p(y | x) = prod_t softmax(O f[t])[y[t]]

    Bidirectional RNN: Huang, Xu & Yu 2015 (arXiv:1508.01991), without their CRF; `previous` makes
    it a maximum-entropy Markov model, over which beam search searches. With `factors` n, every n
    pieces of the source are one word, as in `word￨POS`: their vectors are joined (Sennrich & Haddow
    2016, arXiv:1606.02892). Output and source have the same number of words, so END is known.

    Of a clip it writes a tag for each frame.
    """

    source_raws: ClassVar[tuple[str, ...]] = ("text", "video")
    discrete: ClassVar[bool | None] = True
    head: ClosedHead

    def __init__(  # noqa: PLR0913 - all but two are options
        self,
        sources: Mapping[str, Side],
        target: Side,
        *,
        embedder: Part[Embedder] | None = None,
        encoder: Part[Encoder] = Part(Encoder, "rnn"),
        embedding: int = 128,
        hidden: int = 128,
        factors: int = 1,
        previous: int = 0,
        dropout: float = 0.3,
        word_dropout: float = 0.0,
    ) -> None:
        super().__init__()
        (side,) = sources.values()
        self.pieces_each = factors
        self.n_ends = int(side.embedder == "symbols")  # places behind the last word: text has END
        self.source_embedding = embedder_of(side, embedding, embedder)
        self.tag_embedding = target_embedder(target, previous) if previous else None
        self.word_dropout = nn.Dropout1d(word_dropout)
        self.dropout = Dropout(dropout)
        self.encoder = encoder.build(embedding * factors)
        self.mix = nn.Linear(self.encoder.memory_dim + previous, hidden)
        self.head = ClosedHead(hidden, target.size, None)

    @property
    def attention_names(self) -> tuple[str, ...]:
        """None: a tag looks at its own word."""
        return ()

    def grid(self, shapes: dict[str, tuple[int, ...]]) -> tuple[int, ...]:
        """Return the shape of the places of the source."""
        return self.source_embedding.grid(next(iter(shapes.values())))

    def forward(self, batch: Batch, *, look: bool = False) -> Decoded:
        """Write features of every place, `[B, T, D + 1]`."""
        source = batch.source.flat()
        states, n_words = self._read(source)
        place = torch.arange(batch.prefix.shape[1], device=states.device)  # [T]
        features = self._features(self._at(states, place.expand(states.shape[0], -1)), batch.prefix)
        weights = None
        if look:
            weights = states.new_zeros(*batch.prefix.shape, 0, source.mask.shape[1])
        return Decoded(flagged(features, place >= n_words[:, None]), weights)

    def start(self, sources: Sources) -> State:
        """Read the source; the first tag is that of place 0."""
        states, n_words = self._read(only(sources).flat())
        return {
            SOURCE: {"states": states, "n_words": n_words},
            "place": torch.zeros_like(n_words),
        }

    def advance(self, token: Tensor, state: State, *, look: bool = False) -> Stepped:
        """Read the tag before, `[B]`, and go to the next word."""
        source, place = nested(state, SOURCE), tensor(state, "place")  # [B]
        here = self._at(tensor(source, "states"), place[:, None])  # [B, 1, D]
        features = self._features(here, token[:, None])[:, 0]
        ended = place >= tensor(source, "n_words")
        weights = features.new_zeros(len(features), 0, 1) if look else None
        return Stepped(flagged(features, ended), weights, {**state, "place": place + 1})

    def _read(self, source: Padded) -> tuple[Tensor, Tensor]:
        """Return the states of all words, `[B, N, D]`, and how many there are, `[B]`."""
        n, n_pieces = self.pieces_each, source.lengths - self.n_ends  # END is no word
        if n > 1 and bool((n_pieces % n != 0).any()):
            odd = int(n_pieces[n_pieces % n != 0][0])
            raise ShapeError(
                f"tagger: a sentence has {odd} pieces; expected a multiple of factors, {n}: every"
                " word with all its factors, as in word￨POS. Mend the sentence."
            )
        read: Padded = self.source_embedding(source)
        _check_places(read.mask.shape[1], source.mask.shape[1], "embedder")
        vectors = read.values * source.mask[:, :, None]  # [B, S, D]
        short = -vectors.shape[1] % n
        vectors = nn.functional.pad(vectors, (0, 0, 0, short))
        mask = nn.functional.pad(source.mask, (0, short))[:, ::n]  # [B, N], END is the last
        words = vectors.reshape(vectors.shape[0], mask.shape[1], -1)  # [B, N, n D]
        memory: Memory = self.encoder(Padded(self.dropout(self.word_dropout(words)), mask))
        _check_places(memory.states.shape[1], mask.shape[1], "encoder")
        return memory.states, n_pieces // n

    def _at(self, states: Tensor, place: Tensor) -> Tensor:
        """Pick the states at `place [B, T]`; behind the last one, the last one."""
        index = place.clamp(max=states.shape[1] - 1)[:, :, None]
        return states.gather(1, index.expand(-1, -1, states.shape[2]))  # [B, T, D]

    def _features(self, states: Tensor, tags: Tensor) -> Tensor:
        beside = [self.dropout(self.tag_embedding.embed(tags))] if self.tag_embedding else []
        both = torch.cat([self.dropout(states), *beside], dim=-1)
        return self.dropout(torch.tanh(self.mix(both)))  # type: ignore[no-any-return]


def _check_places(found: int, expected: int, maker: str) -> None:
    """Refuse states that are not those of the places, one each."""
    use = {"encoder": "Use rnn or transformer.", "embedder": "Use one that joins vectors."}
    if found != expected:
        raise ShapeError(
            f"tagger: the {maker} makes {found} states of {expected} words; expected one each."
            f" {use[maker]}"
        )
