"""Words, and punctuation marks, as pieces."""

from collections.abc import Iterable, Sequence

from tokenizers import models

from saccade.tokenizers._build import count_pieces, finished, marked, most_common
from saccade.tokenizers._vocabulary import Vocabulary
from saccade.tokenizers.base import Tokenizer


class Word(Tokenizer):
    """Whole words: the `size` commonest that occur `min_count` times; others are unknown.

    With `punctuation`, marks are pieces of their own and a word ends behind an apostrophe:
    `l'homme dort.` becomes `▁l' homme ▁dort .` With `factors`, words end at spaces and what is
    known about one is a piece of its own: `dort￨V` becomes `▁dort ￨V`.
    """

    def __init__(
        self,
        *,
        size: int = 30000,
        min_count: int = 1,
        punctuation: bool = True,
        factors: bool = False,
    ) -> None:
        self.size, self.min_count = size, min_count
        self.punctuation, self.factors = punctuation, factors

    def fit(self, lines: Iterable[str], normalise: Sequence[str]) -> Vocabulary:
        """Count words."""
        tokenizer = marked(
            models.WordLevel(), normalise, punctuation=self.punctuation, factors=self.factors
        )
        counts = count_pieces(tokenizer, lines)
        tokenizer.model = most_common(counts, self.size, self.min_count)
        return finished(tokenizer)
