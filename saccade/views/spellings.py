"""All paths of frames that spell a short text, with their probabilities: what CTC adds up."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import comb, exp

import numpy as np
import numpy.typing as npt

from saccade.errors import ShapeError
from saccade.views.trellis import BLANK
from saccade.views.words import label, pad, widest

_MOST = 100_000  # paths that are listed


@dataclass(frozen=True, slots=True)
class Spelling:
    """One path, symbol by symbol as ids, and its probability."""

    path: tuple[int, ...]
    probability: float


def n_paths(n_frames: int, labels: Sequence[int]) -> int:
    """Count the paths of so many frames that spell labels.

        C(S + L - r, 2L)        r doubles: each needs a blank of its own

    >>> n_paths(3, [4, 5]), n_paths(3, [4, 4]), n_paths(2, [4, 4])
    (5, 1, 0)
    """
    doubles = sum(a == b for a, b in pairwise(labels))
    return comb(max(n_frames + len(labels) - doubles, 0), 2 * len(labels))


def every_path(
    frames: npt.NDArray[np.float64], labels: Sequence[int], blank: int = 0
) -> list[Spelling]:
    """List all paths of `frames [S, V]`, log-probabilities, that spell labels; likeliest first."""
    n = n_paths(len(frames), labels)
    if n > _MOST:
        raise ShapeError(
            f"spellings: {n:,} paths of {len(frames)} frames spell these {len(labels)} labels;"
            f" expected at most {_MOST:,} to list. Take fewer frames or a shorter text."
        )
    states = [blank, *(symbol for one in labels for symbol in (one, blank))]

    def walk(t: int, state: int, path: list[int], total: float) -> Iterator[Spelling]:
        left = len(frames) - t
        if left == 0:
            if state >= len(states) - 2:
                yield Spelling(tuple(path), exp(total))
            return
        if 2 * left < len(states) - 2 - state:
            return  # too far from the end
        for step in (0, 1, 2):
            following = state + step
            if following >= len(states) or (step == 2 and not _skips(states, following, blank)):
                continue
            symbol = states[following]
            yield from walk(t + 1, following, [*path, symbol], total + float(frames[t, symbol]))

    def begin() -> Iterator[Spelling]:
        for state in range(min(2, len(states))):
            symbol = states[state]
            yield from walk(1, state, [symbol], float(frames[0, symbol]))

    return sorted(begin(), key=lambda one: (-one.probability, one.path)) if len(frames) else []


def _skips(states: Sequence[int], state: int, blank: int) -> bool:
    return states[state] not in (blank, states[state - 2])


def to_terminal(found: Sequence[Spelling], names: Sequence[str], *, most: int = 20) -> str:
    """Write a line for each path: its symbols, its probability, and the sum at the end."""
    shown = [[label(names[i]) if i else BLANK for i in one.path] for one in found[:most]]
    room = max((widest(row) for row in shown), default=1)
    lines = [
        f"{' '.join(pad(name, room) for name in row)}  {one.probability:.6f}"
        for row, one in zip(shown, found, strict=False)
    ]
    more = [f"... and {len(found) - most:,} more"] if len(found) > most else []
    total = sum(one.probability for one in found)
    return "\n".join([*lines, *more, f"{len(found):,} paths, together {total:.6f}"]) + "\n"
