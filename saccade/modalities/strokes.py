"""Strokes of a pen: how far it moves from point to point, and where it is lifted.

As text they are an SVG document, so that what a model writes can be seen in a browser.
"""

import hashlib
import json
import math
import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import ClassVar, final

import numpy as np
from numpy.typing import NDArray

from saccade.errors import CheckpointError, DataError, RecipeError
from saccade.intake.files import read_json
from saccade.modalities._stroke_augment import StrokeAugmentation
from saccade.modalities._strokes import (
    MOST_POINTS,
    Strokes,
    as_strokes,
    from_text,
    resampled,
    to_text,
)
from saccade.modalities.base import Array, Codec, Framed, Laid, Modality
from saccade.nouns import Raw, Side

DRAWING, LIFTED, ENDED = 0.0, 1.0, 2.0  # what the pen does after a point
_SIDE = Side(3, embedder="linear", head="mixture_density")
_DIGITS = 3  # behind the first digit of the scale, of what a model wrote
_SMALLEST, _LARGEST = 1e-9, 1e9  # scales, steps
_HIGHEST = 10**9  # a line of writing
_MOST_LINES = 0.9  # of the lines are not higher than the one that is kept
_UNCHANGED = StrokeAugmentation()


@final
class StrokesCodec(Codec):
    """Strokes as a model sees them, `[T, 3]`.

        z[t] = ((x[t] - x[t-1]) / s, (y[t] - y[t-1]) / s, p[t])           t = 1, 2, ...

    s is the root of the mean square of all moves in training, in both directions, so that shapes
    keep their proportions. p is 0 while the pen draws, 1 where it is lifted after the point, and 2
    after the last point. The first point is the origin and no place: a place is a move.

    horizon: places of the longest target in training; nothing longer is written.  step: how far
    apart points are set before they are read, whatever the pen that wrote them; 0 leaves them where
    they are.  limit: how high most lines of writing were in training, so that a page can rule its
    paper.
    """

    unit = "points"
    dtype = "float32"
    view = "strokes"
    chart = "handwriting"

    def __init__(
        self,
        scale: float,
        horizon: int,
        step: float = 0.0,
        limit: int = 0,
        augmentation: StrokeAugmentation = _UNCHANGED,
    ) -> None:
        self.scale, self.horizon, self.step, self.limit = scale, horizon, step, limit
        self.augmentation = augmentation

    @property
    def side(self) -> Side:
        """Two directions and the pen."""
        return _SIDE

    @property
    def fingerprint(self) -> str:
        """Hash of scale, horizon and step."""
        return hashlib.blake2b(self._json().encode(), digest_size=16).hexdigest()

    def describe(self) -> str:
        """Say how far the pen moves and how many points there are."""
        return f"strokes up to {self.horizon:,} points, {self.scale:.3g} apart"

    def encode(self, raws: Sequence[Raw], origins: Sequence[str] = ()) -> list[Array]:
        """Return the moves of all strokes, `[T, 3]`."""
        names = origins or [f"strokes {n}" for n in range(1, len(raws) + 1)]
        pairs = zip(raws, names, strict=True)
        return [self._moves(even(as_strokes(r, where), self.step, where)) for r, where in pairs]

    @property
    def varies(self) -> bool:
        """Whether strokes are changed by chance."""
        return self.augmentation.active

    def vary(self, array: Array, chance: random.Random, said: str = "") -> Array:
        """Return the same strokes in another hand."""
        return self.augmentation.apply(array, chance) if self.varies else array

    def _moves(self, strokes: Strokes) -> NDArray[np.float32]:
        moves = moves_of(strokes)
        moves[:, :2] /= self.scale
        return moves.astype(np.float32)

    def decode(self, values: Array) -> Strokes:
        """Return moves as strokes, from (0, 0) on; nothing behind the end is drawn.

        Moves are rounded to a thousandth of the scale or less, so that the last digits of float
        sums, which depend on the machine, do not show.
        """
        moves = np.asarray(values, dtype=np.float64).reshape(-1, 3)
        ends = np.flatnonzero(moves[:, 2] == ENDED)
        moves = moves[: ends[0] + 1] if len(ends) else moves
        digits = _DIGITS - math.floor(math.log10(self.scale))
        far = np.round(moves[:, :2] * self.scale, digits)
        xy = np.concatenate([np.zeros((1, 2)), np.cumsum(far, axis=0)])
        cuts = np.flatnonzero(moves[:-1, 2] != DRAWING) + 2
        return Strokes.of(np.split(xy, cuts), "output")

    def pad(self, arrays: Sequence[Array]) -> Laid:
        """Put zeros behind all moves, `[B, T, 3]`."""
        lengths = np.array([len(one) for one in arrays])
        mask = np.arange(int(lengths.max(initial=0))) < lengths[:, None]  # [B, T]
        values = np.zeros((*mask.shape, 3), dtype=np.float32)
        for row, one in zip(values, arrays, strict=True):
            row[: len(one)] = one
        return Laid(values, mask)

    def first(self, sources: Sequence[Array]) -> Array:
        """Return a pen that stands at the origin and has not moved, `[B, 3]`."""
        return np.zeros((len(sources), 3), dtype=np.float32)

    def frame(self, targets: Sequence[Array], sources: Sequence[Array]) -> Framed:
        """Lay moves out, each behind the one before it.

        >>> move = np.array([[1.0, 2.0, 2.0]])
        >>> StrokesCodec(1.0, 1).frame([move], [move]).prefix.tolist()
        [[[0.0, 0.0, 0.0]]]
        """
        values, mask = self.pad(targets)
        prefix = np.zeros_like(values)
        prefix[:, 1:] = values[:, :-1] * mask[:, 1:, None]
        return Framed(values, mask, prefix)

    def labels(self, raw: Raw, array: Array) -> tuple[str, ...]:
        """Number the points, with ↑ where the pen is lifted."""
        pens = np.asarray(array).reshape(-1, 3)[:, 2].tolist()
        return tuple(f"{n}{'↑' if pen else ''}" for n, pen in enumerate(pens, start=1))

    def read(self, text: str, where: str = "input") -> Strokes:
        """Read an SVG document, the data of a path, or JSON."""
        return from_text(text, where)

    def take(self, raw: Raw, where: str = "input") -> Strokes:
        """Return strokes, of whatever they are made."""
        return as_strokes(raw, where)

    def write(self, raw: Raw) -> str:
        """Write an SVG document on one line."""
        return to_text(as_strokes(raw))

    def shown(self, raw: Raw) -> str:
        """Write the points that a model sees."""
        return to_text(even(as_strokes(raw), self.step, "input"))

    def save(self, path: Path) -> None:
        """Write a JSON file."""
        path.write_text(self._json(), encoding="utf-8")

    def _json(self) -> str:
        more = {"step": self.step} if self.step else {}
        height = {"height": self.limit} if self.limit else {}
        return json.dumps(
            {"scale": self.scale, "horizon": self.horizon, **more, **height}, indent=1
        )


