"""Which characters were read as which, along the shortest way from each reference to its output."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
from rapidfuzz.distance import Levenshtein

from saccade.metrics._labels import Confusion
from saccade.metrics._text import tidy
from saccade.metrics.base import References, as_lists

NONE = "(none)"
SPACE = "␣"


def character_confusion(hypotheses: Sequence[str], references: References) -> Confusion:
    """Count how often each character was written as each; the last row and column are none.

    A row of `(none)` counts characters that were written and not wanted, its column those that
    were wanted and not written. Of several references the nearest is taken. Characters that were
    never confused are left out.

    >>> character_confusion(["haus", "baum"], ["Haus", "bau"]).counts.tolist()
    [[0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 1, 0]]
    """
    pairs = confusion_counts(hypotheses, references)
    odd = sorted({one for pair in pairs if len(set(pair)) > 1 for one in pair} - {""})
    place = {character: n for n, character in enumerate(odd)}
    counts = np.zeros((len(odd) + 1, len(odd) + 1), dtype=np.int64)
    for (one, other), times in pairs.items():
        if one != other or one in place:
            counts[place.get(one, -1), place.get(other, -1)] += times
    return Confusion((*(SPACE if one == " " else one for one in odd), NONE), counts)


def confusion_counts(hypotheses: Sequence[str], references: References) -> Counter[tuple[str, str]]:
    """Count (wanted, written) of all characters, those that were read right too; "" is nothing.

    >>> sorted(confusion_counts(["baum"], ["bau"]).items())[0]
    (('', 'm'), 1)
    """
    pairs: Counter[tuple[str, str]] = Counter()
    for hypothesis, row in zip(hypotheses, as_lists(references), strict=True):
        written = tidy(hypothesis, lowercase=False)
        wanted = min(
            (tidy(line, lowercase=False) for line in row),
            key=lambda line: Levenshtein.distance(line, written),
        )
        pairs.update(aligned(wanted, written))
    return pairs


def aligned(wanted: str, written: str) -> list[tuple[str, str]]:
    """Return (wanted, written) of every place on one of the shortest ways; "" is nothing.

    >>> aligned("ſo", "fon")
    [('ſ', 'f'), ('o', 'o'), ('', 'n')]
    """
    found = []
    for step in Levenshtein.opcodes(wanted, written):
        left = wanted[step.src_start : step.src_end]
        right = written[step.dest_start : step.dest_end]
        size = max(len(left), len(right))
        found += [(left[i : i + 1], right[i : i + 1]) for i in range(size)]
    return found
