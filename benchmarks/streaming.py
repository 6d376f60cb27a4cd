"""A corpus that does not fit, streamed: memory and speed at 1, 5 and 50 million pairs.

    python -m benchmarks.streaming                              needs 3.3 GB of disk for a while
    python -m benchmarks.streaming --pairs 1 5 --what read learn store --json FILE --svg FOLDER

A million pairs are two TSV files of `benchmarks.made_up`; a size is so many of them. Every point is
a process of its own with one thread:

    read     one whole epoch: lines, shuffle, pieces, batches; nothing is learned from them
    learn    updates of a small Transformer on the stream
    store    all pairs encoded into a store, and an epoch of it planned

`peak` is the most resident memory that the process ever held: Python, torch and mapped files too.
Speed is told by the clock and by the time of the processor, which other programs do not change.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from benchmarks.made_up import write_pairs
from benchmarks.meter import peak_mib
from saccade.cli.startup import uncollected
from saccade.data.prepare import Prepared, prepare, training_batches
from saccade.recipe import Recipe, from_plain
from saccade.run import train
from saccade.views import curves

_MARK: Final = "POINT "
_EACH: Final = 500_000  # pairs of a file
_UPDATES: Final = 100
_WHOLE: Final = 4096  # pairs that a batch may have
_TOLD: Final = 5_000  # batches between two lines that tell how far it is
_VALID: Final = [["a", "b"]]  # pairs that nothing is learned from
Row = dict[str, float]
Found = dict[str, dict[str, Row]]  # by kind of work and millions of pairs


def recipe_of(folder: Path, millions: int, *, stored: bool = False) -> Recipe:
    """Return the recipe of a small Transformer on so many files."""
    paths = [str(folder / f"{n:05d}.tsv") for n in range(millions * 1_000_000 // _EACH)]
    corpus = {"kind": "shards", "paths": paths}
    layers = {"kind": "transformer", "layers": 1, "feed_forward": 256}
    return from_plain(
        {
            "name": "streaming",
            "seed": 1,
            "data": {
                "train": corpus if stored else {"kind": "streamed", "corpus": corpus},
                "valid": {"kind": "pairs", "pairs": _VALID},
                "joint": True,
                "source": {"tokenizer": {"kind": "bpe", "size": 8000}},
            },
            "model": {
                "kind": "encoder_decoder",
                "embedding": 128,
                "tie": "all",
                "encoder": layers,
                "decoder": layers,
            },
            "training": {
                "batch_tokens": 4096,
                "max_steps": _UPDATES,
                "validate_every": _UPDATES,
                "report_every": _UPDATES // 2,
            },
            "decoding": {"search": "greedy"},
        }
    )


def read(folder: Path, millions: int, most: int) -> Row:
    """Read one epoch of the stream, every batch of it, or those of the first `most` pairs."""
    recipe = recipe_of(folder, millions)
    prepared, seconds = _prepared(recipe)
    batches = training_batches(recipe, prepared)
    with uncollected():  # as `saccade train` does
        plan, pairs, n = batches.epoch(0), 0, 0
    begun, worked = time.perf_counter(), time.process_time()
    while pairs < most and not plan.ends(n):
        pairs += len(batches.batch(plan[n], 0).index)
        n += 1
        if n % _TOLD == 0:
            print(f"{pairs:,} pairs, {peak_mib():.0f} MiB", file=sys.stderr, flush=True)
    spent, worked = time.perf_counter() - begun, time.process_time() - worked
    assert pairs == millions * 1_000_000 or most <= pairs < most + _WHOLE
    speed = {"pairs/s": pairs / spent, "pairs/processor s": pairs / worked}
    return {"pairs": pairs, "sample s": seconds, "seconds": spent, "batches": n, **speed}


def learn(folder: Path, millions: int, _: int) -> Row:
    """Train on the stream."""
    recipe = recipe_of(folder, millions)
    with tempfile.TemporaryDirectory() as name:
        begun = time.perf_counter()
        ran = train(recipe, Path(name) / "run")
        spent = time.perf_counter() - begun
    assert ran.progress.step == _UPDATES
    return {"train s": spent, "updates": _UPDATES}


def store(folder: Path, millions: int, _: int) -> Row:
    """Encode all pairs into a store, and plan an epoch of it."""
    recipe = recipe_of(folder, millions, stored=True)
    prepared, seconds = _prepared(recipe)
    disk = sum(path.stat().st_size for path in prepared.train[0].folder.iterdir())
    batches = training_batches(recipe, prepared)
    begun = time.perf_counter()
    plan = batches.epoch(0)
    spent = time.perf_counter() - begun
    for i in range(min(_UPDATES, plan.expected)):
        batches.batch(plan[i], 0)
    return {"store s": seconds, "plan s": spent, "store bytes/pair": disk / millions / 1e6}


WORKS: dict[str, Callable[[Path, int, int], Row]] = {"read": read, "learn": learn, "store": store}


def measure(folder: Path, what: Sequence[str], sizes: Sequence[int], most: int) -> Found:
    """Measure every point in a process of its own."""
    found: Found = {}
    for work in what:
        for millions in sizes:
            words = ["--point", work, str(millions), "--folder", str(folder), "--most", str(most)]
            with tempfile.TemporaryDirectory() as home:
                ended = subprocess.run(
                    [sys.executable, "-m", "benchmarks.streaming", *words],
                    env=os.environ | {"OMP_NUM_THREADS": "1", "SACCADE_HOME": home},
                    stdout=subprocess.PIPE,
                    check=True,
                    text=True,
                )
            (line,) = (one for one in ended.stdout.splitlines() if one.startswith(_MARK))
            found.setdefault(work, {})[str(millions)] = json.loads(line.removeprefix(_MARK))
            print(work, f"{millions} M", line.removeprefix(_MARK), flush=True)
    return found


def picture(found: Found, key: str) -> str:
    """Draw a figure over the pairs, a line for each kind of work that has it."""
    names = {"read": "reading a stream", "learn": "learning from a stream", "store": "a store"}
    lines = {
        names[work]: [(int(n) * 1e6, row[key]) for n, row in rows.items() if key in row]
        for work, rows in found.items()
    }
    kept = {name: points for name, points in lines.items() if points}
    return curves.to_svg(kept, x_label="pairs", y_label=key)


def _prepared(recipe: Recipe) -> tuple[Prepared, float]:
    begun = time.perf_counter()
    prepared = prepare(recipe, Path())
    return prepared, time.perf_counter() - begun


def main() -> None:
    """Measure and print."""
    given = _parsed()
    if given.point:
        work, millions = given.point
        row = WORKS[work](given.folder, int(millions), given.most)
        print(_MARK + json.dumps(row | {"peak MiB": peak_mib()}), flush=True)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = given.folder or Path(name)
        if not given.folder:
            most = max(given.pairs)
            write_pairs(folder, most * 1_000_000, most * 1_000_000 // _EACH)
        found = measure(folder, given.what, given.pairs, given.most)
    before = json.loads(given.json.read_text("utf-8")) if given.json and given.json.exists() else {}
    found = {work: before.get(work, {}) | found.get(work, {}) for work in {**before, **found}}
    if given.json:
        given.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    if given.svg:
        for key, ending in (("peak MiB", "memory"), ("pairs/processor s", "speed")):
            path = given.svg / f"streaming-{ending}.svg"
            path.write_text(picture(found, key), encoding="utf-8")


def _parsed() -> Any:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--pairs", type=int, nargs="+", default=[1, 5, 50], help="millions")
    parser.add_argument("--what", nargs="+", choices=list(WORKS), default=["read", "learn"])
    parser.add_argument("--most", type=int, default=1 << 40, help="pairs that `read` reads")
    parser.add_argument("--folder", type=Path, help="where made_up has written the pairs")
    parser.add_argument(
        "--json", type=Path, help="takes up the new points beside those that it has"
    )
    parser.add_argument("--svg", type=Path, help="a folder for the pictures")
    parser.add_argument("--point", nargs=2, help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
