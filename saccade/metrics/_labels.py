"""Labels of outputs and references, and how often each was taken for each."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from saccade.errors import DataError
from saccade.metrics._text import tidy
from saccade.metrics.base import References, as_lists

Unit = Literal["text", "words"]

OTHER = "(other)"
_MOST = 1000  # labels


@dataclass(frozen=True, slots=True)
class Confusion:
    """How often label i of the references was written as label j: `counts[i, j]`.

    The last row and column are what is no label of the references, or no label at all.
    """

    labels: tuple[str, ...]
    counts: NDArray[np.int64]


def pairs_of(hypothesis: str, references: Sequence[str], unit: Unit) -> list[tuple[str, str]]:
    """Return (wanted, written) of one segment; "" where one side is shorter.

    text: the whole text is one label.  words: every word is one, place by place. Of several
    references the one that agrees most is taken, and the first by the alphabet of those.
    """
    written = _labels(hypothesis, unit)
    found = []
    for reference in sorted(references):
        wanted = _labels(reference, unit)
        size = max(len(written), len(wanted))
        sides = (row + [""] * (size - len(row)) for row in (wanted, written))
        found.append(list(zip(*sides, strict=True)))
    return max(found, key=lambda rows: sum(one == other for one, other in rows) - len(rows))


def labels_of(references: References, unit: Unit, owner: str) -> tuple[str, ...]:
    """Return all labels of the references in alphabetical order; refuse what cannot be labels."""
    rows = as_lists(references)
    found = {label for row in rows for line in row for label in _labels(line, unit)}
    if len(found) > _MOST:
        raise DataError(
            f"{owner}: the references have {len(found)} labels; expected at most {_MOST}. Is this"
            " text? Use bleu or exact_match for text."
        )
    return tuple(sorted(found))


def confusion(
    hypotheses: Sequence[str], references: References, *, unit: Unit = "text"
) -> Confusion:
    """Count how often each label was taken for each.

    >>> confusion(["a", "b", "z"], ["a", "a", "b"]).counts.tolist()
    [[1, 1, 0], [0, 0, 1], [0, 0, 0]]
    """
    labels = labels_of(references, unit, "confusion")
    place = {label: n for n, label in enumerate(labels)}
    counts = np.zeros((len(labels) + 1, len(labels) + 1), dtype=np.int64)
    for hypothesis, row in zip(hypotheses, as_lists(references), strict=True):
        for (wanted, written), times in Counter(pairs_of(hypothesis, row, unit)).items():
            counts[place.get(wanted, -1), place.get(written, -1)] += times
    return Confusion((*labels, OTHER), counts)


def _labels(text: str, unit: Unit) -> list[str]:
    plain = tidy(text, lowercase=False)
    return plain.split() if unit == "words" else [plain] if plain else []
