"""Put this version of saccade beside another checkout of it, on the same work, in turn.

    git worktree add ../before 7e25d0a
    python -m benchmarks.versions ../before --rounds 5 --md docs/performance.md

The other checkout makes the kit (`benchmarks.kit`), which both read. In every round each version
does each work in a fresh process, and who begins changes from round to round. A ratio is the
median over rounds of this version's speed divided by the other's in the same round, so a machine
that becomes slower for a while slows both sides of it.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from statistics import median

from benchmarks.meter import heard
from benchmarks.tables import number, put
from benchmarks.workloads import Effort

WORKS = ("T", "R", "D", "S", "L")
EFFORT = Effort(warm=6, window=8, windows=3, sentences=400, alone=60)
Speeds = dict[tuple[str, str, str], list[tuple[float, float]]]  # (other, this) of each round
_STARTS = 3


def turn(tree: Path, work: str, kit: Path, effort: Effort) -> Iterator[tuple[str, str, float]]:
    """Do a work once with one checkout; return case, unit and speed of each figure."""
    engine = "native" if (tree / "saccade" / "engines" / "native.py").exists() else "torch"
    if work == "L":
        words = ["translate", str(kit / "model"), "-i", str(kit / "first.txt"), "--engine", engine]
        seconds = []
        for _ in range(_STARTS):
            begun = time.perf_counter()
            _run(tree, "saccade", *words)
            seconds.append(time.perf_counter() - begun)
        yield "first translation", "1/s", 1 / median(seconds)
        return
    module = "benchmarks.saccade_training" if work in "TR" else "benchmarks.saccade_side"
    text = _run(tree, module, work, str(kit), json.dumps(asdict(effort)), engine, "")
    for figure in heard(text):
        yield figure.case, figure.unit, median(figure.values)


def measure(other: Path, kit: Path, works: list[str], rounds: int, effort: Effort) -> Speeds:
    """Let both versions take turns; tell of each turn."""
    this, speeds = Path.cwd(), Speeds()
    for number_of_round in range(rounds):
        for work in works:
            trees = [other, this] if number_of_round % 2 else [this, other]
            found = {tree: list(turn(tree, work, kit, effort)) for tree in trees}
            for (case, unit, before), (_, _, now) in zip(found[other], found[this], strict=True):
                speeds.setdefault((work, case, unit), []).append((before, now))
                said = f"{work} {case}: {before:.4g} -> {now:.4g} {unit}, {now / before:.3f} x"
                print(f"{said}, load {os.getloadavg()[0]:.1f}", file=sys.stderr, flush=True)
    return speeds


def table(speeds: Speeds, commit: str) -> str:
    """Write both speeds and their ratio with its lowest and highest value."""
    lines = [
        f"| work | unit | {commit} | now | ratio | lowest – highest |",
        "|---|---|---|---|---|---|",
    ]
    for (work, case, unit), pairs in speeds.items():
        before, now = (median(side) for side in zip(*pairs, strict=True))
        ratios = sorted(b / a for a, b in pairs)
        cells = [f"{work} {case}".strip(), unit, number(before), number(now)]
        spread = f"{ratios[0]:.2f} – {ratios[-1]:.2f}"
        lines.append(f"| {' | '.join(cells)} | **{median(ratios):.2f}** | {spread} |")
    return "\n".join(lines)


def _run(tree: Path, module: str, *words: str) -> str:
    own = {"PYTHONPATH": str(tree), "OMP_NUM_THREADS": str(EFFORT.threads)}
    command = [sys.executable, "-m", module, *words]
    done = subprocess.run(
        command, cwd=tree, env={**os.environ, **own}, check=True, stdout=subprocess.PIPE, text=True
    )
    return done.stdout


def main() -> None:
    """Make the kit with the other checkout, measure, print, write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("other", type=Path, help="a checkout of another commit")
    parser.add_argument("--what", nargs="+", choices=WORKS, default=list(WORKS))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=300, help="of training D's model")
    parser.add_argument("--data", type=Path, default=Path("../shared/data/multi30k"))
    parser.add_argument("--kit", type=Path, help="where the shared work is, or is to be made")
    parser.add_argument("--md", type=Path, help="written between its marks `old-against-new`")
    arguments = parser.parse_args()
    other = arguments.other.resolve()
    kit = (arguments.kit or other / "kit").resolve()
    made = ["--data", str(arguments.data.resolve()), "--steps", str(arguments.steps)]
    _run(other, "benchmarks.kit", str(kit), *made)
    named = ["git", "-C", str(other), "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(named, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    speeds = measure(other, kit, arguments.what, arguments.rounds, EFFORT)
    print(text := table(speeds, commit))
    if arguments.md:
        put(arguments.md, "old-against-new", text)


if __name__ == "__main__":
    main()
