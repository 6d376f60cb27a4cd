"""Files of links between words, in the format of Pharaoh: `0-0 1-2`, a line for each pair.

A place of the source comes first, both count from 0. `1p2` and `1?2` are links that are only
possible, in files by people. A number and a tab may stand before the links of a line.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saccade.errors import DataError
from saccade.metrics._links import GoldLinks
from saccade.models._links import Links, sorted_links
from saccade.readers._lines import read_lines

_LINK = re.compile(r"([0-9]{1,6})([-p?])([0-9]{1,6})")
_NUMBER = re.compile(r"[0-9]+\t")


def read_gold(
    path: Path, source_lengths: Sequence[int], target_lengths: Sequence[int]
) -> GoldLinks:
    """Read links by people, of pairs that have so many words."""
    rows = _rows(path, source_lengths, target_lengths)
    table = np.array(list(rows), np.int32).reshape(-1, 4)
    sure = table[:, 3] == 1
    return GoldLinks(sorted_links(table[sure, :3]), sorted_links(table[:, :3]))


def read_links(path: Path, source_lengths: Sequence[int], target_lengths: Sequence[int]) -> Links:
    """Read the links of pairs that have so many words, possible ones too."""
    return read_gold(path, source_lengths, target_lengths).possible.astype(np.int32)


def pharaoh_lines(links: NDArray[Any], n_pairs: int) -> Iterator[str]:
    """Yield the line of every pair.

    >>> list(pharaoh_lines(np.array([[0, 0, 1], [0, 2, 2], [2, 1, 0]]), 3))
    ['0-1 2-2', '', '1-0']
    """
    begins = np.searchsorted(links[:, 0], np.arange(n_pairs + 1))
    for pair in range(n_pairs):
        here = links[begins[pair] : begins[pair + 1], 1:].tolist()
        yield " ".join(f"{s}-{t}" for s, t in here)


def _rows(
    path: Path, source_lengths: Sequence[int], target_lengths: Sequence[int]
) -> Iterable[tuple[int, int, int, int]]:
    n = 0
    for n, line in enumerate(read_lines(path), start=1):
        if n > len(source_lengths):
            break
        numbered = _NUMBER.match(line)
        for token in line[numbered.end() if numbered else 0 :].split():
            found = _LINK.fullmatch(token)
            if not found:
                raise DataError(
                    f"{path}:{n}: {token[:40]!r} is no link; expected places from 0 such as 0-3, or"
                    " 0p3 for a possible link. Mend the line."
                )
            s, t = int(found[1]), int(found[3])
            if s >= source_lengths[n - 1] or t >= target_lengths[n - 1]:
                raise DataError(
                    f"{path}:{n}: the link {token} is out of range: the source has"
                    f" {source_lengths[n - 1]} words and the target {target_lengths[n - 1]};"
                    " expected places from 0, of the source first. Are these the same pairs?"
                )
            yield n - 1, s, t, int(found[2] == "-")
    if n != len(source_lengths):
        raise DataError(
            f"{path}: has {'more' if n > len(source_lengths) else n} lines but there are"
            f" {len(source_lengths)} pairs; expected a line for each."
        )
