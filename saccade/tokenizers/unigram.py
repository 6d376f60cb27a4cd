"""Pieces chosen by a unigram language model."""

from collections.abc import Iterable, Sequence

from tokenizers import models, trainers

from saccade.tokenizers._build import count_pieces, finished, marked, replaced
from saccade.tokenizers._expectation import log_probabilities
from saccade.tokenizers._vocabulary import SYMBOLS, UNK, Vocabulary
from saccade.tokenizers.base import Tokenizer


class Unigram(Tokenizer):
    """The pieces under which the text is likeliest, and for each word its likeliest cut.

        P(x) = max over cuts x = x_1 .. x_n of  prod_i p(x_i)

    Kudo 2018 (arXiv:1804.10959), section 3.2: start from many substrings, fit p by EM, drop the
    pieces whose loss costs least, until `size` are left. Single characters always stay. The
    library chooses the pieces; p is fitted again here, to be the same in every run.
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
        held = list(lines)  # read twice
        tokenizer.train_from_iterator(held, trainer)
        pieces = sorted(set(tokenizer.get_vocab()) - set(SYMBOLS))
        if pieces:
            scores = log_probabilities(pieces, count_pieces(tokenizer, held))
            replaced(tokenizer, list(zip(pieces, scores, strict=True)))
        return finished(tokenizer)
