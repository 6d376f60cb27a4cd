"""Numbers as text, and the scale on which a model sees them.

A series is written place after place, parted by spaces; the columns of one place by commas:

    12.1 12.4 13.0            one column          12.1,0.3 12.4,0.0 13.0,0.0            two
"""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from saccade.errors import CheckpointError, DataError

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


def written(values: NDArray[np.floating], digits: int = 6) -> str:
    """Write `[S, C]` as text, with so many digits that count.

    >>> written(np.array([[1.0, 10.0], [2.25, -20.0]]))
    '1,10 2.25,-20'
    """
    return " ".join(",".join(f"{value:.{digits}g}" for value in row) for row in values)


@dataclass(frozen=True, slots=True)
class Scale:
    """Mean and spread of every column in the training data.

    z = (x - mean) / spread            what a model sees; a column that never changes has 1
    """

    mean: tuple[float, ...]
    spread: tuple[float, ...]

    @classmethod
    def of(cls, series: Iterable[Numbers]) -> "Scale":
        """Measure series that have the same columns."""
        found = [values for values in series if len(values)]
        if not found:
            raise DataError(
                "data.train: no numbers at all; expected some to learn from. Check its readers."
            )
        for values in found:
            _check_columns(values, found[0].shape[1])
        whole = np.concatenate(found)
        mean, spread = whole.mean(axis=0), whole.std(axis=0)
        spread[spread <= 1e-12 * np.abs(mean)] = 1.0
        return cls(tuple(mean.tolist()), tuple(spread.tolist()))

    def __len__(self) -> int:
        return len(self.mean)

    def first(self, n: int) -> "Scale":
        """Return the scale of the first `n` columns."""
        return Scale(self.mean[:n], self.spread[:n])

    def apply(self, values: Numbers) -> NDArray[np.float32]:
        """Return `[S, C]` as a model sees it."""
        _check_columns(values, len(self))
        scaled: Numbers = (values - np.array(self.mean)) / np.array(self.spread)
        return scaled.astype(np.float32)

    def undo(self, values: NDArray[np.float32]) -> Numbers:
        """Return what a model wrote, `[T, C]`, in the units of the data."""
        found: Numbers = values.astype(np.float64) * np.array(self.spread) + np.array(self.mean)
        return found


def _check_columns(values: Numbers, wanted: int) -> None:
    if values.shape[1] != wanted:
        raise DataError(
            f"a series has {values.shape[1]} columns; expected {wanted}, as in training. Write them"
            " as 1.5,20 1.7,21: places parted by spaces, columns by commas."
        )


@dataclass(frozen=True, slots=True)
class Scales:
    """All that stands between a model and the numbers of its data.

    The columns to forecast are the first of those that are read, so their scale is that of the
    source. horizon: places of the longest target in training.
    """

    source: Scale
    n_target: int
    horizon: int

    @property
    def target(self) -> Scale:
        """The scale of what is forecast."""
        return self.source.first(self.n_target)

    @property
    def fingerprint(self) -> str:
        """Hash of all of it."""
        return hashlib.blake2b(self._json().encode(), digest_size=16).hexdigest()

    def save(self, path: Path) -> None:
        """Write a JSON file."""
        path.write_text(self._json(), encoding="utf-8")

    def _json(self) -> str:
        return json.dumps(asdict(self), indent=1)

    @classmethod
    def load(cls, path: Path) -> "Scales":
        """Read what `save` wrote."""
        try:
            raw = json.loads(path.read_text(encoding="utf-8"))
            mean, spread = (tuple(map(float, raw["source"][k])) for k in ("mean", "spread"))
            return cls(Scale(mean, spread), int(raw["n_target"]), int(raw["horizon"]))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise CheckpointError(
                f"{path}: cannot be read as the scale of a forecaster ({error}); expected what"
                " training wrote. Copy the model folder again."
            ) from None
