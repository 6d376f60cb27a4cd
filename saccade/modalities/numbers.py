"""Numbers: places of one or more columns, on the scale of the training data.

As text a series is written place after place, parted by spaces; the columns of a place by commas:

    12.1 12.4 13.0            one column          12.1,0.3 12.4,0.0 13.0,0.0            two
"""

import hashlib
import json
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import ClassVar, final

import numpy as np
from numpy.typing import NDArray

from saccade.errors import CheckpointError, DataError
from saccade.intake.files import read_json
from saccade.modalities._numbers import Numbers, parse, written
from saccade.modalities.base import Array, Codec, Framed, Laid, Modality
from saccade.nouns import Raw, Side

_DIGITS = 4  # behind the first digit of the spread; finer ones change from batch to batch
_SHOWN = 6  # digits of a number on an axis
_MOST_PLACES = 1_000_000  # of a forecast, whatever a model folder says


@dataclass(frozen=True, slots=True)
class Scale:
    """Mean and spread of every column in the training data.

    z = (x - mean) / spread            what a model sees; a column that never changes has 1
    """

    mean: tuple[float, ...]
    spread: tuple[float, ...]

    def __post_init__(self) -> None:
        """Refuse what no data can have, such as a model folder may hold."""
        finite = all(map(math.isfinite, (*self.mean, *self.spread)))
        if len(self.mean) != len(self.spread) or not finite or min(self.spread, default=1) <= 0:
            raise ValueError("a scale has a mean and a positive spread of every column")

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
        with np.errstate(over="ignore", invalid="ignore"):
            mean, spread = whole.mean(axis=0), whole.std(axis=0)
        spread[spread <= 1e-12 * np.abs(mean)] = 1.0
        if not np.isfinite(spread).all():
            raise DataError(
                "data.train: numbers are too large to measure their spread; expected less than"
                " 1e150. Divide them by a constant."
            )
        return cls(tuple(mean.tolist()), tuple(spread.tolist()))

    def __len__(self) -> int:
        return len(self.mean)

    def first(self, n: int) -> "Scale":
        """Return the scale of the first `n` columns."""
        return Scale(self.mean[:n], self.spread[:n])

    def apply(self, values: Numbers) -> NDArray[np.float32]:
        """Return `[S, C]` as a model sees it."""
        _check_columns(values, len(self))
        with np.errstate(over="ignore"):
            scaled: NDArray[np.float32] = (
                (values - np.array(self.mean)) / np.array(self.spread)
            ).astype(np.float32)
        if not np.isfinite(scaled).all():
            raise DataError(
                "a number is too far from those of the training data for a model to hold; expected"
                " less than 1e38 times their spread. Mend it."
            )
        return scaled

    def undo(self, values: NDArray[np.float32]) -> Numbers:
        """Return what a model wrote, `[T, C]`, in the units of the data.

        Numbers are rounded to a ten-thousandth of the spread or less. Finer digits depend on the
        batch that float32 sums were computed in; without them every route gives the same text.
        """
        found: Numbers = values.astype(np.float64) * np.array(self.spread) + np.array(self.mean)
        places = [_DIGITS - math.floor(math.log10(spread)) for spread in self.spread]
        rows = [[round(x, n) for x, n in zip(row, places, strict=True)] for row in found.tolist()]
        return np.array(rows, dtype=np.float64).reshape(found.shape)


