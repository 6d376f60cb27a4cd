"""Share of words in common with the references, in order or as n-grams."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Literal

import numpy as np
from rapidfuzz.distance import LCSseq

from saccade.metrics._captions import words
from saccade.metrics.base import Metric, Score, Stats

_BETA = 1.2
_NAMES = {"rouge_1": "ROUGE-1", "rouge_2": "ROUGE-2", "rouge_l": "ROUGE-L"}


class Rouge(Metric):
    """Weigh precision and recall of what output and reference have in common.

        P = common / words written,    R = common / words wanted
        ROUGE = mean over segments of (1 + b*b) * P * R / (R + b*b * P)

    Common is the longest subsequence of words (`rouge_l`), or the words (`rouge_1`) or pairs of
    words (`rouge_2`) of both, each as often as in the one that has it less. Lin 2004 (W04-1013).

    measure: `captions` takes the best precision and the best recall of all references, each by
    itself, with b = 1.2, as pycocoevalcap does. `f1` takes the reference with the best F1, b = 1,
    as work on summaries does (the package rouge_score, without stemming).

    tokenize: `captions` as in `bleu`; `alphanumeric` lower-cased runs of a-z and 0-9, as
    rouge_score has them; `none` what white space parts.

    detail: `precision`, `recall`.
    """

    higher_is_better = True

    def __init__(
        self,
        *,
        variant: Literal["rouge_1", "rouge_2", "rouge_l"] = "rouge_l",
        measure: Literal["captions", "f1"] = "captions",
        tokenize: Literal["captions", "alphanumeric", "none"] = "captions",
    ) -> None:
        self.name = _NAMES[variant]
        self._variant, self._measure, self._tokenize = variant, measure, tokenize

    def stats(self, hypothesis: str, references: Sequence[str]) -> Stats:
        """Return the score, precision and recall of the segment, and 1: `[4]`."""
        own = self._words(hypothesis)
        rows = [self._compared(own, self._words(line)) for line in references]
        if self._measure == "captions":
            precision, recall = (max(column) for column in zip(*rows, strict=True))
        else:
            precision, recall = max(rows, key=lambda row: (_mean(row[0], row[1], 1.0), row))
        value = _mean(precision, recall, _BETA if self._measure == "captions" else 1.0)
        return np.array([value, precision, recall, 1], dtype=np.float64)

    def score(self, summed: Stats) -> Score:
        """Return the mean of the segments in percent."""
        value, precision, recall = (100 * summed[:3] / summed[3]).tolist()
        beta = f"beta:{_BETA}|refs:each" if self._measure == "captions" else "beta:1|refs:best"
        case = "mixed" if self._tokenize == "none" else "lc"
        signature = f"case:{case}|tok:{self._tokenize}|{beta}|mean:segments"
        detail = {"precision": precision, "recall": recall}
        return Score(self.name, value, signature, detail, self.higher_is_better)

    def _words(self, text: str) -> list[str]:
        if self._tokenize == "alphanumeric":
            return re.findall("[a-z0-9]+", text.lower())
        return words(text, self._tokenize)

    def _compared(self, own: list[str], wanted: list[str]) -> tuple[float, float]:
        """Return precision and recall; both are 1 where nothing was wanted and nothing written."""
        if not own and not wanted:
            return 1.0, 1.0
        if self._variant == "rouge_l":
            common, written, expected = LCSseq.similarity(own, wanted), len(own), len(wanted)
        else:
            n = 1 if self._variant == "rouge_1" else 2
            if own == wanted and len(own) < n:
                return 1.0, 1.0
            ours, theirs = _ngrams(own, n), _ngrams(wanted, n)
            common, written, expected = (ours & theirs).total(), ours.total(), theirs.total()
        return common / max(written, 1), common / max(expected, 1)


def _ngrams(row: list[str], n: int) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(row[i:] for i in range(n)), strict=False))


def _mean(precision: float, recall: float, beta: float) -> float:
    """Return the weighted harmonic mean; 0 if one of the two is 0."""
    if not precision or not recall:
        return 0.0
    return (1 + beta**2) * precision * recall / (recall + beta**2 * precision)
