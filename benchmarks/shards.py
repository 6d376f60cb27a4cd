"""How fast a corpus in shards is predicted with 1, 2, ... workers of one thread.

    python -m benchmarks.shards MODEL LINES_FILE --workers 1 2 --shards 8 --runners processes ray

The lines of the file are shared out over the shards. Prints a line of JSON for each runner and
number of workers: seconds of the whole command, from its start to its end, and lines a second. All
must write the same.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from itertools import product
from pathlib import Path


def main() -> None:
    """Measure every number of workers."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("lines", type=Path)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--runners", nargs="+", default=["processes"])
    parser.add_argument("--shards", type=int, default=8)
    given = parser.parse_args()
    lines = given.lines.read_bytes().splitlines(keepends=True)
    with tempfile.TemporaryDirectory() as name:
        corpus = Path(name) / "corpus"
        corpus.mkdir()
        for n in range(given.shards):
            (corpus / f"{n:04d}.txt").write_bytes(b"".join(lines[n :: given.shards]))
        first = Path(name) / f"out-{given.runners[0]}-{given.workers[0]}"
        for runner, workers in product(given.runners, given.workers):
            out = Path(name) / f"out-{runner}-{workers}"
            seconds = measure(given.model, corpus, out, workers, runner)
            found = {"runner": runner, "workers": workers, "lines": len(lines)}
            speed = round(len(lines) / seconds, 1)
            print(json.dumps(found | {"seconds": round(seconds, 1), "lines_a_second": speed}))
            for path in corpus.iterdir():
                assert (out / path.name).read_bytes() == (first / path.name).read_bytes()


def measure(model: Path, corpus: Path, out: Path, workers: int, runner: str) -> float:
    """Return how many seconds the command takes."""
    words = [sys.executable, "-m", "saccade", "predict", str(model), "--shards", str(corpus)]
    begin = time.perf_counter()
    subprocess.run(
        [*words, str(out), "--workers", str(workers), "--runner", runner],
        check=True,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )
    return time.perf_counter() - begin


if __name__ == "__main__":
    main()
