"""The ten digits, five dots wide and seven high."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

_DOTS = {
    "0": ".###. #...# #..## #.#.# ##..# #...# .###.",
    "1": "..#.. .##.. ..#.. ..#.. ..#.. ..#.. .###.",
    "2": ".###. #...# ....# ...#. ..#.. .#... #####",
    "3": "##### ...#. ..#.. ...#. ....# #...# .###.",
    "4": "...#. ..##. .#.#. #..#. ##### ...#. ...#.",
    "5": "##### #.... ####. ....# ....# #...# .###.",
    "6": "..##. .#... #.... ####. #...# #...# .###.",
    "7": "##### ....# ...#. ..#.. .#... .#... .#...",
    "8": ".###. #...# #...# .###. #...# #...# .###.",
    "9": ".###. #...# #...# .#### ....# ...#. .##..",
}
DIGITS = tuple(_DOTS)
WIDE, HIGH = 5, 7


@lru_cache
def bitmap(digit: str) -> NDArray[np.bool_]:
    """Return the dots of a digit, `[7, 5]`.

    >>> print(*("".join(".#"[dot] for dot in row) for row in bitmap("7").tolist()[:3]))
    ##### ....# ...#.
    """
    return np.array([[dot == "#" for dot in row] for row in _DOTS[digit].split()])
