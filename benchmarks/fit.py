"""`saccade fit` on data sets of many sizes: score, time promised and time taken.

    python -m benchmarks.fit --sizes 200 1000 4000 --within 10m --jobs 1
    python -m benchmarks.fit --sets french tatoeba --md docs/results/fit.md

Training pairs are a random sample (seed 0) of a set's training data; every size is tested on the
set's own test data, or on 500 pairs whose sources are held out first. Small sizes of all sets come
first. A result is kept in the folder, and a run that was made already is not made again.
"""

import argparse
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.environments import cache
from benchmarks.tables import put
from saccade.nouns import Example
from saccade.readers.base import Reader
from saccade.readers.labelled import Labelled
from saccade.readers.misspellings import Misspellings
from saccade.readers.text import Text
from saccade.readers.tsv import Tsv

DATA = Path("../shared/data")
SIZES = (200, 500, 1000, 4000, 30_000)
_HELD = 500  # pairs held out of a set that has no split
_METRICS = ("error_rate", "exact_match", "chrf", "bleu")


@dataclass(frozen=True)
class DataSet:
    """A set's training data and, if it has one, its test data."""

    train: Callable[[Path], Reader]
    test: Callable[[Path], Reader] | None = None


def _language(code: str) -> DataSet:
    folder = "sigmorphon2020-g2p"
    return DataSet(
        lambda root: Tsv(root, path=f"{folder}/{code}_train.tsv"),
        lambda root: Tsv(root, path=f"{folder}/{code}_test.tsv"),
    )


SETS = {
    "french": _language("fre"),
    "greek": _language("gre"),
    "hindi": _language("hin"),
    "hungarian": _language("hun"),
    "korean": _language("kor"),
    "spelling": DataSet(lambda root: Misspellings(root, path="spelling/spell-errors.txt")),
    "multi30k": DataSet(
        lambda root: Text(root, source="multi30k/train.en", target="multi30k/train.de"),
        lambda root: Text(
            root,
            source="multi30k/test_2016_flickr.en",
            target="multi30k/test_2016_flickr.de",
        ),
    ),
    "tatoeba": DataSet(lambda root: Tsv(root, path="tatoeba-eng-fra/fra.txt.gz")),
    "sst2": DataSet(
        lambda root: Labelled(root, path="sentiment/stsa.binary.train"),
        lambda root: Labelled(root, path="sentiment/stsa.binary.test"),
    ),
    "trec": DataSet(
        lambda root: Labelled(root, path="sentiment/TREC.train.all"),
        lambda root: Labelled(root, path="sentiment/TREC.test.all"),
    ),
}


def samples(
    one: DataSet, sizes: Sequence[int]
) -> Iterator[tuple[int, list[Example], list[Example]]]:
    """Yield (size, training, test) of every size that the set is large enough for."""
    pairs = list(one.train(DATA).read())
    random.Random(0).shuffle(pairs)
    if one.test:
        test = list(one.test(DATA).read())
    else:
        held = {pair.source for pair in pairs[:_HELD]}
        test = pairs[:_HELD]
        pairs = [pair for pair in pairs[_HELD:] if pair.source not in held]
    for size in sizes:
        if size <= len(pairs) or size == max(sizes):
            yield min(size, len(pairs)), pairs[:size], test


def write(path: Path, pairs: Sequence[Example]) -> None:
    """Write pairs as JSON lines, which keep every character."""
    rows = ({"source": pair.source, "target": pair.target} for pair in pairs)
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_text(text, encoding="utf-8")


def run(folder: Path, within: str, threads: int, seed: int) -> dict[str, Any]:
    """Fit in a folder that holds train.jsonl and test.jsonl; return what came of it."""
    kept = folder / f"result-{within}-{threads}-{seed}.json"
    if kept.exists():
        return dict(json.loads(kept.read_text(encoding="utf-8")))
    model = folder / f"model-{within}-{threads}-{seed}"
    words = ["fit", "train.jsonl", "--test", "test.jsonl", "--within", within]
    words += ["-o", model.name, "--overwrite", "--seed", str(seed)]
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads)}
    command = [sys.executable, "-m", "saccade", *words]
    log = folder / f"log-{within}-{threads}-{seed}.txt"
    with log.open("w", encoding="utf-8") as file:
        done = subprocess.run(
            command, cwd=folder, env=environment, stdout=file, stderr=file, check=False
        )
    if done.returncode:
        return {"failed": log.read_text(encoding="utf-8")[-500:]}
    plan = json.loads((model / "fit.json").read_text(encoding="utf-8"))
    scored = subprocess.run(
        [sys.executable, "-m", "saccade", "evaluate", model.name, "--json", "-"],
        cwd=folder, env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    found = {key: plan[key] for key in ("task", "chosen", "promised", "seconds", "stages")}
    found["evaluation"] = json.loads(scored.stdout)
    kept.write_text(json.dumps(found, indent=1), encoding="utf-8")
    return found


def row(name: str, size: int, found: dict[str, Any]) -> str:
    """Write a line of the table."""
    if "failed" in found:
        return f"| {name} | {size:,} | failed | | | | | |"
    told = found["evaluation"]
    metric = next(m for m in _METRICS if m in told["metrics"])
    figure = told["metrics"][metric]
    constant = (told.get("constant") or {}).get("metrics", {}).get(metric)
    cells = [
        name,
        f"{size:,}",
        found["task"],
        found["chosen"],
        f"{metric} {figure['value']:.1f}",
        "" if constant is None else f"{constant:.1f}",
        f"{found['promised']:.0f}",
        f"{found['seconds']:.0f}",
    ]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Fit all that is asked for, some at a time; print the table after each."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--sets", nargs="+", choices=list(SETS), default=list(SETS))
    parser.add_argument("--sizes", nargs="+", type=int, default=list(SIZES))
    parser.add_argument("--within", default="10m")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--jobs", type=int, default=1, help="fits at the same time")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, default=cache() / "fit")
    parser.add_argument("--md", type=Path, help="written between its marks `fit`")
    arguments = parser.parse_args()
    work: list[tuple[int, str, Path]] = []
    for name in arguments.sets:
        for size, train, test in samples(SETS[name], arguments.sizes):
            folder = arguments.folder / f"{name}-{size}"
            folder.mkdir(parents=True, exist_ok=True)
            write(folder / "train.jsonl", train)
            write(folder / "test.jsonl", test)
            work.append((size, name, folder))

    def one(given: tuple[int, str, Path]) -> str:
        size, name, folder = given
        line = row(name, size, run(folder, arguments.within, arguments.threads, arguments.seed))
        print(line, flush=True)
        return line

    work.sort()
    with ThreadPoolExecutor(arguments.jobs) as pool:
        found = dict(zip(work, pool.map(one, work), strict=True))
    lines = [found[key] for key in sorted(work, key=lambda given: (given[1], given[0]))]
    head = "| data | pairs | task found | model | score | constant | promised, s | taken, s |"
    text = "\n".join([head, "|---|---|---|---|---|---|---|---|", *lines])
    print(text)
    if arguments.md:
        put(arguments.md, "fit", text)


if __name__ == "__main__":
    main()
