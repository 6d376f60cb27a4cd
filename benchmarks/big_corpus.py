"""Five million pairs from text to batches: how long each phase takes and how much memory it needs.

    python -m benchmarks.big_corpus [PAIRS [BATCHES [SHARDS]]]

Every side is one file, or SHARDS files that the reader `shards` finds by a pattern. Prints one line
of JSON. The files live in a temporary folder and need about 1.5 GB of disk for five million pairs.
`benchmarks.growth` calls it for several sizes.
"""

import json
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import numpy as np

from benchmarks.meter import peak_mib
from saccade.data.batching import Batches
from saccade.data.codecs import TARGET, Codecs
from saccade.data.store import build
from saccade.modalities.text import TextCodec
from saccade.nouns import SOURCE_NAME
from saccade.readers.base import Reader
from saccade.readers.shards import Shards
from saccade.tokenizers._vocabulary import Vocabulary
from saccade.tokenizers.base import learn
from saccade.tokenizers.bpe import Bpe


def main() -> None:
    """Run every phase and print the report."""
    given = [int(text) for text in sys.argv[1:]]
    print(json.dumps(measure(*(given + [5_000_000, 500, 1][len(given) :]))))


def measure(pairs: int, batches: int, shards: int = 1) -> dict[str, float]:
    """Take so many pairs from text to batches; return seconds and peak memory of every phase."""
    report: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with _phase(report, "write_text"):
            for n in range(shards):
                share = pairs // shards + (n < pairs % shards)
                _write(folder / f"source-{n:04d}.txt", share, seed=2 * n + 1)
                _write(folder / f"target-{n:04d}.txt", share, seed=2 * n + 2)
        reader = Shards(folder, paths=["source-*.txt"], targets=["target-*.txt"])
        with _phase(report, "learn"):
            codec = TextCodec(_learn(reader))
        codecs = Codecs({SOURCE_NAME: codec}, codec)
        with _phase(report, "store"):
            store = build(reader, codecs, folder / "store")
        with _phase(report, "open_again"):
            store = build(reader, codecs, folder / "store")
        limits = {SOURCE_NAME: 256, TARGET: 256}
        plan_of = Batches([store], codecs, batch_tokens=4096, limits=limits, seed=1)
        with _phase(report, "plan"):
            plan = plan_of.epoch(0)
        with _phase(report, "batches"):
            for indices in islice(plan, batches):
                plan_of.batch(indices)
        disk = sum(path.stat().st_size for path in store.folder.iterdir())
    found = {"pairs": len(store), "epoch_batches": len(plan), "read_batches": batches}
    return found | {"store_mb": round(disk / 1e6)} | report


@contextmanager
def _phase(report: dict[str, float], name: str) -> Iterator[None]:
    begin = time.perf_counter()
    yield
    report[f"{name}_s"] = round(time.perf_counter() - begin, 4)
    report[f"{name}_peak_mb"] = round(peak_mib())


def _write(path: Path, lines: int, seed: int) -> None:
    """Write sentences of 3 to 25 made-up words whose frequencies follow Zipf."""
    generator = np.random.Generator(np.random.PCG64(seed))
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    words = np.array(
        ["".join(generator.choice(letters, n)) for n in generator.integers(2, 10, 20000)]
    )
    odds = 1 / np.arange(1, len(words) + 1)
    edges = np.cumsum(odds / odds.sum())
    with path.open("w", encoding="utf-8") as file:
        for begin in range(0, lines, 10000):
            lengths = generator.integers(3, 26, min(10000, lines - begin))
            drawn = words[np.searchsorted(edges, generator.random(lengths.sum())).clip(max=19999)]
            for sentence in np.split(drawn, np.cumsum(lengths)[:-1]):
                file.write(" ".join(sentence) + "\n")


def _learn(reader: Reader) -> Vocabulary:
    sides = [(e.source for e in reader.read()), (e.target for e in reader.read())]
    return learn(Bpe(size=8000), sides, ["nfc", "strip"])


if __name__ == "__main__":
    main()
