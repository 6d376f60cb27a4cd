"""F1 of chunks: phrases or names that tags mark."""

from collections.abc import Sequence

import numpy as np

from saccade.metrics._text import tidy
from saccade.metrics.base import Metric, Score, Stats


class ChunkF1(Metric):
    """Count chunks that are right from their first word to their last, and of the right type.

        precision = right / found,   recall = right / wanted,   F1 = 2 P R / (P + R)

    Tags are B-type, I-type, E-type, S-type and O; a chunk begins and ends as in the script
    conlleval of the CoNLL-2000 task (Tjong Kim Sang & Buchholz 2000, W00-0726): I after O begins
    one, and so does a change of type. Unlike there, nothing found where nothing is wanted is 100.
    detail: `right`, `found`, `wanted`, `precision`, `recall`.
    """

    name = "chunk F1"
    higher_is_better = True

    def stats(self, hypothesis: str, references: Sequence[str]) -> Stats:
        """Return chunks that are right, found and wanted, of the best reference: `[3]`."""
        found = set(chunks(tidy(hypothesis, lowercase=False).split()))
        rows = []
        for reference in references:
            wanted = set(chunks(tidy(reference, lowercase=False).split()))
            rows.append((len(found & wanted), len(found), len(wanted)))
        best = max(rows, key=lambda row: (_f1(*row), row[2]))
        return np.array(best, dtype=np.float64)

    def score(self, summed: Stats) -> Score:
        """Return F1 in percent."""
        right, found, wanted = summed.tolist()
        detail = {"right": right, "found": found, "wanted": wanted}
        detail["precision"] = 100 * right / found if found else 0.0
        detail["recall"] = 100 * right / wanted if wanted else 0.0
        return Score(self.name, 100 * _f1(right, found, wanted), "conlleval", detail)


def chunks(tags: Sequence[str]) -> list[tuple[int, int, str]]:
    """Find the chunks: (first word, word behind the last, type).

    >>> chunks("B-NP I-NP B-NP O I-VP".split())
    [(0, 2, 'NP'), (2, 3, 'NP'), (4, 5, 'VP')]
    """
    found: list[tuple[int, int, str]] = []
    start, before, type_before = -1, "O", ""
    for i, tag in enumerate([*tags, "O"]):
        mark, _, kind = tag.partition("-")
        inside, other = mark in ("B", "I", "E", "S"), kind != type_before
        if start >= 0 and (not inside or mark in ("B", "S") or before in ("E", "S") or other):
            found.append((start, i, type_before))
            start = -1
        if inside and start < 0:
            start = i
        before, type_before = mark, kind
    return found


def _f1(right: float, found: float, wanted: float) -> float:
    """Return 2 P R / (P + R), which is 2 right / (found + wanted)."""
    return 2 * right / (found + wanted) if found + wanted else 1.0
