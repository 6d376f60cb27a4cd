"""Numbers as text.

A series is written place after place, parted by spaces; the columns of one place by commas:

    12.1 12.4 13.0            one column          12.1,0.3 12.4,0.0 13.0,0.0            two
"""

import numpy as np
from numpy.typing import NDArray

from saccade.errors import DataError

Numbers = NDArray[np.float64]  # [S, C]: places, columns


def parse(text: str, where: str = "numbers") -> Numbers:
    """Read a text of numbers as `[S, C]`.

    >>> parse("1,10 2,20 3,30").tolist()
    [[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]]
    """
    rows = [[number(cell, where) for cell in place.split(",")] for place in text.split()]
    odd = next((row for row in rows if len(row) != len(rows[0])), None)
    if odd is not None:
        raise DataError(
            f"{where}: a place has {len(odd)} columns but the first has {len(rows[0])}; expected"
            " as many in every place, parted by commas. Mend the text."
        )
    return np.array(rows, dtype=np.float64).reshape(len(rows), len(rows[0]) if rows else 0)


def number(text: str, where: str) -> float:
    """Read one number, or say where there is none."""
    try:
        value = float(text)
    except ValueError:
        value = np.nan
    if not np.isfinite(value):
        raise DataError(
            f"{where}: {text!r} is no number; expected numbers, as 12.5 or -3e4. Mend it, or leave"
            " it out."
        )
    return value


def written(values: NDArray[np.floating], digits: int | None = None) -> str:
    """Write `[S, C]` as text that `parse` reads as the same numbers.

    Args:
        values: the numbers.
        digits: how many digits to show of each; as few as tell it from all others if not given.

    >>> written(np.array([[1.0, 10.0], [2.25, -20.0]]))
    '1,10 2.25,-20'
    >>> written(np.array([[0.1 + 0.2]])), written(np.array([[0.1 + 0.2]]), digits=3)
    ('0.30000000000000004', '0.3')
    """
    return " ".join(",".join(_one(float(value), digits) for value in row) for row in values)


def _one(value: float, digits: int | None) -> str:
    return repr(value).removesuffix(".0") if digits is None else f"{value:.{digits}g}"
