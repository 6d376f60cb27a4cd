"""What a pen wrote: strokes of points, and how they are told as text.

As text they are an SVG document on one line, whose path goes from point to point:

    <svg xmlns="http://www.w3.org/2000/svg" viewBox="-8 -38 40 56" ...><path d="M0 0 L1.5 2 ..."/>

What is read may also be the data of a path alone, `M0 0 L1.5 2`, or JSON: `[[[0, 0], [1.5, 2]]]`,
a list of strokes, each a list of points. x grows to the right and y downwards, as on a screen.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saccade.errors import DataError

Points = NDArray[np.float64]  # [n, 2]
MOST_POINTS = 100_000
_FARTHEST = 1e9  # of a coordinate
_LONGEST = 8_000_000  # characters of a text
_MARGIN = 8.0
_DECIMALS = 6  # of a coordinate
_PEN = 'fill="none" stroke="#1c2128" stroke-width="2" stroke-linecap="round"'
_DATA = re.compile(r"<path\b[^<>]*?\sd\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_WORD = re.compile(r"\s*(?:,\s*)?(?:([A-Za-z])|([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?))")
_EXPECTED = "expected an SVG path of M and L, or JSON such as [[[0, 0], [1.5, 2]]]. Mend it."


@dataclass(frozen=True, slots=True, eq=False)
class Strokes:
    """Strokes of a pen, from the left upper world: x to the right, y downwards.

    points: `[T, 3]`: x, y, and 1 where the pen is lifted after the point, 0 elsewhere. The first
    point is at (0, 0): where on the paper something was written is not kept. Every stroke has two
    points or more; a dot is a point that stands twice. The pen is lifted after the last point.
    """

    points: NDArray[np.float64]

    @classmethod
    def of(cls, strokes: Iterable[Any], where: str = "strokes") -> "Strokes":
        """Make strokes of lists of points (x, y); what stands behind a point's y is not read."""
        rows: list[Points] = []
        n = 0
        for stroke in strokes:
            row = _row(stroke, where)
            n += len(row)
            if n > MOST_POINTS:
                raise DataError(
                    f"{where}: more than {MOST_POINTS:,} points; expected fewer. Cut it into lines,"
                    " or take every second point."
                )
            if len(row):
                rows.append(row if len(row) > 1 else np.repeat(row, 2, axis=0))
        if not rows:
            raise DataError(f"{where}: no point at all; {_EXPECTED}")
        xy = np.concatenate(rows)
        lifted = np.zeros(len(xy))
        lifted[np.cumsum([len(row) for row in rows]) - 1] = 1.0
        return cls(np.column_stack([np.round(xy - xy[0], _DECIMALS) + 0.0, lifted]))

    def __iter__(self) -> Iterator[Points]:
        """Yield each stroke, `[n, 2]`."""
        ends = np.flatnonzero(self.points[:, 2]) + 1
        yield from np.split(self.points[:, :2], ends[:-1])

    def __len__(self) -> int:
        """Return how many points there are."""
        return len(self.points)

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom."""
        low, high = self.points[:, :2].min(axis=0), self.points[:, :2].max(axis=0)
        return float(low[0]), float(low[1]), float(high[0]), float(high[1])


def as_strokes(raw: Any, where: str = "strokes") -> Strokes:
    """Return strokes, whether they are strokes, text, or lists of points."""
    if isinstance(raw, Strokes):
        return raw
    return from_text(raw, where) if isinstance(raw, str) else Strokes.of(raw, where)


def resampled(strokes: Strokes, step: float, where: str = "strokes") -> Strokes:
    """Set points at even distances along every stroke, about `step` apart; its ends stay.

    >>> resampled(Strokes.of([[(0, 0), (1, 0), (1.5, 0), (8, 0)]]), 4.0).points[:, 0].tolist()
    [0.0, 4.0, 8.0]
    """
    found, n_points = [], 0
    for stroke in strokes:
        gone = np.zeros(len(stroke))
        np.hypot(*np.diff(stroke, axis=0).T).cumsum(out=gone[1:])  # [n]
        n = max(round(float(gone[-1]) / step), 1)
        n_points += n + 1
        if n_points > MOST_POINTS:
            raise DataError(
                f"{where}: more than {MOST_POINTS:,} points that are {step:g} apart; expected"
                " fewer. Scale it down, or cut it into lines."
            )
        at = gone[-1] * np.arange(n + 1) / n
        found.append(np.column_stack([np.interp(at, gone, stroke[:, axis]) for axis in (0, 1)]))
    return Strokes.of(found, where)


def to_text(strokes: Strokes) -> str:
    """Write an SVG document on one line; `from_text` gives the same points.

    >>> to_text(Strokes.of([[(0, 0), (1.5, 2)]])).partition("<path ")[2]
    'd="M0 0L1.5 2"/></svg>'
    """
    left, top, right, bottom = strokes.box
    size = right - left + 2 * _MARGIN, bottom - top + 2 * _MARGIN
    box = [f"{n:.1f}" for n in (left - _MARGIN, top - _MARGIN, *size)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{" ".join(box)}" width="{box[2]}"'
        f' height="{box[3]}" {_PEN}><path d="{path_data(strokes)}"/></svg>'
    )


def path_data(strokes: Strokes) -> str:
    """Write all strokes as the data of one SVG path."""
    found = []
    for stroke in strokes:
        first, *rest = (f"{_number(x)} {_number(y)}" for x, y in stroke.tolist())
        found.append(f"M{first}L{' '.join(rest)}")
    return "".join(found)


def from_text(text: str, where: str = "input") -> Strokes:
    """Read what `to_text` writes, the data of a path, or JSON.

    >>> [stroke.tolist() for stroke in from_text("M1 1L2 2m5 0l1 1")]
    [[[0.0, 0.0], [1.0, 1.0]], [[6.0, 1.0], [7.0, 2.0]]]
    """
    if len(text) > _LONGEST:
        raise DataError(
            f"{where}: {len(text):,} characters; expected at most {_LONGEST:,}. Cut it into lines."
        )
    bare = text.strip()
    if bare.startswith("["):
        return Strokes.of(_json(bare, where), where)
    found = _DATA.findall(bare) if "<" in bare else [(bare, "")]
    return Strokes.of((s for one in found for s in _followed("".join(one), where)), where)


def _json(text: str, where: str) -> list[Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, list):
        raise DataError(f"{where}: found {text[:40]!r}; {_EXPECTED}")
    return found


def _followed(data: str, where: str) -> Iterator[list[tuple[float, float]]]:
    """Yield the strokes of the data of a path: M, L, H, V and Z, or small ones from where it is."""
    stroke: list[tuple[float, float]] = []
    for step, numbers in _steps(data, where):
        kind, (x, y) = step.upper(), stroke[-1] if stroke else (0.0, 0.0)
        if kind == "Z":
            stroke.append(stroke[0] if stroke else (0.0, 0.0))
            continue
        near = step.islower()
        across = numbers[0] + x * near if kind != "V" else x
        down = numbers[-1] + y * near if kind != "H" else y
        if kind == "M":
            yield stroke
            stroke = []
        stroke.append((across, down))
    yield stroke


def _steps(data: str, where: str) -> Iterator[tuple[str, list[float]]]:
    """Yield every step of a path with its numbers; its letter may stand once for several."""
    at, step, numbers = 0, "", list[float]()
    data = data.rstrip()
    while at < len(data):
        found = _WORD.match(data, at)
        letter = found[1] if found else None
        odd = found is None or (letter and letter not in "MmLlHhVvZz") or (letter and numbers)
        if found is None or odd or (letter is None and step in ("", "Z", "z")):
            raise DataError(f"{where}: found {data[at : at + 40].strip()!r}; {_EXPECTED}")
        at = found.end()
        if letter:
            step = letter
            if step in "Zz":
                yield step, []
            continue
        numbers.append(float(found[2]))
        if len(numbers) == (1 if step in "HhVv" else 2):
            yield step, numbers
            numbers, step = [], {"M": "L", "m": "l"}.get(step, step)
    if numbers:
        raise DataError(f"{where}: the path ends with half a point; {_EXPECTED}")


def _row(stroke: Any, where: str) -> Points:
    """Return one stroke as `[n, 2]`; refuse what has no points or no end."""
    if isinstance(stroke, np.ndarray) and stroke.ndim == 2:
        stroke = stroke[:, :2]
    plain = isinstance(stroke, Sequence | np.ndarray) and not isinstance(stroke, str)
    try:
        listed = isinstance(stroke, np.ndarray)
        cut = stroke if listed else [tuple(point)[:2] for point in stroke] if plain else None
        row = np.array(cut, dtype=np.float64) if cut is not None else None
    except (TypeError, ValueError, OverflowError):
        row = None
    if row is not None and not row.size:
        return np.zeros((0, 2))
    if row is None or row.ndim != 2 or row.shape[1] != 2 or not (np.abs(row) <= _FARTHEST).all():
        raise DataError(f"{where}: found {str(stroke)[:60]} for a stroke; {_EXPECTED}")
    return row


def _number(value: float) -> str:
    return repr(value).removesuffix(".0")
