"""How time and memory grow with the length of a sentence, the vocabulary and the corpus.

    python -m benchmarks.growth                                     all three, some hours
    python -m benchmarks.growth --what source --source 16 64 256
    python -m benchmarks.growth --json growth.json --svg docs/pictures --md docs/measurements.md

Every point is a process of its own, so that its peak memory is its own; what the bare program
holds is taken off. The exponent b of `cost = a size ** b` is fitted by least squares over the
logarithms, over all points and over the larger half, where what does not grow weighs less.
"""

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import torch

from benchmarks import big_corpus, tables
from benchmarks.engines import run
from benchmarks.kit import transformer_recipe
from benchmarks.meter import peak_mib
from benchmarks.workloads import END, PAD, START, Shape
from saccade.flow import Batch, Padded, padded
from saccade.kernels.allocator import kept_memory
from saccade.models.base import Model
from saccade.native.searcher import fastest_searcher
from saccade.nouns import SOURCE_NAME, Side
from saccade.objectives.cross_entropy import cross_entropy
from saccade.search.base import Task
from saccade.search.beam import Beam
from saccade.views import curves

SIZES = {
    "source": [16, 32, 64, 128, 256, 512, 1024, 2048],
    "vocabulary": [1000, 2000, 4000, 8000, 16000, 32000, 64000],
    "corpus": [10_000, 50_000, 250_000, 1_000_000, 5_000_000],
}
_WORDS = {"source": "symbols a side", "vocabulary": "pieces", "corpus": "pairs"}
_MARK = "POINT "
_LENGTH = 32  # symbols a side where the vocabulary grows
_ROWS = 2
_REPEATS = 3
_READ = 200  # batches read of a corpus
Point = tuple[float, float]


@dataclass(frozen=True)
class Curve:
    """One cost over sizes, and how fast it grows: None where too few points say."""

    axis: str
    name: str
    points: list[Point]
    exponent: float | None
    exponent_of_larger_half: float | None


def train(shape: Shape, length: int) -> dict[str, float]:
    """Time an update on two pairs of so many symbols a side."""
    model, before = _model(shape), peak_mib()
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    rows = _rows(shape, length)
    prefix = padded([[START, *row] for row in rows]).values
    batch = Batch(_source(rows), _ended(rows), prefix)

    def update() -> None:
        loss = cross_entropy(model, batch, shape.smoothing)
        (loss.total / loss.count).backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        optimiser.zero_grad()

    with kept_memory():  # as in Loop.run
        return {"train s": _seconds(update), "train MiB": peak_mib() - before}


def decode(shape: Shape, length: int) -> dict[str, float]:
    """Time beam search for two sentences whose outputs are as long as they are."""
    searcher = fastest_searcher(_model(shape).eval())
    assert searcher.batch_places(1)  # lays the weights out
    before = peak_mib()
    source = _source(_rows(shape, length))
    limits = torch.full((_ROWS,), length)
    task = Task(start=START, end=END, limits=limits, banned=(PAD, START, END))

    @torch.inference_mode()
    def search() -> None:
        searcher.search(source, Beam(width=5), task)

    return {"decode s": _seconds(search), "decode MiB": peak_mib() - before}


def prepare(pairs: int) -> dict[str, float]:
    """Take a corpus from text to batches: learn pieces, encode all text, plan an epoch."""
    before = peak_mib()
    found = big_corpus.measure(pairs, _READ)
    return {
        "learn s": found["learn_s"],
        "encode s": found["store_s"],
        "plan s": found["plan_s"],
        "prepare MiB": found["batches_peak_mb"] - before,
    }


KINDS: dict[str, dict[str, Callable[[Shape, int], dict[str, float]]]] = {
    "source": {"train": train, "decode": decode},
    "vocabulary": {
        "train": lambda shape, size: train(replace(shape, vocabulary=size), _LENGTH),
        "decode": lambda shape, size: decode(replace(shape, vocabulary=size), _LENGTH),
    },
    "corpus": {"prepare": lambda _, size: prepare(size)},
}


