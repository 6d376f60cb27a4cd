"""Pieces by merging the commonest neighbours."""

from collections.abc import Iterable, Sequence

from tokenizers import models, trainers

from saccade.tokenizers._build import finished, marked
from saccade.tokenizers.base import Tokenizer
from saccade.vocab import SYMBOLS, UNK, Vocabulary


class Bpe(Tokenizer):
    """Byte-pair encoding over characters: join the commonest pair of neighbours, again and again.

        (x, y) = argmax count(x y);   every x y becomes xy;   until there are `size` pieces

    Sennrich, Haddow & Birch 2016 (arXiv:1508.07909), algorithm 1. Pieces do not cross words, nor,
    with `punctuation`, punctuation marks. A pair seen less than `min_count` times is not joined.
    Every character of the training text is kept, so there may be more than `size` pieces.
    """

    def __init__(self, *, size: int = 8000, min_count: int = 2, punctuation: bool = True) -> None:
        self.size, self.min_count, self.punctuation = size, min_count, punctuation

    def fit(self, lines: Iterable[str], normalise: Sequence[str]) -> Vocabulary:
        """Learn the joins."""
        model = models.BPE(unk_token=SYMBOLS[UNK])
        tokenizer = marked(model, normalise, punctuation=self.punctuation)
        trainer = trainers.BpeTrainer(
            vocab_size=self.size,
            min_frequency=self.min_count,
            special_tokens=list(SYMBOLS),
            show_progress=False,
        )
        tokenizer.train_from_iterator(lines, trainer)
        return finished(tokenizer)
