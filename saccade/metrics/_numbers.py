"""How metrics of numbers read their texts."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from saccade.errors import DataError
from saccade.metrics.base import Stats
from saccade.modalities.numbers import as_numbers


def errors(hypothesis: Any, references: Sequence[Any], owner: str) -> Stats:
    """Return hypothesis - reference, all places and columns in a row; of the nearest reference."""
    found = as_numbers(hypothesis, owner)
    rows = []
    for reference in references:
        wanted = as_numbers(reference, owner)
        if found.shape != wanted.shape:
            raise DataError(
                f"{owner}: a forecast has {_size(found)} but the truth {_size(wanted)}; expected"
                " as many. Forecast as many steps as are known."
            )
        rows.append((found - wanted).ravel())
    return min(rows, key=lambda row: float(np.abs(row).sum()))


def _size(values: Stats) -> str:
    return f"{values.shape[0]} places of {values.shape[1]} columns"