@final
class NumbersCodec(Codec):
    """A scale at work: series in the units of the data to what a model sees, and back.

    horizon: places of the longest series in training, which is how far a forecast goes.
    """

    unit = "places"
    dtype = "float32"
    chart = "forecast"
    ends = False

    def __init__(self, scale: Scale, horizon: int) -> None:
        self.scale, self.horizon = scale, horizon

    @property
    def side(self) -> Side:
        """The number of columns."""
        return Side(len(self.scale), embedder="linear", head="values")

    @property
    def fingerprint(self) -> str:
        """Hash of scale and horizon."""
        return hashlib.blake2b(self._json().encode(), digest_size=16).hexdigest()

    def describe(self) -> str:
        """Say how many columns there are and how far series go."""
        return f"{len(self.scale)} columns, up to {self.horizon} places"

    def encode(self, raws: Sequence[Raw], origins: Sequence[str] = ()) -> list[Array]:
        """Scale every series `[S, C]`; one that is text is read first."""
        names = origins or [f"series {n}" for n in range(1, len(raws) + 1)]
        return [self._scaled(raw, where) for raw, where in zip(raws, names, strict=True)]

    def _scaled(self, raw: Raw, where: str) -> NDArray[np.float32]:
        values = as_numbers(raw, where)
        if not len(values):
            raise DataError(
                f"{where}: is empty; expected numbers parted by spaces. Leave the line out."
            )
        try:
            return self.scale.apply(values)
        except DataError as error:
            raise DataError(f"{where}: {error}") from None

    def decode(self, values: Array) -> Numbers:
        """Return the series `[T, C]` in the units of the data."""
        return self.scale.undo(np.asarray(values, dtype=np.float32).reshape(-1, len(self.scale)))

    def pad(self, arrays: Sequence[Array]) -> Laid:
        """Put zeros behind every series, `[B, S, C]`.

        >>> codec = NumbersCodec(Scale((0.0,), (1.0,)), 2)
        >>> codec.pad([np.ones((2, 1)), np.ones((1, 1))]).values.tolist()
        [[[1.0], [1.0]], [[1.0], [0.0]]]
        """
        lengths = np.array([len(one) for one in arrays])
        mask = np.arange(int(lengths.max(initial=0))) < lengths[:, None]  # [B, S]
        values = np.zeros((*mask.shape, len(self.scale)), dtype=np.float32)  # [B, S, C]
        for row, one in zip(values, arrays, strict=True):
            row[: len(one)] = one
        return Laid(values, mask)

    def first(self, sources: Sequence[Array]) -> Array:
        """Return the last place of every source, `[B, C]`."""
        return np.stack([source[-1, : len(self.scale)] for source in sources])

    def frame(self, targets: Sequence[Array], sources: Sequence[Array]) -> Framed:
        """Lay targets out; what is read before the first place is the source's last.

        >>> codec = NumbersCodec(Scale((0.0,), (1.0,)), 2)
        >>> codec.frame([np.array([[3.0], [4.0]])], [np.array([[1.0], [2.0]])]).prefix.tolist()
        [[[2.0], [3.0]]]
        """
        pairs = zip(self.first(sources), targets, strict=True)
        shifted = [np.concatenate([first[None], target[:-1]]) for first, target in pairs]
        values, mask = self.pad(targets)
        return Framed(values, mask, self.pad(shifted).values)

    def labels(self, raw: Raw, array: Array) -> tuple[str, ...]:
        """Write the numbers of every place, rounded for axes."""
        return tuple(written(as_numbers(raw), _SHOWN).split())

    def read(self, text: str, where: str = "input") -> Numbers:
        """Read a text of numbers."""
        return parse(text, where)

    def write(self, raw: Raw) -> str:
        """Write all digits, so that `read` gives the same numbers."""
        return written(as_numbers(raw))

    def save(self, path: Path) -> None:
        """Write a JSON file."""
        path.write_text(self._json(), encoding="utf-8")

    def _json(self) -> str:
        return json.dumps({"scale": asdict(self.scale), "horizon": self.horizon}, indent=1)


class NumbersModality(Modality):
    """Series of numbers, `[S, C]`: every column is scaled by its mean and spread in training.

    Columns of a target are the first of its source, on the same scale. Series longer than
    `max_length` places are left out of training.
    """

    discrete: ClassVar[bool] = False
    continues: ClassVar[bool] = True
    objective: ClassVar[str] = "squared_error"
    raw: ClassVar[str] = "numbers"

    def __init__(self, *, max_length: int = 256) -> None:
        self.max_length = max_length

    def sketch(self) -> Side:
        """Return a side of one column."""
        return Side(1, embedder="linear", head="values")

    def fit(self, streams: Sequence[Iterable[Raw]], beside: Codec | None = None) -> Codec:
        """Measure the scale of all series; that of a target is its source's."""
        series = list(_numbers(streams))
        if not isinstance(beside, NumbersCodec):
            return NumbersCodec(Scale.of(series), max((len(one) for one in series), default=0))
        horizon, n_target = (max(sizes) for sizes in zip(*(s.shape for s in series), strict=True))
        if not 1 <= n_target <= len(beside.scale):
            raise DataError(
                f"data.train: targets have {n_target} columns but sources {len(beside.scale)};"
                " expected those of the target to be the first of the source. Check its readers."
            )
        return NumbersCodec(beside.scale.first(n_target), horizon)

    def load(self, path: Path, beside: Codec | None = None) -> Codec:
        """Read what `NumbersCodec.save` wrote."""
        try:
            raw = read_json(path)
            mean, spread = (tuple(map(float, raw["scale"][k])) for k in ("mean", "spread"))
            return NumbersCodec(Scale(mean, spread), checked_horizon(raw["horizon"]))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise CheckpointError(
                f"{path}: cannot be read as the scale of numbers ({error}); expected what"
                " training wrote. Copy the model folder again."
            ) from None


def as_numbers(raw: Raw, where: str = "numbers") -> Numbers:
    """Return a series as an array, whether it is one or text."""
    if isinstance(raw, str):
        return parse(raw, where)
    found: Numbers = np.asarray(raw, dtype=np.float64)
    return found


def checked_horizon(found: object) -> int:
    """Return the horizon that a model folder names; raise ValueError where it cannot be one."""
    if type(found) is not int or not 0 <= found <= _MOST_PLACES:
        said = str(found)[:40]
        raise ValueError(f"a horizon of {said} places; expected 0 to {_MOST_PLACES:,}")
    return found


def _numbers(streams: Sequence[Iterable[Raw]]) -> Iterator[Numbers]:
    for stream in streams:
        for raw in stream:
            yield as_numbers(raw, "data.train")


def _check_columns(values: Numbers, wanted: int) -> None:
    if values.shape[1] != wanted:
        raise DataError(
            f"a series has {values.shape[1]} columns; expected {wanted}, as in training. Write them"
            " as 1.5,20 1.7,21: places parted by spaces, columns by commas."
        )