class StrokesModality(Modality):
    """Strokes of a pen, `[T, 3]`: moves on the scale of the training data, and where it is lifted.

    Strokes of more than `max_length` points are left out of training.  step: set points at even
    distances, so far apart; a model that reads is to see what a mouse wrote as it sees its data. 0
    takes points as they are.

    Training may see each writing otherwise in every epoch.  random_scale, random_stretch: larger or
    smaller, and wider or narrower, by up to this share.  random_shear: it leans by up to this share
    of its height, left or right.
    """

    discrete: ClassVar[bool] = False
    objective: ClassVar[str] = "likelihood"
    raw: ClassVar[str] = "strokes"

    def __init__(
        self,
        *,
        max_length: int = 1000,
        step: float = 0.0,
        random_scale: float = 0.0,
        random_stretch: float = 0.0,
        random_shear: float = 0.0,
    ) -> None:
        if step != 0 and not _SMALLEST <= step <= _LARGEST:
            raise RecipeError(
                f"strokes.step: found {step:g}; expected 0, or a distance between points. Change"
                " it."
            )
        self.max_length, self.step = max_length, step
        self.augmentation = StrokeAugmentation(random_scale, random_stretch, random_shear)
        self.augmentation.check()
        self.varies = self.augmentation.active

    def sketch(self) -> Side:
        """Return the side of all strokes."""
        return _SIDE

    def fit(self, streams: Sequence[Iterable[Raw]], beside: Codec | None = None) -> Codec:
        """Measure how far the pen moves."""
        total, n, longest, heights = 0.0, 0, 0, list[float]()
        for stream in streams:
            for raw in stream:
                strokes = even(as_strokes(raw, "data.train"), self.step, "data.train")
                moves = moves_of(strokes)[:, :2]
                total, n = total + float(np.square(moves).sum()), n + moves.size
                longest = max(longest, len(moves))
                heights.append(strokes.box[3] - strokes.box[1])
        if not total:
            raise DataError(
                "data.train: no pen that moves; expected strokes to learn from. Check its readers."
            )
        scale = min(max(float(f"{math.sqrt(total / n):.6g}"), _SMALLEST), _LARGEST)
        height = min(round(float(np.quantile(heights, _MOST_LINES))), _HIGHEST)
        return StrokesCodec(scale, longest, self.step, height, self.augmentation)

    def load(self, path: Path, beside: Codec | None = None) -> Codec:
        """Read what `StrokesCodec.save` wrote."""
        try:
            raw = read_json(path)
            scale, horizon = raw["scale"], raw["horizon"]
            step, height = raw.get("step", 0.0), raw.get("height", 0)
            fits = type(scale) is type(step) is float and type(horizon) is type(height) is int
            fits = fits and _SMALLEST <= scale <= _LARGEST and 0 <= horizon <= MOST_POINTS
            even_step = fits and (step == 0 or _SMALLEST <= step <= _LARGEST)
            if not even_step or not 0 <= height <= _HIGHEST:
                raise ValueError(f"{str(raw)[:80]} are no scale and number of points")
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise CheckpointError(
                f"{path}: cannot be read as the scale of strokes ({error}); expected what training"
                " wrote. Copy the model folder again."
            ) from None
        return StrokesCodec(scale, horizon, step, height, self.augmentation)

    def adopt(self, codec: Codec, beside: Codec | None = None) -> Codec:
        """Read strokes as another codec does, changed by chance as the options say."""
        if type(codec) is not StrokesCodec:
            return codec
        known = (codec.scale, codec.horizon, codec.step, codec.limit)
        return StrokesCodec(*known, self.augmentation)


def even(strokes: Strokes, step: float, where: str) -> Strokes:
    """Set points `step` apart; 0 leaves them where they are."""
    return resampled(strokes, step, where) if step else strokes


def moves_of(strokes: Strokes) -> NDArray[np.float64]:
    """Return how far the pen moves to every point but the first, and what it does then, `[T, 3]`.

    >>> moves_of(Strokes.of([[(0, 0), (1, 2)], [(4, 4), (5, 5)]])).tolist()
    [[1.0, 2.0, 1.0], [3.0, 2.0, 0.0], [1.0, 1.0, 2.0]]
    """
    points = strokes.points
    moves = np.column_stack([np.diff(points[:, :2], axis=0), points[1:, 2]])
    moves[-1, 2] = ENDED
    return moves
