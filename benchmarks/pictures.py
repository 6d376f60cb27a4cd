"""Memory while the features of many pictures are stored: how it grows with their number.

    python -m benchmarks.pictures --pictures 2000 10000 100000

The way of pictures is the real one: files in a folder and five captions each, the reader
`captions`, decoding in worker processes, a chunk of features at a time, the journal, the store. The
files are small JPEGs that are drawn for it, and the network takes mean colours (`pooled.py`), so
that 100,000 take minutes and not an hour. Every number has a process of its own, since a peak never
falls. All that is written is removed.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from PIL import Image

from benchmarks import pooled
from benchmarks.meter import peak_mib
from saccade.data import store
from saccade.data.codecs import Codecs
from saccade.embedders._trunk import Trunk
from saccade.modalities.features import Features
from saccade.modalities.text import TextCodec
from saccade.parts import Part
from saccade.readers.captions import Captions
from saccade.tokenizers.word import Word

SIZE = 64  # pixels that the network reads; grids of 2 x 2 x 1,280, 10 kB
_SAID = "a dog with a red ball runs over the wet grass of a park"
_FILES = 1000  # in one folder


def draw(folder: Path, n: int) -> None:
    """Write so many pictures that all differ, and a file with five captions of each."""
    drawn = np.random.default_rng(n)
    (folder / "images").mkdir()
    with (folder / "captions.tsv").open("w", encoding="utf-8") as file:
        for i in range(n):
            name = f"{i // _FILES:03d}/{i:07d}.jpg"
            path = folder / "images" / name
            path.parent.mkdir(exist_ok=True)
            pixels = drawn.integers(0, 256, (4, 4, 3), dtype=np.uint8)
            Image.fromarray(pixels).resize((48, 36)).save(path, quality=85)
            file.writelines(f"{name}\t{_SAID} {k}\n" for k in range(5))


def build(folder: Path) -> dict[str, float]:
    """Store the features of a folder; return peaks and seconds of this process."""
    codec = Features(network=Part(Trunk, pooled.__name__), size=SIZE).fit([])
    codecs = Codecs({"source": codec}, TextCodec(Word(min_count=1).fit([_SAID], [])))
    before, start = peak_mib(), time.perf_counter()
    reader = Captions(Path(), images=str(folder / "images"), captions=str(folder / "captions.tsv"))
    found = store.build(reader, codecs, folder / "store")
    size = sum(path.stat().st_size for path in (folder / "store").rglob("*") if path.is_file())
    return {
        "before": before,
        "peak": peak_mib(),
        "seconds": time.perf_counter() - start,
        "megabytes": size / 1e6,
        "pairs": len(found),
    }


def measure(n: int) -> dict[str, float]:
    """Draw pictures, store their features in a process of its own, and remove both."""
    with tempfile.TemporaryDirectory() as place:
        draw(Path(place), n)
        command = [sys.executable, "-m", "benchmarks.pictures", "--build", place]
        told = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        found: dict[str, float] = json.loads(told.splitlines()[-1])
        return found


def row(n: int, found: dict[str, float]) -> str:
    """Return a row of the table."""
    grown = found["peak"] - found["before"]
    return (
        f"| {n:,} | {found['megabytes']:,.0f} | {found['before']:,.0f} | {found['peak']:,.0f}"
        f" | {grown:,.0f} | {n / found['seconds']:,.0f} |"
    )


def main() -> None:
    """Measure every number and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--pictures", type=int, nargs="+", default=[2000, 10_000, 100_000])
    parser.add_argument("--build", type=Path)
    given = parser.parse_args()
    if given.build:
        print(json.dumps(build(given.build)))
        return
    print("| pictures | store, MB | MiB before | MiB at most | grown | pictures/s |")
    print("|---|---|---|---|---|---|")
    for n in given.pictures:
        print(row(n, measure(n)), flush=True)


if __name__ == "__main__":
    main()
