"""Bits as text.

A sequence is written place after place, parted by spaces; the bits of a place stand together:

    0110 1010 0001            three places of four bits
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from saccade.errors import DataError

Bits = NDArray[np.uint8]  # [T, C]: places, columns; 0 or 1
_SHOWN = 40  # characters of a text in a message


def parse_bits(text: str, where: str = "bits") -> Bits:
    """Read a text of bits as `[T, C]`.

    >>> parse_bits("011 100").tolist()
    [[0, 1, 1], [1, 0, 0]]
    """
    places = text.split()
    odd = next((place for place in places if set(place) - {"0", "1"}), None)
    if odd is not None:
        raise DataError(
            f"{where}: {odd[:_SHOWN]!r} is no place of bits; expected 0s and 1s, places parted by"
            " spaces, as 0110 1010. Mend it."
        )
    short = next((place for place in places if len(place) != len(places[0])), None)
    if short is not None:
        raise DataError(
            f"{where}: a place has {len(short)} bits but the first has {len(places[0])}; expected"
            " as many in every place. Mend the text."
        )
    found = np.array([[bit == "1" for bit in place] for place in places], dtype=np.uint8)
    return found.reshape(len(places), len(places[0]) if places else 0)


def written_bits(values: NDArray[Any]) -> str:
    """Write `[T, C]` as text that `parse_bits` reads as the same bits.

    >>> written_bits(np.array([[0, 1, 1], [1, 0, 0]]))
    '011 100'
    """
    return " ".join("".join("1" if bit else "0" for bit in row) for row in values.tolist())


def as_bits(raw: Any, where: str = "bits") -> Bits:
    """Return bits as an array `[T, C]`, whether they are one or text."""
    if isinstance(raw, str):
        return parse_bits(raw, where)
    found = np.asarray(raw)
    if found.ndim != 2 or not np.isin(found, (0, 1)).all():
        raise DataError(
            f"{where}: found an array of shape {found.shape}; expected places of bits, [T, C], each"
            " 0 or 1. Mend it."
        )
    return found.astype(np.uint8)
