"""Words, and punctuation marks, as pieces."""

from collections.abc import Iterable, Sequence

from tokenizers import models

from saccade.errors import RecipeError
from saccade.tokenizers._build import count_pieces, finished, marked, most_common
from saccade.tokenizers._suffixes import LONGEST, suffix_classes
from saccade.tokenizers._vocabulary import Vocabulary
from saccade.tokenizers.base import Tokenizer


class Word(Tokenizer):
    """Whole words: the `size` commonest that occur `min_count` times; others are unknown.

    With `punctuation`, marks are pieces of their own and a word ends behind an apostrophe:
    `l'homme dort.` becomes `▁l' homme ▁dort .` With `factors`, words end at spaces and what is
    known about one is a piece of its own: `dort￨V` becomes `▁dort ￨V`.

    With `suffixes`, an unknown word is a class of words: those that end in the same letters, up to
    so many, and begin in the same case; the longest suffix that two words share, of words that
    occur at most `rare` times. Brants 2000 (TnT), section 2.3. Classes come on top of `size`.
    """

    def __init__(
        self,
        *,
        size: int = 30000,
        min_count: int = 1,
        punctuation: bool = True,
        factors: bool = False,
        suffixes: int = 0,
        rare: int = 10,
    ) -> None:
        self.size, self.min_count = size, min_count
        self.punctuation, self.factors = punctuation, factors
        self.suffixes, self.rare = suffixes, rare
        if not 0 <= suffixes <= LONGEST:
            raise RecipeError(
                f"word.suffixes: {suffixes} is not between 0 and {LONGEST}; 0 leaves unknown words"
                f" one symbol, {LONGEST} is usual."
            )

    def fit(self, lines: Iterable[str], normalise: Sequence[str]) -> Vocabulary:
        """Count words."""
        tokenizer = marked(
            models.WordLevel(), normalise, punctuation=self.punctuation, factors=self.factors
        )
        counts = count_pieces(tokenizer, lines)
        classes = suffix_classes(counts, self.suffixes, self.rare) if self.suffixes else []
        tokenizer.model = most_common(counts, self.size, self.min_count, classes)
        return finished(tokenizer)
