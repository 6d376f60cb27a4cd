"""F1 of labels: of each by itself, or of all together."""

import copy
from collections.abc import Sequence
from typing import Literal, Self

import numpy as np

from saccade.errors import DataError
from saccade.metrics._labels import labels_of, pairs_of
from saccade.metrics.base import Metric, References, Score, Stats

_SHOWN = 30  # labels with a figure of their own


class F1(Metric):
    """Weigh precision and recall of labels.

        F1 of a label = 2 right / (written + wanted)
        macro    = mean over the labels of the references
        micro    = the same of the sums over all labels
        weighted = mean over labels, each as often as it is wanted

    Macro counts a rare label as much as a frequent one. With one label a text, micro is the share
    of right texts. Labels are those of the evaluated set's references; what is none of them counts
    as written, and is right nowhere. Labels that a resample of the bootstrap lacks are left out of
    its mean.

    unit: `text` takes the whole text for a label, `words` every word, place by place. Of several
    references the one that agrees most counts.

    detail: `macro`, `micro`, `weighted`, `labels`, and `f1 LABEL` of the first thirty.
    """

    higher_is_better = True

    def __init__(
        self,
        *,
        average: Literal["macro", "micro", "weighted"] = "macro",
        unit: Literal["text", "words"] = "text",
    ) -> None:
        self.name = f"{average} F1"
        self._average, self._unit = average, unit
        self._labels: tuple[str, ...] | None = None

    def fitted(self, references: References) -> Self:
        """Learn the labels of the references."""
        if self._labels is not None:
            return self
        fitted = copy.copy(self)
        fitted._labels = labels_of(references, self._unit, self.name)
        return fitted

    def stats(self, hypothesis: str, references: Sequence[str]) -> Stats:
        """Return right, written, wanted of every label and of all others: `[3 * labels + 3]`."""
        if self._labels is None:
            raise DataError(
                f"{self.name}: one segment was given without a set; it counts by the labels of the"
                " whole set. Call `corpus`, or `fitted(references)` first."
            )
        place = {label: n for n, label in enumerate(self._labels)}
        counts = np.zeros((3, len(place) + 1))
        for wanted, written in pairs_of(hypothesis, references, self._unit):
            counts[0, place.get(wanted, -1)] += wanted == written
            counts[1, place.get(written, -1)] += bool(written)  # "" is nothing
            counts[2, place.get(wanted, -1)] += bool(wanted)
        return counts.ravel()

    def score(self, summed: Stats) -> Score:
        """Return the average in percent."""
        right, written, wanted = summed.reshape(3, -1)  # [labels + 1] each
        both = written + wanted
        each = np.divide(200 * right, both, out=np.zeros_like(both), where=both > 0)
        seen = wanted > 0
        detail = {
            "macro": float(each[seen].mean()) if seen.any() else 0.0,
            "micro": float(200 * right.sum() / max(both.sum(), 1)),
            "weighted": float(each @ wanted / max(wanted.sum(), 1)),
        }
        value = detail[self._average]
        detail["labels"] = float(seen.sum())
        shown = zip((self._labels or ())[:_SHOWN], each.tolist(), strict=False)
        detail |= {f"f1 {label}": figure for label, figure in shown}
        signature = f"case:mixed|norm:nfc|unit:{self._unit}|labels:references"
        return Score(self.name, value, signature, detail, self.higher_is_better)
