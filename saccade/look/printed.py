"""Where the words of a line of print stand: boxes of pixels from where a model looked."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from math import exp

import numpy as np
from numpy.typing import NDArray

from saccade.errors import RecipeError
from saccade.modalities._picture import Box
from saccade.predict.prediction import Prediction

_FRAMES = "CTC"  # the map of a model that says of every frame what it is
Columns = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class PrintedWord:
    """A word, its box in pixels, and how sure the model is of its letters, from 0 to 1."""

    text: str
    box: Box
    confidence: float


@dataclass(frozen=True, slots=True)
class PrintedLine:
    """A line of print: its size in pixels, and its words from left to right."""

    width: int
    height: int
    words: tuple[PrintedWord, ...]


def printed_line(prediction: Prediction, size: tuple[int, int] | None = None) -> PrintedLine:
    """Find the words of a line that a model has read.

    A space stands where the weights of its letter have their mean; the cut goes through the widest
    gap without ink near it. Between two cuts a word's box is drawn in to its ink. How sure the
    model is, is the geometric mean of what it gives to the letters.

    Args:
        prediction: of a model that reads lines and says where it looks.
        size: width and height in pixels of the picture that boxes are for; what the model read if
            not given.
    """
    grid, weights = prediction.grid, _weights(prediction)
    if len(grid) != 2 or grid[0] != 1:
        raise RecipeError(
            f"boxes of words: the model looks at {' x '.join(map(str, grid))} places; expected one"
            " that reads lines of print, as data.source of kind line. Write text instead."
        )
    values = np.asarray(prediction.source_values)  # [W, H]
    width, height = size or values.shape
    if weights is None:
        return PrintedLine(width, height, ())
    dark = values < (float(np.median(values)) + float(values.min())) / 2  # [W, H]
    centres = _centres(weights, len(values))
    across, down = width / len(values), height / values.shape[1]
    words = list[PrintedWord]()
    for group, (first, end) in _spans(prediction, centres, dark):
        left, top, right, bottom = _drawn_in(dark, first, end)
        box = (round(left * across), round(top * down), round(right * across), round(bottom * down))
        words.append(PrintedWord(_text(prediction, group), box, _confidence(prediction, group)))
    return PrintedLine(width, height, tuple(words))


def _weights(prediction: Prediction) -> NDArray[np.float32] | None:
    """Return the weights `[T, S]` of what was written."""
    maps = prediction.attention_maps
    return maps.get(_FRAMES, prediction.attention) if prediction.hypothesis.tokens else None


def _centres(weights: NDArray[np.float32], n_columns: int) -> NDArray[np.float64]:
    """Return the mean column of each letter, `[T]`; none stands before the one before it."""
    places = (np.arange(weights.shape[1]) + 0.5) * n_columns / weights.shape[1]
    sums = weights.sum(axis=1, dtype=np.float64)
    centres = (weights.astype(np.float64) @ places) / np.where(sums > 0, sums, 1.0)
    return np.maximum.accumulate(centres)


def _spans(
    prediction: Prediction, centres: NDArray[np.float64], dark: Columns
) -> Iterator[tuple[list[int], tuple[int, int]]]:
    """Yield the letters of each word and the columns between the cuts around it."""
    groups = list(_groups(prediction))
    cuts, inked = [0], np.asarray(dark.any(axis=1))
    for before, after in pairwise(groups):
        spaces = range(before[-1] + 1, after[0])
        middle = centres[list(spaces)] if spaces else centres[[before[-1], after[0]]]
        cuts.append(max(_gap(inked, float(middle.mean()), dark.shape[1]), cuts[-1]))
    cuts.append(len(dark))
    for group, first, end in zip(groups, cuts, cuts[1:], strict=False):
        yield group, (first, end)


def _groups(prediction: Prediction) -> Iterator[list[int]]:
    """Yield the places of the letters of each word, without white space."""
    vocabulary, ids = prediction.looker.target.vocabulary, prediction.hypothesis.tokens
    assert vocabulary is not None, "a line of print is read as symbols"
    numbers = vocabulary.words(ids)
    blank = [not vocabulary.decode([i]).strip() for i in ids]
    for _, run in groupby(range(len(ids)), key=numbers.__getitem__):
        group = [place for place in run if not blank[place]]
        if group:
            yield group


def _gap(inked: Columns, middle: float, height: int) -> int:
    """Return the middle of the widest run of columns without ink, near a place."""
    first = max(int(middle - height / 3), 0)
    end = min(int(middle + height / 3) + 1, len(inked))
    best = (0, round(middle))
    for is_inked, run in groupby(range(first, end), key=inked.__getitem__):
        columns = list(run)
        if not is_inked and len(columns) > best[0]:
            best = (len(columns), columns[len(columns) // 2])
    return best[1]


def _drawn_in(dark: Columns, first: int, end: int) -> Box:
    """Return the box of all ink between two cuts; the whole height if there is none."""
    columns = np.flatnonzero(dark[first:end].any(axis=1))
    rows = np.flatnonzero(dark[first:end].any(axis=0))
    if not len(columns):
        return first, 0, max(end, first), dark.shape[1]
    return first + int(columns[0]), int(rows[0]), first + int(columns[-1]) + 1, int(rows[-1]) + 1


def _text(prediction: Prediction, group: Sequence[int]) -> str:
    vocabulary = prediction.looker.target.vocabulary
    assert vocabulary is not None
    return vocabulary.decode([prediction.hypothesis.tokens[i] for i in group]).strip()


def _confidence(prediction: Prediction, group: Sequence[int]) -> float:
    scores = [prediction.token_scores[i] for i in group]
    return min(exp(sum(scores) / len(scores)), 1.0)
