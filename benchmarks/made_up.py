"""Text that nobody wrote: sentences of made-up words, by the gigabyte, a function of a seed.

    python -m benchmarks.made_up FOLDER [PAIRS [SHARDS]]

writes pairs as TSV files. A word of the target stands for one of the source, in the same order, so
there is something to learn. A million pairs are 65 MB.
"""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

_WORDS: Final = 20_000
_LETTERS: Final = np.frombuffer(b"abcdefghijklmnopqrstuvwxyz", dtype=np.uint8)
_CHUNK: Final = 100_000  # pairs in memory at once
_SPACE, _TAB, _END = b" \t\n"
Ids = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Words whose frequencies follow Zipf.

    letters: of all words, each with a space behind it.  starts, sizes: where a word is in them.
    edges: the sums of the frequencies.
    """

    letters: NDArray[np.uint8]
    starts: Ids
    sizes: Ids
    edges: NDArray[np.float64]

    def drawn(self, n: int, generator: np.random.Generator) -> Ids:
        """Draw `n` words."""
        return np.searchsorted(self.edges, generator.random(n)).clip(max=_WORDS - 1)

    def text(self, words: Ids, ends: Ids, marks: NDArray[np.uint8]) -> bytes:
        """Write words one behind the other; behind the words at `ends` stand `marks`, no space."""
        sizes = self.sizes[words]
        stops = np.cumsum(sizes)
        places = np.arange(stops[-1]) + np.repeat(self.starts[words] - (stops - sizes), sizes)
        found = self.letters[places]
        found[stops[ends] - 1] = marks
        return bytes(found)


def lexicon(seed: int) -> Lexicon:
    """Make words of 2 to 9 letters."""
    generator = np.random.Generator(np.random.PCG64(seed))
    sizes = generator.integers(2, 10, _WORDS) + 1
    letters = generator.choice(_LETTERS, int(sizes.sum()))
    stops = np.cumsum(sizes)
    letters[stops - 1] = _SPACE
    odds = 1 / np.arange(1, _WORDS + 1)
    return Lexicon(letters, stops - sizes, sizes, np.cumsum(odds / odds.sum()))


def write_lines(path: Path, n: int, seed: int, *, shortest: int = 3, longest: int = 25) -> None:
    """Write `n` sentences of so many words, a line each."""
    words, generator = lexicon(seed), np.random.Generator(np.random.PCG64([seed, 1]))
    with path.open("wb") as file:
        for begin in range(0, n, _CHUNK):
            sizes = generator.integers(shortest, longest + 1, min(_CHUNK, n - begin))
            ends = np.cumsum(sizes) - 1
            marks = np.full(len(ends), _END, dtype=np.uint8)
            file.write(words.text(words.drawn(int(sizes.sum()), generator), ends, marks))


def write_pairs(
    folder: Path, pairs: int, shards: int, *, shortest: int = 3, longest: int = 7
) -> None:
    """Write files `00000.tsv`, ... of two columns; file n is the same for any number of files."""
    words = lexicon(0)
    meant = np.random.Generator(np.random.PCG64(1)).permutation(_WORDS)
    folder.mkdir(parents=True, exist_ok=True)
    for shard in range(shards):
        generator = np.random.Generator(np.random.PCG64([2, shard]))
        share = pairs // shards + (shard < pairs % shards)
        with (folder / f"{shard:05d}.tsv").open("wb") as file:
            for begin in range(0, share, _CHUNK):
                sizes = generator.integers(shortest, longest + 1, min(_CHUNK, share - begin))
                file.write(_rows(words, meant, sizes, generator))


def _rows(words: Lexicon, meant: Ids, sizes: Ids, generator: np.random.Generator) -> bytes:
    """Write pairs of sentences of so many words."""
    source = words.drawn(int(sizes.sum()), generator)
    both = np.repeat(sizes, 2)  # [2 n], source and target in turn
    stops = np.cumsum(both)
    at = np.arange(len(source)) + np.repeat(np.cumsum(sizes) - sizes, sizes)  # of source words
    drawn = np.empty(int(stops[-1]), dtype=np.int64)
    drawn[at] = source
    drawn[at + np.repeat(sizes, sizes)] = meant[source]
    marks = np.tile(np.array([_TAB, _END], dtype=np.uint8), len(sizes))
    return words.text(drawn, stops - 1, marks)


def main() -> None:
    """Write the files."""
    pairs, shards = ([int(one) for one in sys.argv[2:]] + [50_000_000, 100][len(sys.argv[2:]) :])[
        :2
    ]
    write_pairs(Path(sys.argv[1]), pairs, shards)


if __name__ == "__main__":
    main()
