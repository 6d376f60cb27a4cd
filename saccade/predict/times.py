"""When each symbol and word of an output is said: from where a model looked to seconds.

A model of frames marks a label by a spike of a frame or two, somewhere in or near its sound; others
spread weights over it. Neither says where a word begins. The sound does: between two words it is
quietest where one ends and the other begins.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from math import ceil
from typing import TYPE_CHECKING, TypeAlias

from saccade.modalities._notation import Clock
from saccade.tokenizers._vocabulary import Vocabulary

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Weights: TypeAlias = "NDArray[np.float32]"
Span = tuple[float, float]  # from a place of the source to before another

_EDGE = 0.1  # share of the weights of a symbol that lies before its span, and behind it
_ONSET = 5  # places that the first and the last symbol have at least
_RANGE, _ABOVE = 40.0, 6.0  # decibels: below the loudest, and above the quietest, that are heard


@dataclass(frozen=True, slots=True)
class TimedText:
    """A piece or a word, and when it is said, in seconds."""

    text: str
    begins: float
    ends: float

    def later(self, seconds: float) -> "TimedText":
        """Return the same, so many seconds later."""
        return TimedText(self.text, self.begins + seconds, self.ends + seconds)

    def plain(self) -> dict[str, str | float]:
        """Return it for a JSON file, times to the millisecond."""
        return {"text": self.text, "begins": round(self.begins, 3), "ends": round(self.ends, 3)}


def weighed_spans(weights: Weights, n_places: int) -> list[Span]:
    """Return where the middle 80 % of the weights `[T, S]` of each symbol lie.

    In places of a source that has `n_places`; all of them, where a symbol has no weights.
    """
    import numpy as np  # noqa: PLC0415 - slow to import

    size, found = stride(n_places, weights.shape[1]), list[Span]()
    for row in np.asarray(weights, dtype=np.float64):
        sums = np.nan_to_num(row).clip(0).cumsum()
        if sums[-1] > 0:
            first, last = np.searchsorted(sums / sums[-1], [_EDGE, 1 - _EDGE]).tolist()
            found.append((first * size, min((last + 1) * size, n_places)))
        else:
            found.append((0.0, n_places))
    return found


def stride(n_places: int, n_frames: int) -> float:
    """Return how many places of the source a frame stands for.

    >>> stride(9, 5), stride(4, 8)
    (2, 0.5)
    """
    return -(-n_places // n_frames) if n_frames <= n_places else n_places / n_frames


def spoken(spans: Sequence[Span], clock: Clock) -> list[Span]:
    """Return when symbols are said, in seconds, given about where each is.

    The sound between two of them is parted where it is quietest, and what is quiet before and
    behind each is left out. A spike in the quiet before the first sound stands for its beginning,
    one behind the last for its end. Where spans are not in order, as attention may jump, they are
    taken as they are.
    """
    ordered = all(a[0] + a[1] <= b[0] + b[1] for a, b in pairwise(spans))
    if ordered and spans:
        audible = _audible(clock)
        spans = [_trimmed(one, audible) for one in _parted(spans, clock, audible)]
    return [_seconds(one, clock) for one in spans]


def _audible(clock: Clock) -> "NDArray[np.bool_]":
    """Tell which places are loud enough to be heard, `[S]`."""
    import numpy as np  # noqa: PLC0415 - slow to import

    low, high = np.percentile(clock.levels, [5, 100])
    found: NDArray[np.bool_] = clock.levels > max(high - _RANGE, low + _ABOVE)
    return found


def _parted(spans: Sequence[Span], clock: Clock, audible: "NDArray[np.bool_]") -> list[Span]:
    """Give every place of the sound to one of the spans."""
    n = len(audible)
    begin, end = _trimmed((0.0, n), audible)
    edges = min(begin + _ONSET, n), max(end - _ONSET, 0.0)  # what is said at least
    borders = [0.0]
    for (_, before), (behind, _) in pairwise(spans):
        low, high = int(max(before, edges[0])), int(min(behind, edges[1])) + 1
        middle = (before + behind) / 2
        quietest = low + int(clock.levels[low:high].argmin()) if low < high else middle
        borders.append(min(max(quietest, borders[-1]), n))
    return list(pairwise([*borders, float(n)]))


def _trimmed(span: Span, audible: "NDArray[np.bool_]") -> Span:
    """Leave out what is quiet at both ends; all of it is kept if it is quiet throughout."""
    first, end = int(span[0]), max(ceil(span[1]), int(span[0]) + 1)
    (heard,) = audible[first:end].nonzero()
    return (first + int(heard[0]), first + int(heard[-1]) + 1) if len(heard) else span


def _seconds(span: Span, clock: Clock) -> Span:
    begins, ends = (min(max(clock.start + p * clock.each, 0.0), clock.seconds) for p in span)
    if ends > begins:
        return begins, ends
    begins = min(begins, max(clock.seconds - clock.each, 0.0))  # in the silence around the sound
    return begins, min(begins + clock.each, clock.seconds)


def timed_words(
    vocabulary: Vocabulary, ids: Sequence[int], pieces: Sequence[TimedText]
) -> Iterator[TimedText]:
    """Yield words with their times: from their first piece to their last."""
    for group in word_groups(vocabulary, ids) if pieces else ():
        text = vocabulary.decode([ids[i] for i in group]).strip()
        yield TimedText(text, pieces[group[0]].begins, pieces[group[-1]].ends)


def word_groups(vocabulary: Vocabulary, ids: Sequence[int]) -> Iterator[list[int]]:
    """Yield the pieces of each word that is more than white space; a space before it is not it."""
    numbers = vocabulary.words(ids)
    for _, run in groupby(range(len(ids)), key=lambda i: numbers[i]):
        group = list(run)
        while group and not vocabulary.decode([ids[group[0]]]).strip():
            group = group[1:]
        if group:
            yield group


def sum_groups(weights: "Weights", groups: Sequence[int], axis: int) -> "Weights":
    """Add up rows or columns that belong to the same word."""
    import numpy as np  # noqa: PLC0415 - slow to import

    starts = np.flatnonzero(np.diff([-1, *groups]))
    return np.add.reduceat(weights, starts, axis=axis)
