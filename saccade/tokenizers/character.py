"""Characters as pieces."""

from collections import Counter
from collections.abc import Iterable, Sequence

from tokenizers import models

from saccade.tokenizers._build import characters, finished, most_common
from saccade.tokenizers._vocabulary import Vocabulary
from saccade.tokenizers.base import Tokenizer


class Character(Tokenizer):
    """Every character, spaces too, that occurs `min_count` times; others are unknown."""

    def __init__(self, *, min_count: int = 1) -> None:
        self.min_count = min_count

    def fit(self, lines: Iterable[str], normalise: Sequence[str]) -> Vocabulary:
        """Count characters."""
        tokenizer = characters(models.WordLevel(), normalise)
        counts: Counter[str] = Counter()
        for line in lines:
            counts.update(tokenizer.normalizer.normalize_str(line))
        tokenizer.model = most_common(counts, None, self.min_count)
        return finished(tokenizer)
