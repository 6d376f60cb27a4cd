"""The alignment error rate: links of words against those that people drew, sure and possible."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saccade.errors import DataError

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class GoldLinks:
    """Rows of pair, source place and target place; all sure links are possible too."""

    sure: Array
    possible: Array


@dataclass(frozen=True, slots=True)
class LinkScore:
    """How good links are.

        precision = |A and P| / |A|,   recall = |A and S| / |S|
        AER = 1 - (|A and S| + |A and P|) / (|A| + |S|)

    A are the links, S the sure and P the possible ones. Och & Ney 2003 (J03-1002), section 6.
    """

    links: int
    sure: int
    hits_sure: int
    hits_possible: int

    @property
    def precision(self) -> float:
        """The share of links that are possible; 1 if there are none."""
        return self.hits_possible / self.links if self.links else 1.0

    @property
    def recall(self) -> float:
        """The share of sure links that were found; 1 if there are none."""
        return self.hits_sure / self.sure if self.sure else 1.0

    @property
    def aer(self) -> float:
        """The alignment error rate; 0 is best."""
        whole = self.links + self.sure
        return 1 - (self.hits_sure + self.hits_possible) / whole if whole else 0.0

    def plain(self) -> dict[str, float]:
        """Return what JSON can hold."""
        shares = {"aer": self.aer, "precision": self.precision, "recall": self.recall}
        return {**shares, "links": self.links, "sure": self.sure}

    def line(self) -> str:
        """Say all in a line.

        >>> LinkScore(4, 2, 2, 3).line()
        'AER 0.1667  precision 0.7500  recall 1.0000  (4 links, 2 sure)'
        """
        return (
            f"AER {self.aer:.4f}  precision {self.precision:.4f}  recall {self.recall:.4f} "
            f" ({self.links:,} links, {self.sure:,} sure)"
        )


def link_score(links: Array, gold: GoldLinks) -> LinkScore:
    """Measure links of the pairs of a corpus, rows of pair, source place and target place."""
    found, sure = _keys(links), _keys(gold.sure)
    possible = np.union1d(_keys(gold.possible), sure)
    hits = [len(np.intersect1d(found, one)) for one in (sure, possible)]
    return LinkScore(len(found), len(sure), hits[0], hits[1])


def _keys(links: Array) -> Array:
    """Make one number of every link, each once."""
    rows = np.asarray(links, np.int64).reshape(-1, 3)
    if len(rows) and (rows.min() < 0 or rows[:, 1:].max() >= 2**20 or rows[:, 0].max() >= 2**22):
        raise DataError(
            "links: a pair or place is below 0 or above what can be; expected at most 4 million"
            " pairs of at most a million words."
        )
    return np.unique((rows[:, 0] << 40) + (rows[:, 1] << 20) + rows[:, 2])
