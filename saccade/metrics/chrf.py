"""F-score of character n-grams."""

from collections.abc import Sequence
from typing import Literal

from saccade.metrics import _sacrebleu
from saccade.metrics.base import Metric, Score, Stats


class Chrf(Metric):
    """Weigh precision and recall of character n-grams up to six, recall twice as much.

        chrF = (1 + b*b) * P * R / (b*b * P + R),    b = 2,  P and R averaged over the orders

    Popovic 2015 (W15-3049). `word_order` 2 adds words and pairs of words: chrF++, Popovic 2017
    (W17-4770). White space is not counted. Of several references the best for the segment is taken.
    """

    higher_is_better = True

    def __init__(self, *, word_order: Literal[0, 1, 2] = 0) -> None:
        self._scorer = _sacrebleu.scorer("CHRF", word_order=word_order)
        self.name = "chrF2" + "+" * word_order  # sacrebleu names b here, not in the signature

    def stats(self, hypothesis: str, references: Sequence[str]) -> Stats:
        """Return the n-grams written, expected and matched of every order: `[3 * orders + 3]`."""
        return _sacrebleu.segment(self._scorer, hypothesis, references)

    def score(self, summed: Stats) -> Score:
        """Return the F-score in percent."""
        value = _sacrebleu.figure(self._scorer, summed).score
        signature = _sacrebleu.signature(self._scorer, summed)
        return Score(self.name, value, signature, {}, self.higher_is_better)
