"""Text: a sequence of pieces that a tokenizer has learned."""

import random
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Literal, final

import numpy as np
from numpy.typing import NDArray

from saccade.errors import CheckpointError
from saccade.modalities._copying import encode_pairs, encode_sources
from saccade.modalities._notation import TextNotation
from saccade.modalities._resegment import BpeDropout
from saccade.modalities.base import Array, Codec, Framed, Laid, Modality
from saccade.nouns import Raw, Side
from saccade.parts import Part
from saccade.tokenizers._vocabulary import END, PAD, START, Reading, Vocabulary
from saccade.tokenizers.base import Tokenizer, learn

Normalisation = Literal[
    "nfc",
    "nfd",
    "nfkc",
    "nfkd",
    "lowercase",
    "strip",
    "squeeze",
    "digits",
    "no_punctuation",
    "quotes",
]


@final
class TextCodec(TextNotation, Codec):
    """A vocabulary at work: text to ids and back.

    Args:
        vocabulary: the pieces.
        beside: the source's vocabulary, whose slots a target's copied words stand for.
        dropout: the chance that training leaves out a join of byte-pair encoding.
    """

    unit = "pieces"
    extra = 1  # END

    def __init__(
        self, vocabulary: Vocabulary, beside: Vocabulary | None = None, dropout: float = 0.0
    ) -> None:
        super().__init__(vocabulary)
        self._beside = beside or vocabulary
        self._dropout, self._turns = dropout, bool(vocabulary.reading.separator)
        self.dtype = "uint16" if len(vocabulary) < 65536 else "uint32"

    @property
    def side(self) -> Side:
        """The number of symbols, their classes and what they spell."""
        words = self.vocabulary
        return Side(len(words), broader=words.broader, pieces=words.all_pieces)

    @property
    def fingerprint(self) -> str:
        """The vocabulary's."""
        return self.vocabulary.fingerprint

    def describe(self) -> str:
        """Say how many symbols there are."""
        return f"{len(self.vocabulary):,} symbols"

    def encode(self, raws: Sequence[Raw], origins: Sequence[str] = ()) -> list[Array]:
        """Return the ids of every text, without START and END."""
        return self._arrays(encode_sources(self.vocabulary, raws))

    def encode_targets(
        self, raws: Sequence[Raw], sources: Sequence[Raw], origins: Sequence[str] = ()
    ) -> list[Array]:
        """Encode targets; words that are copied have the slots of their sources."""
        if not self._beside.slots:
            return self.encode(raws, origins)
        return self._arrays(encode_pairs(self._beside, self.vocabulary, sources, raws)[1])

    def _arrays(self, encoded: Iterable[Sequence[int]]) -> list[Array]:
        return [np.array(ids, dtype=self.dtype) for ids in encoded]

    def pad(self, arrays: Sequence[Array]) -> Laid:
        """Put END behind every text and padding behind that, `[B, S]`.

        Of texts that a separator cuts into turns, every turn ends in END and is a row of its own:
        `[B, N, S]`.

        >>> from saccade.tokenizers.word import Word
        >>> codec = TextCodec(Word().fit(["a b"], []))
        >>> codec.pad([np.array([5, 6]), np.array([7])]).values.tolist()
        [[5, 6, 3], [7, 3, 0]]
        """
        joined, lengths = _joined(arrays)
        laid = _laid(np.insert(joined, lengths.cumsum(), END), lengths + 1)
        return _nested(laid) if self._turns else laid

    def first(self, sources: Sequence[Array]) -> Array:
        """Return START for every row, `[B]`."""
        return np.full(len(sources), START, dtype=np.int64)

    def frame(self, targets: Sequence[Array], sources: Sequence[Array]) -> Framed:
        """Put END behind every target, and START before what is read of it.

        >>> from saccade.tokenizers.word import Word
        >>> framed = TextCodec(Word().fit(["a b"], [])).frame([np.array([6, 7])], [])
        >>> framed.values.tolist(), framed.prefix.tolist()
        ([[6, 7, 3]], [[2, 6, 7]])
        """
        joined, lengths = _joined(targets)
        starts, ends = lengths.cumsum() - lengths, lengths.cumsum()  # [B], where a target stands
        values, mask = _laid(np.insert(joined, ends, END), lengths + 1)
        return Framed(values, mask, _laid(np.insert(joined, starts, START), lengths + 1).values)

    @property
    def varies(self) -> bool:
        """Whether joins are left out by chance."""
        return self._dropout > 0

    def vary(self, array: Array, chance: random.Random, said: str = "") -> Array:
        """Cut the words of a text into other pieces."""
        if not self._dropout:
            return array
        return np.array(self._cut(array, chance), dtype=self.dtype)

    @cached_property
    def _cut(self) -> BpeDropout:
        return BpeDropout(self.vocabulary, self._dropout)

    def save(self, path: Path) -> None:
        """Write the JSON file of the `tokenizers` library."""
        self.vocabulary.save(path)

    def reserve(self, n: int, beside: Codec | None = None) -> "TextCodec":
        """Keep `n` symbols for words that are copied."""
        other = beside.vocabulary if beside else None
        return TextCodec(self.vocabulary.reserve(n), other, self._dropout)


