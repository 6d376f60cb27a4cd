"""What work past one machine would take: the arithmetic, every assumption named, as Markdown.

    python -m benchmarks.cost
    python -m benchmarks.cost --measured results.json --md docs/measurements.md

Nothing of this was run on such machines; docs/scale.md corrects the plan for training by what the
loop sends between processes. `--measured` is a file of `benchmarks.compare`: the speed of
decoding is then saccade's own on that machine; otherwise it is an assumption like the rest.
"""

import argparse
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import tables
from benchmarks.workloads import TRAINING, Shape, transformer_flops

_HOUR = 3600
_BIG = Shape(width=1024, heads=16, hidden=4096, layers=6, vocabulary=32000)


@dataclass(frozen=True)
class Training:
    """Assumptions about training on a billion pairs."""

    pairs: float = 1e9
    epochs: float = 3
    symbols: float = 25  # of each side of a pair, END included
    shape: Shape = _BIG
    peak: float = 312e12  # FLOP/s of a processor in bfloat16: the data sheet of an NVIDIA A100
    use: float = 0.35  # of that peak, reached by matrix products of this size with all around them
    scaling: float = 0.9  # of N times the speed of one, with N processors
    batch: float = 25_000  # target symbols in the batch of one processor
    link: float = 25e9  # bytes a second between machines, for each processor
    bytes_a_pair: float = 101  # on disk as ids: 507 MB for five million made-up pairs, measured
    pairs_a_second: float = 4900  # text to ids on one core: 5,000,000 in 1,019 s, measured


@dataclass(frozen=True)
class Translating:
    """Assumptions about translating a trillion symbols in batches; `speed` may be measured."""

    symbols: float = 1e12
    speed: float = 1500  # written symbols a second of one machine
    cores: int = 2  # of that machine
    where: str = "assumed"
    busy: float = 0.95  # of the time: shards end unevenly, machines are replaced
    shard: float = 1e6  # symbols of a shard, the unit that is done again after a failure


def parameters(shape: Shape) -> float:
    """Count the weights of a Transformer with one shared embedding; norms and biases left out."""
    d, f = shape.width, shape.hidden
    return shape.layers * (4 * d * d + 2 * d * f + 8 * d * d + 2 * d * f) + shape.vocabulary * d


def training(given: Training, processors: list[int]) -> str:
    """Write out what training takes."""
    a_pair = TRAINING * transformer_flops(given.shape, given.symbols, given.symbols)
    whole = a_pair * given.pairs * given.epochs
    alone = whole / (given.peak * given.use)
    n = parameters(given.shape)
    step = TRAINING * transformer_flops(given.shape, given.batch, given.batch)
    computing, sending = step / (given.peak * given.use), 2 * 2 * n / given.link
    shape = given.shape
    lines = [
        f"- Model: {shape.layers} + {shape.layers} layers, width {shape.width}, feed-forward"
        f" {shape.hidden}, {shape.vocabulary:,} joint pieces: {n / 1e6:.0f} M weights.",
        f"- Work: a pair of {given.symbols:.0f} + {given.symbols:.0f} symbols costs"
        f" {TRAINING} x {a_pair / TRAINING / 1e9:.1f} = {a_pair / 1e9:.1f} GFLOP;"
        f" {given.pairs:.0e} pairs x {given.epochs:.0f} epochs = {whole:.2e} FLOP.",
        f"- One processor: {whole:.2e} / ({given.peak / 1e12:.0f} TFLOP/s x {given.use:.2f}) ="
        f" {alone:.2e} s = {alone / _HOUR:,.0f} hours.",
        f"- Its memory: {n / 1e6:.0f} M x 16 bytes (float32 weight, gradient, two moments) ="
        f" {16 * n / 1e9:.1f} GB and activations: it fits, so every processor holds a whole copy.",
        f"- Exchange: a step of {given.batch:,.0f} target symbols computes {computing:.2f} s; the"
        f" ring sends and receives 2 x 2 bytes x {n / 1e6:.0f} M = {4 * n / 1e9:.1f} GB, at"
        f" {given.link / 1e9:.0f} GB/s {sending:.2f} s, part of it behind the backward pass."
        f" Assumed: N processors are {given.scaling:.0%} of N times as fast as one.",
        f"- Data: {given.pairs:.0e} x {given.bytes_a_pair:.0f} bytes ="
        f" {given.pairs * given.bytes_a_pair / 1e9:.0f} GB of ids, mapped and not loaded; making"
        f" them takes {given.pairs / given.pairs_a_second / _HOUR:.0f} core hours, in parallel over"
        " shards.",
        "",
        "| processors | hours | processor hours |",
        "| ---: | ---: | ---: |",
    ]
    for count in processors:
        hours = alone / _HOUR / (count * (given.scaling if count > 1 else 1))
        lines.append(f"| {count} | {tables.number(hours)} | {tables.number(hours * count)} |")
    return "\n".join(lines)


def translating(given: Translating, machines: list[int]) -> str:
    """Write out what translating takes."""
    alone = given.symbols / (given.speed * given.busy)
    shards = given.symbols / given.shard
    lines = [
        f"- Speed: {given.speed:,.0f} written symbols a second on a machine of {given.cores} cores"
        f" ({given.where}).",
        f"- One machine: {given.symbols:.0e} / ({given.speed:,.0f} x {given.busy:.2f}) ="
        f" {alone:.2e} s = {alone / _HOUR:.2e} hours, or {alone * given.cores / _HOUR:.2e} core"
        " hours.",
        f"- Lines do not depend on each other, so machines share nothing: {shards:.0e} shards of"
        f" {given.shard:.0e} symbols, {given.shard / given.speed / 60:.0f} minutes each; a lost"
        " machine costs one shard.",
        f"- Text: about 4 bytes a symbol, {4 * given.symbols / 1e12:.0f} TB written and as much"
        f" read; {4 * given.speed / 1e3:.0f} kB/s a machine, so the network is idle.",
        "",
        "| machines | days |",
        "| ---: | ---: |",
    ]
    lines += [f"| {n:,} | {tables.number(alone / n / _HOUR / 24)} |" for n in machines]
    return "\n".join(lines)


def measured(whole: Mapping[str, Any]) -> Translating:
    """Take the speed of decoding from a comparison: saccade's, in batches, beam 5."""
    rows = whole["effort"]["rows"]
    case = ("saccade", "D", f"beam 5, batch {rows}")
    for row in whole["figures"]:
        if (row["peer"], row["work"], row["case"]) == case:
            speed, machine = row["facts"]["symbols_per_second"], whole["machine"]
            where = f"saccade, workload D, {case[2]}, on {machine['processor']}"
            return Translating(speed=speed, cores=machine["cores"], where=where)
    raise SystemExit("--measured: no figure of saccade for D; expected one. Run compare --what D.")


def main() -> None:
    """Print both plans, and put them into a page if asked."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--measured", type=Path)
    parser.add_argument("--gpus", type=int, nargs="+", default=[1, 8, 64, 256])
    parser.add_argument("--machines", type=int, nargs="+", default=[100, 1000, 10000])
    parser.add_argument("--md", type=Path)
    arguments = parser.parse_args()
    given = Translating()
    if arguments.measured:
        given = measured(json.loads(arguments.measured.read_text(encoding="utf-8")))
    parts = [
        "#### Training on a billion pairs",
        training(Training(), arguments.gpus),
        "#### Translating a trillion symbols",
        translating(given, arguments.machines),
    ]
    print(text := "\n\n".join(parts))
    if arguments.md:
        tables.put(arguments.md, "cost", text)


if __name__ == "__main__":
    main()
