"""A single-stroke alphabet: letters, digits and marks as the way that a pen goes.

A stroke is a row of points of two hexadecimal digits, x and y. Lines of writing are at y = 0 (the
foot of a p), 3 (the baseline), 7 (the top of an x) and A (the top of an l). A curve goes through
all points (Catmull & Rom 1974); a point that stands twice is a corner. Spaces part the strokes:
`1713135677` goes down a straight line from (1, 7) to (1, 3), turns there, and bends to the right.
"""

from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]  # [n, 2]
BASELINE = 3
_FINE = 6  # short lines that a piece of a curve is made of

_GLYPHS = {
    "a": "57371423435757575463",
    "b": "1A1313163756543313",
    "c": "563715143354",
    "d": "563715143355555A5A53",
    "e": "155555472715143354",
    "f": "594A3833 1747",
    "g": "5637151433555757513011",
    "h": "1A131315375553",
    "i": "17171423 191A",
    "j": "3737312001 393A",
    "k": "1A13 57151553",
    "l": "1A1A1423",
    "m": "17131315374543434557677573",
    "n": "1713131537475553",
    "o": "37151433545637",
    "p": "171010163756543314",
    "q": "56371514335557575061",
    "r": "171313153756",
    "s": "56371635543314",
    "t": "3A344353 1757",
    "u": "1714234355575753",
    "v": "17333357",
    "w": "1723234646636377",
    "x": "1753 5713",
    "y": "171534565757513011",
    "z": "175757131353",
    "A": "134A4A73 2666",
    "B": "131A1A4A5837171747654313",
    "C": "694A18154364",
    "D": "131A1A4A68654313",
    "E": "6A1A1A131363 1757",
    "F": "6A1A1A13 1757",
    "G": "694A18154364666646",
    "H": "1A13 6A63 1767",
    "I": "1A3A 2A23 1333",
    "J": "5A55331415",
    "K": "1A13 6A161663",
    "L": "1A131353",
    "M": "131A1A45457A7A73",
    "N": "131A1A63636A",
    "O": "4A19144374794A",
    "P": "131A1A4A684616",
    "Q": "4A19144374794A 5573",
    "R": "131A1A4A68471717373763",
    "S": "694A192756644314",
    "T": "1A7A 4A43",
    "U": "1A153353656A",
    "V": "1A43437A",
    "W": "1A3333585873739A",
    "X": "1A63 6A13",
    "Y": "1A46467A 4643",
    "Z": "1A6A6A131363",
    "0": "3A18153355583A",
    "1": "284A4A43",
    "2": "182A4A5836131353",
    "3": "193A583737553314",
    "4": "3A151555 4843",
    "5": "5A1A1A171747554314",
    "6": "5A27153354462615",
    "7": "1A5A5A23",
    "8": "583A18375533153758",
    "9": "584A2A182747595953",
    ".": "1323",
    ",": "2412",
    "!": "1A15 1314",
    "?": "183A583635 3334",
    "'": "2A18",
    ":": "1617 1314",
    "-": "1646",
}
_SPACE = 4.0  # how wide a space is
ALPHABET = " " + "".join(_GLYPHS)


@dataclass(frozen=True)
class Glyph:
    """A character: its strokes as points that a writer may move, and how wide it is.

    strokes: of each, its pieces from corner to corner as `[n, 2]`.
    """

    strokes: tuple[tuple[Points, ...], ...]
    width: float


@cache
def glyph(character: str) -> Glyph:
    """Return a character of the alphabet; a space has no strokes.

    >>> len(glyph("i").strokes), glyph("v").width, glyph("v").strokes[0][1].tolist()
    (2, 5.0, [[3.0, 0.0], [5.0, 4.0]])
    """
    if character == " ":
        return Glyph((), _SPACE)
    strokes = tuple(_pieces(stroke) for stroke in _GLYPHS[character].split())
    width = max(float(piece[:, 0].max()) for stroke in strokes for piece in stroke)
    return Glyph(strokes, width)


def _pieces(stroke: str) -> tuple[Points, ...]:
    points = [(int(x, 16), int(y, 16)) for x, y in zip(stroke[::2], stroke[1::2], strict=True)]
    pieces: list[list[tuple[int, int]]] = [[points[0]]]
    for before, here in pairwise(points):
        if here == before:
            pieces.append([here])
        else:
            pieces[-1].append(here)
    low = np.array([0, BASELINE])
    return tuple(np.array(one, dtype=np.float64) - low for one in pieces if len(one) > 1)


@cache
def curve(n: int) -> Points:
    """Return the matrix that makes a fine curve through `n` points of them, `[m, n]`.

        2 q(u) = 2 p1 + (p2 - p0) u + (2 p0 - 5 p1 + 4 p2 - p3) u^2 + (3 p1 - p0 - 3 p2 + p3) u^3

    between p1 and p2, with the first and the last point standing twice.
    """
    if n == 2:
        return np.eye(2)
    blend = np.array([[0, 2, 0, 0], [-1, 0, 1, 0], [2, -5, 4, -1], [-1, 3, -3, 1]]) / 2
    u = np.arange(_FINE) / _FINE
    powers = np.stack([u**0, u, u * u, u * u * u], axis=1)  # [f, 4]
    found = np.zeros(((n - 1) * _FINE + 1, n))
    for piece in range(n - 1):
        rows = (powers @ blend).T  # [4, f]
        for k, row in zip(range(piece - 1, piece + 3), rows, strict=True):
            found[piece * _FINE : (piece + 1) * _FINE, min(max(k, 0), n - 1)] += row
    found[-1, -1] = 1.0
    return found
