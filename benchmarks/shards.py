"""How fast a corpus in shards is predicted with 1, 2, ... workers of one thread.

    python -m benchmarks.shards MODEL LINES_FILE --workers 1 2 --shards 8

The lines of the file are shared out over the shards. Prints a line of JSON for each number of
workers: seconds of the whole command, from its start to its end, and lines a second.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def main() -> None:
    """Measure every number of workers."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("lines", type=Path)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--shards", type=int, default=8)
    given = parser.parse_args()
    lines = given.lines.read_bytes().splitlines(keepends=True)
    with tempfile.TemporaryDirectory() as name:
        corpus = Path(name) / "corpus"
        corpus.mkdir()
        for n in range(given.shards):
            (corpus / f"{n:04d}.txt").write_bytes(b"".join(lines[n :: given.shards]))
        for workers in given.workers:
            seconds = measure(given.model, corpus, Path(name) / f"out-{workers}", workers)
            found = {"workers": workers, "lines": len(lines), "seconds": round(seconds, 1)}
            print(json.dumps(found | {"lines_a_second": round(len(lines) / seconds, 1)}))


def measure(model: Path, corpus: Path, out: Path, workers: int) -> float:
    """Return how many seconds the command takes."""
    words = [sys.executable, "-m", "saccade", "predict", str(model), "--shards", str(corpus)]
    begin = time.perf_counter()
    subprocess.run(
        [*words, str(out), "--workers", str(workers)],
        check=True,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )
    return time.perf_counter() - begin


if __name__ == "__main__":
    main()