def measure(
    axis: str, sizes: Sequence[int], shape: Shape, *, threads: int = 2, limit: float = 36000
) -> list[Curve]:
    """Measure every point of an axis in a process of its own."""
    found: dict[str, list[Point]] = {}
    like = ["--shape", json.dumps(asdict(shape))]
    for size in sizes:
        for kind in KINDS[axis]:
            words = ["--point", axis, kind, str(size), "--threads", str(threads), *like]
            ended = run([sys.executable, "-m", "benchmarks.growth", *words], threads, limit)
            lines = [line for line in ended.text.splitlines() if line.startswith(_MARK)]
            if not lines:
                sys.exit(
                    f"{axis} {size} {kind} ended with code {ended.code}:\n{ended.told[-2000:]}"
                )
            for name, value in json.loads(lines[-1].removeprefix(_MARK)).items():
                found.setdefault(name, []).append((float(size), float(value)))
        print(f"{axis} {size}", file=sys.stderr, flush=True)
    return [
        Curve(axis, name, points, exponent(points), exponent(points[len(points) // 2 :]))
        for name, points in found.items()
    ]


def exponent(points: Sequence[Point]) -> float | None:
    """Fit b of `a size ** b`; a cost that cannot be told from 0 is left out.

    >>> print(_written(exponent([(1.0, 3.0), (2.0, 12.0), (4.0, 48.0)])))
    2.00
    """
    kept = np.log([point for point in points if min(point) > 0])
    if len(kept) < 2:
        return None
    x, y = kept.T - kept.mean(axis=0)[:, None]
    return float((x * y).sum() / (x * x).sum())


def picture(axis: str, unit: str, found: Sequence[Curve]) -> str:
    """Draw the curves of an axis that have one unit, with their exponents, over logarithms."""
    word = "seconds" if unit == "s" else unit
    series = {
        f"{one.name.removesuffix(unit)}~{_written(one.exponent)}": [
            (float(np.log10(x)), float(np.log10(y))) for x, y in one.points if y > 0
        ]
        for one in found
        if one.name.endswith(f" {unit}")
    }
    return curves.to_svg(
        series,
        title=f"{word} over {_WORDS[axis]}",
        x_label=f"log10 of {_WORDS[axis]}",
        y_label=f"log10 of {word}",
    )


def markdown(found: Sequence[Curve]) -> str:
    """Write a table for each axis, its last two rows the exponents."""
    parts = []
    for axis, words in _WORDS.items():
        chosen = [curve for curve in found if curve.axis == axis]
        if not chosen:
            continue
        lines = [f"| {words} | {' | '.join(curve.name for curve in chosen)} |"]
        lines.append("| ---: " * (len(chosen) + 1) + "|")
        for i, (size, _) in enumerate(chosen[0].points):
            values = [tables.number(curve.points[i][1]) for curve in chosen]
            lines.append(f"| {size:,.0f} | {' | '.join(values)} |")
        slopes = [_written(curve.exponent) for curve in chosen]
        later = [_written(curve.exponent_of_larger_half) for curve in chosen]
        lines.append(f"| exponent | {' | '.join(slopes)} |")
        lines.append(f"| of the larger half | {' | '.join(later)} |")
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def _written(found: float | None) -> str:
    return "–" if found is None else f"{found:.2f}"


def main() -> None:
    """Measure, print, write; or measure the one point that the command line names."""
    arguments = _parsed()
    torch.set_num_threads(arguments.threads)
    shape = Shape(**json.loads(arguments.shape))
    if arguments.point:
        axis, kind, size = arguments.point
        print(_MARK + json.dumps(KINDS[axis][kind](shape, int(size))))
        return
    found: list[Curve] = []
    for axis in arguments.what:
        sizes = getattr(arguments, axis)
        found += measure(axis, sizes, shape, threads=arguments.threads)
        if arguments.json:
            text = json.dumps([asdict(curve) for curve in found], indent=1)
            arguments.json.write_text(text + "\n", encoding="utf-8")
    print(text := markdown(found))
    if arguments.md:
        tables.put(arguments.md, "growth", text)
    for axis in arguments.what if arguments.svg else ():
        for unit in ("s", "MiB"):
            drawn = picture(axis, unit, [curve for curve in found if curve.axis == axis])
            path = arguments.svg / f"growth-{axis}-{'seconds' if unit == 's' else 'memory'}.svg"
            path.write_text(drawn, encoding="utf-8")


def _parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--what", nargs="+", choices=list(SIZES), default=list(SIZES))
    for axis, sizes in SIZES.items():
        parser.add_argument(f"--{axis}", type=int, nargs="+", default=sizes)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--shape", default="{}", help="of the model, as JSON")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--svg", type=Path, help="a folder for the pictures")
    parser.add_argument("--md", type=Path)
    parser.add_argument("--point", nargs=3, help=argparse.SUPPRESS)
    return parser.parse_args()


def _model(shape: Shape) -> Model:
    torch.manual_seed(1)
    return transformer_recipe(shape).model.build(
        {SOURCE_NAME: Side(shape.vocabulary)}, Side(shape.vocabulary)
    )


def _rows(shape: Shape, length: int) -> list[list[int]]:
    generator = np.random.Generator(np.random.PCG64(length))
    rows: list[list[int]] = generator.integers(END + 1, shape.vocabulary, (_ROWS, length)).tolist()
    return rows


def _ended(rows: list[list[int]]) -> Padded:
    return padded([[*row, END] for row in rows])


def _source(rows: list[list[int]]) -> dict[str, Padded]:
    return {SOURCE_NAME: _ended(rows)}


def _seconds(work: Callable[[], None]) -> float:
    """Do it once to warm up; return the median of a few times."""
    work()
    found = []
    for _ in range(_REPEATS):
        begun = time.perf_counter()
        work()
        found.append(time.perf_counter() - begun)
    return statistics.median(found)


if __name__ == "__main__":
    main()
