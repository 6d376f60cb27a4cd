"""How much memory the pairs of a store take: what is held for each, and the most while it opens.

    python -m benchmarks.planning [PAIRS]

Only the offsets of a store are written, 16 bytes a pair, into a temporary folder; its values are a
hole in a file. Prints a line of JSON: bytes a pair beyond the program, and the peak of the process.
"""

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.meter import peak_mib
from saccade.data.batching import Batches
from saccade.data.builder import FORMAT, META
from saccade.data.codecs import TARGET, Codecs
from saccade.data.store import Store
from saccade.modalities.text import TextCodec
from saccade.nouns import SOURCE_NAME
from saccade.tokenizers.character import Character

_CHUNK: Final = 1_000_000
_MIB: Final = 1 << 20


def write_store(folder: Path, pairs: int) -> None:
    """Write a store of sides of 3 to 11 symbols that nobody reads."""
    for n, side in enumerate((SOURCE_NAME, TARGET)):
        generator, end = np.random.Generator(np.random.PCG64(n)), 0
        with (folder / f"{side}.offsets").open("wb") as file:
            file.write(bytes(8))
            for begin in range(0, pairs, _CHUNK):
                sizes = generator.integers(3, 12, min(_CHUNK, pairs - begin))
                ends = end + np.cumsum(sizes)
                file.write(ends.tobytes())
                end = int(ends[-1])
        with (folder / f"{side}.values").open("wb") as file:
            file.truncate(2 * end)
    sides = {side: {"dtype": "uint16", "dimensions": 1} for side in (SOURCE_NAME, TARGET)}
    meta = {"format": FORMAT, "pairs": pairs, "sides": sides, "sizes": {}, "origins": [[0, "x", 1]]}
    (folder / META).write_text(json.dumps(meta), encoding="utf-8")


def measure(pairs: int) -> dict[str, float]:
    """Open a store of so many pairs, and plan an epoch."""
    codec = TextCodec(Character().fit(["a"], []))
    codecs = Codecs({SOURCE_NAME: codec}, codec)
    with tempfile.TemporaryDirectory() as name:
        write_store(Path(name), pairs)
        before, begun = _resident(), time.process_time()
        store = Store(Path(name), codecs)
        limits = {SOURCE_NAME: 256, TARGET: 256}
        batches = Batches([store], codecs, batch_tokens=4096, limits=limits, seed=1)
        held, opened = _resident() - before, peak_mib() - before
        plan = batches.epoch(0)
    per_pair = {"held": held, "most to open": opened, "most to plan": peak_mib() - before}
    found = {f"{name} B": round(size * _MIB / pairs, 1) for name, size in per_pair.items()}
    spent = round(time.process_time() - begun, 1)
    return {
        "pairs": pairs,
        **found,
        "peak MiB": round(peak_mib()),
        "s": spent,
        "batches": len(plan),
    }


def _resident() -> float:
    """Return how many MiB this process holds now."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:")) / 1024


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]) if sys.argv[1:] else 5_000_000)))
