"""A whole line as one piece."""

from collections import Counter
from collections.abc import Iterable, Sequence

from tokenizers import models

from saccade.tokenizers._build import count_pieces, finished, most_common, whole_lines
from saccade.tokenizers._vocabulary import Vocabulary
from saccade.tokenizers.base import Tokenizer


class Line(Tokenizer):
    """The line as it is, for labels: every line that occurs `min_count` times is a symbol."""

    def __init__(self, *, min_count: int = 1) -> None:
        self.min_count = min_count

    def fit(self, lines: Iterable[str], normalise: Sequence[str]) -> Vocabulary:
        """Count lines."""
        tokenizer = whole_lines(models.WordLevel(), normalise)
        counts: Counter[str] = count_pieces(tokenizer, lines)
        tokenizer.model = most_common(counts, None, self.min_count)
        return finished(tokenizer)