class Text(Modality):
    """Pieces of text.

    Examples with more than `max_length` pieces on a side are left out, counted and reported.
    `reverse` reads a source from its last piece to its first (Sutskever et al. 2014, section 3.3).
    `separator` parts the turns of a dialogue in a source; each turn then ends in an END.
    """

    discrete: ClassVar[bool] = True
    raw: ClassVar[str] = "text"

    def __init__(
        self,
        *,
        tokenizer: Part[Tokenizer] = Part(Tokenizer, "bpe"),
        normalise: list[Normalisation] = ["nfc", "strip"],  # noqa: B006 - only read
        max_length: int = 256,
        reverse: bool = False,
        separator: str = "",
    ) -> None:
        self.tokenizer, self.normalise, self.max_length = tokenizer, normalise, max_length
        self.reading = Reading(reverse, separator)
        self.ordered = self.reading == Reading()
        self.varies = tokenizer.build().dropout > 0

    def sketch(self) -> Side:
        """Return a side of eight symbols."""
        return Side(8)

    def fit(self, streams: Sequence[Iterable[Raw]], beside: Codec | None = None) -> Codec:
        """Learn the pieces of all texts."""
        vocabulary = learn(self.tokenizer.build(), map(self._turns, streams), self.normalise)
        return self._codec(vocabulary, beside, self.reading)

    def load(self, path: Path, beside: Codec | None = None) -> Codec:
        """Read a vocabulary; one that is the source's is taken over."""
        other = beside.vocabulary if beside else None
        if not path.exists():
            raise CheckpointError(
                f"{path}: no such vocabulary; expected a tokenizer's JSON file."
                " Is the model folder complete?"
            )
        return self._codec(Vocabulary.load(path, other), beside, self.reading)

    def adopt(self, codec: Codec, beside: Codec | None = None) -> Codec:
        """Read texts with the pieces of another codec, in the order that the options say."""
        if codec.vocabulary is None:
            return codec
        return self._codec(codec.vocabulary, beside, Reading() if beside else self.reading)

    def _codec(self, vocabulary: Vocabulary, beside: Codec | None, reading: Reading) -> TextCodec:
        other, dropout = beside.vocabulary if beside else None, self.tokenizer.build().dropout
        return TextCodec(vocabulary.read_as(reading), other, dropout)

    def _turns(self, texts: Iterable[str]) -> Iterator[str]:
        separator = self.reading.separator
        for text in texts:
            yield from text.split(separator) if separator else [text]


def _joined(sequences: Sequence[Array]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the ids of all sequences one behind the other, and the length of each."""
    lengths = np.array([len(ids) for ids in sequences], dtype=np.int64)
    none = np.zeros(0, dtype=np.int64)
    return np.concatenate([none, *sequences], dtype=np.int64, casting="unsafe"), lengths


def _laid(joined: NDArray[np.int64], lengths: NDArray[np.int64]) -> Laid:
    mask = np.arange(int(lengths.max(initial=0))) < lengths[:, None]  # [B, S]
    values = np.full(mask.shape, PAD, dtype=np.int64)  # [B, S]
    values[mask] = joined
    return Laid(values, mask)


def _nested(laid: Laid) -> Laid:
    """Cut rows behind every END: `[B, S]` to `[B, N, L]`."""
    values, mask = laid
    ends = (values == END) & mask
    turn = np.cumsum(ends, axis=1) - ends  # [B, S], turns that ended before a place
    place = np.arange(values.shape[1]) - np.maximum.accumulate(
        np.where(np.diff(turn, axis=1, prepend=-1) > 0, np.arange(values.shape[1]), 0), axis=1
    )  # [B, S], where in its turn
    n_turns, longest = int(turn[mask].max(initial=0)) + 1, int(place[mask].max(initial=0)) + 1
    nested = np.full((len(values), n_turns, longest), PAD, dtype=np.int64)  # [B, N, L]
    kept = np.zeros(nested.shape, dtype=np.bool_)
    where = (np.nonzero(mask)[0], turn[mask], place[mask])
    nested[where], kept[where] = values[mask], True
    return Laid(nested, kept)
