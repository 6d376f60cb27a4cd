"""Pieces by merging the commonest neighbours."""

from collections.abc import Iterable, Sequence

from tokenizers import models, trainers

from saccade.errors import RecipeError
from saccade.tokenizers._build import finished, marked
from saccade.tokenizers._vocabulary import SYMBOLS, UNK, Vocabulary
from saccade.tokenizers.base import Tokenizer


class Bpe(Tokenizer):
    """Byte-pair encoding over characters: join the commonest pair of neighbours, again and again.

        (x, y) = argmax count(x y);   every x y becomes xy;   until there are `size` pieces

    Sennrich, Haddow & Birch 2016 (arXiv:1508.07909), algorithm 1. Pieces do not cross words, nor,
    with `punctuation`, punctuation marks. A pair seen less than `min_count` times is not joined.
    Every character of the training text is kept, so there may be more than `size` pieces.

    With `dropout`, training texts are cut anew in every epoch, each join left out by that chance
    (Provilkov, Emelianenko & Voita 2020, arXiv:1910.13267); see `resegment`. What is learned here
    and all other text are untouched by it.
    """

    def __init__(
        self,
        *,
        size: int = 8000,
        min_count: int = 2,
        punctuation: bool = True,
        dropout: float = 0.0,
    ) -> None:
        self.size, self.min_count, self.punctuation = size, min_count, punctuation
        self.dropout = dropout
        if not 0 <= dropout <= 1:
            raise RecipeError(
                f"bpe.dropout: {dropout} is not in [0, 1]; 0 is off, 0.1 is usual, 1 leaves"
                " characters."
            )

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
