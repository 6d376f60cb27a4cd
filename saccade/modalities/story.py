"""A story: a row of sentences, each a place to look at."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import ClassVar, final

import numpy as np

from saccade.errors import DataError, RecipeError
from saccade.modalities._notation import TextNotation, Values
from saccade.modalities.base import Array, Codec, Laid, Modality
from saccade.modalities.text import Normalisation, TextCodec
from saccade.nouns import Raw, Side
from saccade.parts import Part
from saccade.tokenizers._vocabulary import PAD, Vocabulary
from saccade.tokenizers.base import Tokenizer, learn

EMBEDDER = "sentences"
_WORDS = 1000  # of one sentence
_DEEPEST = 10_000  # sentences that may be asked for


def sentences_of(text: str, separator: str) -> list[str]:
    """Part a story; what holds nothing but spaces is no sentence.

    >>> sentences_of("Ida went home. Ben slept.", ".")
    ['Ida went home', 'Ben slept']
    """
    parts = text.split(separator) if separator else [text]
    return [part.strip() for part in parts if part.strip()]


def story_of(sentences: Sequence[str], separator: str) -> str:
    """Write sentences as the text of a story; the inverse of `sentences_of`.

    >>> story_of(["Ida went home", "Ben slept"], ".")
    'Ida went home. Ben slept.'
    """
    if not separator.strip():
        return separator.join(sentences)
    return " ".join(f"{sentence}{separator}" for sentence in sentences)


@final
class StoryCodec(TextNotation, Codec):
    """A vocabulary at work on stories: sentences to rows of ids, `[N, L]`, padded behind.

    Args:
        vocabulary: the words.
        separator: what parts sentences.
        most: how many sentences are kept, from the last one back.
        n_cut: how many stories of the training data have more; told when they are described.
    """

    unit = "sentences"
    view: ClassVar[str] = "story"

    def __init__(
        self, vocabulary: Vocabulary, separator: str, most: int, n_cut: int | None = None
    ) -> None:
        super().__init__(vocabulary)
        self.separator, self.most, self.n_cut = separator, most, n_cut
        self.dtype = "uint16" if len(vocabulary) < 65536 else "uint32"

    @property
    def side(self) -> Side:
        """The number of symbols."""
        return Side(len(self.vocabulary), EMBEDDER)

    @property
    def fingerprint(self) -> str:
        """That of the vocabulary, and how stories are cut."""
        return f"{self.vocabulary.fingerprint} {self.separator!r} {self.most}"

    def describe(self) -> str:
        """Say how many symbols there are, and how many stories lose their beginning."""
        told = f"{len(self.vocabulary):,} symbols"
        if not self.n_cut:
            return told
        return f"{told}, of {self.n_cut:,} longer stories only the last {self.most} sentences"

    def kept(self, raw: Raw) -> list[str]:
        """Return the sentences of a story that the model reads: the last ones."""
        return sentences_of(str(raw), self.separator)[-self.most :]

    def skipped(self, raw: Raw) -> int:
        """Return how many sentences at the beginning are not read."""
        return max(len(sentences_of(str(raw), self.separator)) - self.most, 0)

    def encode(self, raws: Sequence[Raw], origins: Sequence[str] = ()) -> list[Array]:
        """Return the ids of every story, `[N, L]`, PAD behind each sentence."""
        kept = [self.kept(raw) for raw in raws]
        for i, sentences in enumerate(kept):
            if not sentences:
                raise DataError(
                    f"{origins[i] if origins else 'story'}: has no sentences; expected one or more,"
                    f" parted by {self.separator!r}. Write what is to be remembered."
                )
        encoded = iter(self.vocabulary.encode_many([one for row in kept for one in row]))
        return [self._array([next(encoded) for _ in row]) for row in kept]

    def _array(self, rows: list[list[int]]) -> Array:
        longest = max(1, *map(len, rows))
        if longest > _WORDS:
            raise DataError(
                f"story: a sentence has {longest:,} words; expected at most {_WORDS:,}. Part"
                f" sentences by {self.separator!r}."
            )
        found = np.full((len(rows), longest), PAD, dtype=self.dtype)
        for row, ids in zip(found, rows, strict=True):
            row[: len(ids)] = ids
        return found

    def pad(self, arrays: Sequence[Array]) -> Laid:
        """Lay stories out as `[B, N, L]`; the mask `[B, N]` is over sentences."""
        shape = (len(arrays), *np.max([array.shape for array in arrays], axis=0))
        values, mask = np.full(shape, PAD, dtype=np.int64), np.zeros(shape[:2], dtype=np.bool_)
        for row, marks, array in zip(values, mask, arrays, strict=True):
            row[: array.shape[0], : array.shape[1]] = array
            marks[: len(array)] = True
        return Laid(values, mask)

    def decode(self, values: Values) -> str:
        """Write the story again, of the words that are known."""
        rows = [self.vocabulary.decode([int(i) for i in row]) for row in values]
        return story_of(rows, self.separator)

    def labels(self, raw: Raw, values: Values) -> tuple[str, ...]:
        """Return the sentences that are read, as they stand in the story."""
        return tuple(self.kept(raw))

    def words(self, values: Values) -> list[int]:
        """Number the sentences: each stands alone."""
        return list(range(len(values)))

    def units(self, values: Values) -> list[int]:
        """Number the sentences."""
        return list(range(len(values)))

    def order(self, values: Values) -> list[int]:
        """Return the sentences as they were told."""
        return list(range(len(values)))

    def save(self, path: Path) -> None:
        """Write the JSON file of the `tokenizers` library."""
        self.vocabulary.save(path)


class Story(Modality):
    """Sentences parted by `separator`; a model looks at whole sentences, not at words.

    Of a story with more than `sentences` the last ones are read. How many training stories that
    concerns is told when training begins. Words that training did not see are left out.
    """

    discrete: ClassVar[bool] = True
    raw: ClassVar[str] = "story"
    writable: ClassVar[bool] = False

    def __init__(
        self,
        *,
        tokenizer: Part[Tokenizer] = Part(Tokenizer, "word", {"punctuation": False}),
        normalise: list[Normalisation] = ["nfc", "lowercase", "no_punctuation", "squeeze", "strip"],  # noqa: B006 - only read
        separator: str = ".",
        sentences: int = 50,
    ) -> None:
        if not 1 <= sentences <= _DEEPEST:
            raise RecipeError(
                f"story.sentences: {sentences} cannot be kept; expected 1 to {_DEEPEST:,}."
            )
        if not separator:
            raise RecipeError("story.separator: is empty; expected what parts sentences, as '.'.")
        self.tokenizer, self.normalise = tokenizer, normalise
        self.separator, self.max_length = separator, sentences

    def sketch(self) -> Side:
        """Return a side of eight symbols."""
        return Side(8, EMBEDDER)

    def fit(self, streams: Sequence[Iterable[Raw]], beside: Codec | None = None) -> Codec:
        """Learn the words of all sentences, and count the stories that are too long."""
        counted = [0]
        parted = (self._sentences(stream, counted) for stream in streams)
        vocabulary = learn(self.tokenizer.build(), parted, self.normalise)
        return self._codec(vocabulary, counted[0])

    def load(self, path: Path, beside: Codec | None = None) -> Codec:
        """Read a vocabulary."""
        return self._codec(Vocabulary.load(path))

    def adopt(self, codec: Codec, beside: Codec | None = None) -> Codec:
        """Read stories with the words of another codec; a target beside them is plain text."""
        if codec.vocabulary is None:
            return codec
        if beside is not None:
            return TextCodec(codec.vocabulary, beside.vocabulary)
        n_cut = codec.n_cut if isinstance(codec, StoryCodec) else None
        return self._codec(codec.vocabulary, n_cut)

    def _codec(self, vocabulary: Vocabulary, n_cut: int | None = None) -> StoryCodec:
        return StoryCodec(vocabulary, self.separator, self.max_length, n_cut)

    def _sentences(self, stories: Iterable[Raw], counted: list[int]) -> Iterator[str]:
        for story in stories:
            sentences = sentences_of(str(story), self.separator)
            counted[0] += len(sentences) > self.max_length
            yield from sentences
