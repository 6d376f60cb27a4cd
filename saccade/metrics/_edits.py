"""Edits between two sequences, of words or of characters, counted by kind."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
from rapidfuzz.distance import Levenshtein

from saccade.metrics.base import Stats


def edits(hypothesis: Sequence[str], references: Sequence[Sequence[str]]) -> Stats:
    """Return substitutions, insertions, deletions and length of the nearest reference, `[4]`.

    Nearest is fewest edits, and the longest of those: the kindest rate. Levenshtein 1966.
    Their number is certain; where several shortest ways exist, the kinds are those of one of them.
    """
    found = [_against(hypothesis, reference) for reference in references]
    return min(found, key=lambda row: (row[:3].sum(), -row[3]))


def rate(summed: Stats) -> float:
    """Return edits in percent of reference length; 100 if all of a non-empty text is too much."""
    total, length = float(summed[:3].sum()), float(summed[3])
    if length == 0:
        return 100.0 if total else 0.0
    return 100 * total / length


def detail(summed: Stats) -> dict[str, float]:
    """Name the four counts."""
    names = ("substitutions", "insertions", "deletions", "reference_length")
    return dict(zip(names, summed.tolist(), strict=True))


def _against(hypothesis: Sequence[str], reference: Sequence[str]) -> Stats:
    kinds = Counter(edit.tag for edit in Levenshtein.editops(reference, hypothesis))
    counts = [kinds["replace"], kinds["insert"], kinds["delete"], len(reference)]
    return np.array(counts, dtype=np.float64)
