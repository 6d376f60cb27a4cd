"""Which phrases say the same: METEOR's table of paraphrases, as fingerprints.

The table has millions of pairs. Only 64-bit fingerprints of the phrases are kept, in the order of
the table, in one array that is made at first use and mapped from the disk afterwards:

    [format, longest phrase, K,  keys [K],  begin [K],  end [K],  values [V]]      unsigned, 64 bits

`keys` are in order; values[begin[k]:end[k]] are the paraphrases of the phrase keys[k]. The
fingerprint is a sum of bytes times random numbers, one for each place in the phrase: two phrases
share one with a chance of about 2^-57.
"""

import gzip
import os
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from saccade.errors import DataError

Words64 = NDArray[np.uint64]

_FORMAT, _HEAD = 1, 3
_LONGEST_LINE = 1024
_BLOCK = 1 << 23
_NEWLINE = 10
_FACTORS: Words64 = np.random.default_rng(1405).integers(
    1 << 64, size=_LONGEST_LINE, dtype=np.uint64
)
_PLAIN = [int(factor) for factor in _FACTORS]
_KEPT = 50_000  # phrases whose paraphrases are remembered


class Paraphrases:
    """A table of paraphrases: for a phrase, which phrases may stand for it, and in which order."""

    def __init__(self, array: Words64) -> None:
        count = int(array[2])
        parts = np.split(array[_HEAD:], [count, 2 * count, 3 * count])
        self._keys, self._begin, self._end, self._values = parts
        self.longest = int(array[1])
        self._known: dict[int, dict[int, int]] = {}

    def of(self, mark: int) -> dict[int, int]:
        """Return the fingerprints of a phrase's paraphrases with their place in the table."""
        found = self._known.get(mark)
        if found is None:
            if len(self._known) >= _KEPT:
                self._known.clear()
            found = self._known[mark] = self._read(mark)
        return found

    def _read(self, mark: int) -> dict[int, int]:
        place = int(np.searchsorted(self._keys, np.uint64(mark)))
        if place == len(self._keys) or int(self._keys[place]) != mark:
            return {}
        row = self._values[int(self._begin[place]) : int(self._end[place])]
        return {value: n for n, value in enumerate(row.tolist())}


@lru_cache(maxsize=200_000)
def fingerprint(phrase: str) -> int:
    """Return the 64-bit fingerprint of a phrase, words parted by one space."""
    line = phrase.encode() + b"\n"
    total = sum(byte * factor for byte, factor in zip(line, _PLAIN, strict=False))
    return total & 0xFFFF_FFFF_FFFF_FFFF


def paraphrases(path: Path) -> Paraphrases:
    """Read a table `paraphrase-en.gz`: lines of probability, phrase and paraphrase in turn.

    Its fingerprints are kept in `$SACCADE_HOME/meteor`, or `~/.cache/saccade/meteor`.
    """
    with path.open("rb") as file:  # a gz file ends with a checksum and the length of its content
        file.seek(-8, os.SEEK_END)
        name = f"{path.stat().st_size:x}-{file.read(8).hex()}.npy"
    home = os.environ.get("SACCADE_HOME")
    folder = Path(home) if home else Path.home() / ".cache" / "saccade"
    kept = folder / "meteor" / name
    if (array := _kept(kept)) is None:
        with gzip.open(path) as stream:
            array = tabulated(stream, str(path))  # type: ignore[arg-type]
        _keep(kept, array)
    return Paraphrases(array)


def tabulated(stream: BinaryIO, name: str) -> Words64:
    """Turn the text of a table into the array described above."""
    firsts, seconds, longest, rest = [], [], 0, b""
    while block := stream.read(_BLOCK):
        text = np.frombuffer(rest + block, dtype=np.uint8)
        ends = np.flatnonzero(text == _NEWLINE) + 1
        ends = ends[: len(ends) // 3 * 3]
        used = int(ends[-1]) if len(ends) else 0
        rest = text[used:].tobytes()
        if used:
            marks = _marks(text[:used], ends, name).reshape(-1, 3)
            firsts.append(marks[:, 1])
            seconds.append(marks[:, 2])
            longest = max(longest, _longest(text[:used], ends))
    if rest or not firsts:
        raise DataError(
            f"{name}: its last lines are incomplete; expected lines of probability, phrase and"
            " paraphrase in turn. Install the package again."
        )
    return _grouped(np.concatenate(firsts), np.concatenate(seconds), longest)


def _marks(text: NDArray[np.uint8], ends: NDArray[np.int64], name: str) -> Words64:
    """Return the fingerprint of every line."""
    starts = np.concatenate([[0], ends[:-1]])
    lengths = ends - starts
    if int(lengths.max()) > _LONGEST_LINE:
        raise DataError(
            f"{name}: a line of {int(lengths.max())} bytes; expected at most {_LONGEST_LINE}."
            " Is this METEOR's table of paraphrases?"
        )
    places = np.arange(len(text)) - np.repeat(starts, lengths)
    return np.add.reduceat(text * _FACTORS[places], starts)


def _longest(text: NDArray[np.uint8], ends: NDArray[np.int64]) -> int:
    """Return how many words the longest phrase has."""
    spaces = np.concatenate([[0], np.cumsum(text == ord(" "))])[ends]
    counts = np.diff(spaces, prepend=0)
    return int(counts.max()) + 1


def _grouped(firsts: Words64, seconds: Words64, longest: int) -> Words64:
    """Gather the paraphrases of each phrase, in the order of the table."""
    order = np.argsort(firsts, kind="stable")
    keys, begin = np.unique(firsts[order], return_index=True)
    end = np.append(begin[1:], len(order))
    head = [_FORMAT, longest, len(keys)]
    parts = [np.array(head), keys, begin, end, seconds[order]]
    return np.concatenate([part.astype(np.uint64) for part in parts])


def _kept(path: Path) -> Words64 | None:
    """Map an array that was kept before; None if there is none, or it is not whole."""
    try:
        array: Words64 = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError):
        return None
    if array.dtype != np.uint64 or array.ndim != 1 or len(array) < _HEAD or array[0] != _FORMAT:
        return None
    values = _HEAD + 3 * int(array[2])  # the last end is how many values there are
    whole = _HEAD < values < len(array) and values + int(array[values - 1]) == len(array)
    return array if whole else None


def _keep(path: Path, array: Words64) -> None:
    """Write the array aside and rename it; without a place to write it is made anew next time."""
    aside = path.with_name(f"{path.stem}.{os.getpid()}.tmp.npy")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        np.save(aside, array, allow_pickle=False)
        aside.replace(path)
    except OSError:
        with suppress(OSError):
            aside.unlink()
