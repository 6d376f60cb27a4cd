"""Encoded pairs in memory, end to end in a few arrays.

Pairs that wait to be mixed are hundreds of thousands. As objects of Python they would take ten
times the memory of their ids, and the collector of garbage, which goes through all of them again
and again, 40 % of the time of a stream.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saccade.data.codecs import TARGET
from saccade.data.store import StoredPair
from saccade.modalities.base import Array


@dataclass(frozen=True, slots=True)
class Packed:
    """Arrays of one side.

    values: of all, one behind the other.  starts: where each begins, and the end, [n + 1].  shapes:
    of each, [n, dimensions].
    """

    values: Array
    starts: NDArray[np.int64]
    shapes: NDArray[np.int32]

    def array(self, i: int) -> Array:
        """Return array `i`."""
        found = self.values[int(self.starts[i]) : int(self.starts[i + 1])]
        return found if self.shapes.shape[1] == 1 else found.reshape(self.shapes[i])


@dataclass(frozen=True, slots=True)
class PackedPairs:
    """Pairs of examples that stand one behind the other.

    owners: which example each pair is of.  origins: of the examples.
    """

    sides: Mapping[str, Packed]
    owners: NDArray[np.int32]
    origins: Sequence[str]

    def pair(self, i: int) -> StoredPair:
        """Return the arrays of pair `i`."""
        owner = int(self.owners[i])
        sources = {name: s.array(owner) for name, s in self.sides.items() if name != TARGET}
        return StoredPair(sources, self.sides[TARGET].array(i))

    def origin(self, i: int) -> str:
        """Name the file and line of pair `i`."""
        return self.origins[int(self.owners[i])]


def packed(arrays: Sequence[Array]) -> Packed:
    """Put arrays of the same type end to end.

    >>> both = packed([np.array([1, 2]), np.array([3])])
    >>> both.values.tolist(), both.starts.tolist(), both.array(1).tolist()
    ([1, 2, 3], [0, 2, 3], [3])
    """
    if not arrays:
        none = np.zeros((0, 1), dtype=np.int32)
        return Packed(np.zeros(0), np.zeros(1, dtype=np.int64), none)
    shapes = np.array([array.shape for array in arrays], dtype=np.int32)
    starts = np.zeros(len(arrays) + 1, dtype=np.int64)
    np.cumsum(shapes.prod(axis=1, dtype=np.int64), out=starts[1:])
    return Packed(np.concatenate([array.ravel() for array in arrays]), starts, shapes)


def joined(parts: Sequence[PackedPairs]) -> PackedPairs:
    """Put pairs behind pairs; there is at least one part."""
    full = [part for part in parts if len(part.owners)] or list(parts[:1])
    if len(full) == 1:
        return full[0]
    first = np.cumsum([0, *(len(part.origins) for part in full[:-1])])
    return PackedPairs(
        {name: _one([part.sides[name] for part in full]) for name in full[0].sides},
        np.concatenate([p.owners + n for p, n in zip(full, first, strict=True)], dtype=np.int32),
        [origin for part in full for origin in part.origins],
    )


def _one(sides: Sequence[Packed]) -> Packed:
    first = np.cumsum([0, *(int(side.starts[-1]) for side in sides)])
    starts = [side.starts[:-1] + n for side, n in zip(sides, first[:-1], strict=True)]
    return Packed(
        np.concatenate([side.values for side in sides]),
        np.concatenate([*starts, first[-1:]]),
        np.concatenate([side.shapes for side in sides]),
    )
