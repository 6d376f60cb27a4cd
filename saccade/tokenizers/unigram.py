"""Pieces chosen by a unigram language model."""

from collections.abc import Iterable, Sequence

from tokenizers import models, trainers

from saccade.tokenizers._build import finished, marked, tidy_scores
from saccade.tokenizers.base import Tokenizer
from saccade.vocab import SYMBOLS, UNK, Vocabulary


class Unigram(Tokenizer):
    """The pieces under which the text is likeliest, and for each word its likeliest cut.

        P(x) = max over cuts x = x_1 .. x_n of  prod_i p(x_i)

    Kudo 2018 (arXiv:1804.10959), section 3.2: start from many substrings, fit p by EM, drop the
    pieces whose loss costs least, until `size` are left. Single characters always stay.
    """

    def __init__(self, *, size: int = 8000) -> None:
        self.size = size

    def fit(self, lines: Iterable[str], normalise: Sequence[str]) -> Vocabulary:
        """Learn pieces and their log-probabilities."""
        tokenizer = marked(models.Unigram(), normalise, punctuation=False)
        trainer = trainers.UnigramTrainer(
            vocab_size=self.size,
            special_tokens=list(SYMBOLS),
            unk_token=SYMBOLS[UNK],
            show_progress=False,
        )
        tokenizer.train_from_iterator(lines, trainer)
        return finished(tidy_scores(tokenizer))
