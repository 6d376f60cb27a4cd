"""Pairs end to end in arrays are the pairs that were put in."""

import numpy as np

from saccade.data.packed import PackedPairs, joined, packed


def _pairs(first: int, n: int) -> PackedPairs:
    """Examples of a picture `[k, 2]` and one or two targets, some of them empty."""
    pictures = [np.full((i % 3 + 1, 2), i, dtype=np.float32) for i in range(first, first + n)]
    owners = [i for i in range(n) for _ in range(1 + i % 2)]
    targets = [np.full((first + i) % 3, first + i, dtype=np.uint16) for i in owners]
    sides = {"source": packed(pictures), "target": packed(targets)}
    return PackedPairs(sides, np.array(owners, np.int32), [f"a:{first + i}" for i in range(n)])


def test_every_pair_comes_back() -> None:
    parts = [_pairs(0, 4), PackedPairs({}, np.zeros(0, np.int32), []), _pairs(4, 3)]
    whole = joined(parts)
    assert len(whole.owners) == 6 + 4
    for part, begin in ((parts[0], 0), (parts[2], 6)):
        for i in range(len(part.owners)):
            one, same = part.pair(i), whole.pair(begin + i)
            assert one.sources["source"].tolist() == same.sources["source"].tolist()
            assert one.sources["source"].shape[1] == 2
            assert one.target.tolist() == same.target.tolist()
            assert same.target.dtype == np.uint16
            assert (
                part.origin(i) == whole.origin(begin + i) == f"a:{one.sources['source'][0, 0]:.0f}"
            )


def test_nothing_is_joined_to_nothing() -> None:
    none = packed([])
    empty = PackedPairs({"source": none, "target": none}, np.zeros(0, np.int32), [])
    assert joined([empty, empty]) is empty
    assert none.starts.tolist() == [0]
