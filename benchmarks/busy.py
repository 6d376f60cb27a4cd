"""What is left of the speed beside busy processes: saccade and a plain torch loop in turn.

    python -m benchmarks.busy --rounds 3 --seconds 8
    python -m benchmarks.busy --md docs/performance.md     between its marks `busy`

Each side trains and decodes alone, then beside one and two processes that only count. A figure is
the share of its own speed alone that a side keeps, the median over rounds. The sides have models
of their own, about as large as the demo's, and the demo's sentences. Nothing here imports saccade:
what that sets in the environment must not reach the plain loop.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

SIDES = {"saccade": "benchmarks.saccade_busy", "plain torch": "benchmarks.reference.busy"}
WORKS = ("train", "decode")
COMPETITORS = (0, 1, 2)
_START = 120.0  # seconds in which a process is up and warm, at most
_COUNTS = "import time\nend = time.monotonic() + {}\nwhile time.monotonic() < end: pass"
Speeds = dict[tuple[str, str, int], list[float]]  # by work, side and number of competitors


@contextmanager
def competitors(n: int, seconds: float) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Keep `n` processes busy for the time of a `with`; they end by themselves if we are killed."""
    command = [sys.executable, "-c", _COUNTS.format(seconds)]
    busy = [subprocess.Popen(command) for _ in range(n)]
    try:
        yield busy
    finally:
        for one in busy:
            one.kill()
            one.wait()


def measure(data: Path, rounds: int, seconds: float) -> Speeds:
    """Let all take turns; tell of each turn with the load of the machine before it."""
    speeds: Speeds = {}
    turns = [(n, work, side) for n in COMPETITORS for work in WORKS for side in SIDES]
    for _ in range(rounds):
        for n, work, side in turns:
            load = os.getloadavg()[0]
            with competitors(n, _START + seconds):
                speed = float(_ask(SIDES[side], work, str(data), str(seconds)))
            speeds.setdefault((work, side, n), []).append(speed)
            print(f"{work} {side} beside {n}: {speed:.1f}/s, load {load:.1f}", file=sys.stderr)
    return speeds


def table(speeds: Speeds) -> str:
    """Write the share that each side keeps beside one and two competitors."""
    lines = ["| work | busy processes | saccade keeps | plain torch keeps |", "|---|---|---|---|"]
    for work in WORKS:
        for n in COMPETITORS[1:]:
            kept = [f"{100 * share(speeds, work, side, n):.0f} %" for side in SIDES]
            lines.append(f"| {work} | {n} | {' | '.join(kept)} |")
    return "\n".join(lines)


def share(speeds: Speeds, work: str, side: str, n: int) -> float:
    """Return what is left of the speed beside `n` competitors.

    >>> share({("train", "x", 0): [10.0], ("train", "x", 1): [4.0, 5.0, 9.0]}, "train", "x", 1)
    0.5
    """
    return median(speeds[work, side, n]) / median(speeds[work, side, 0])


def _ask(module: str, *words: str) -> str:
    command = [sys.executable, "-m", module, *words]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=8.0, help="of each turn, after warming up")
    parser.add_argument("--json", type=Path, help="where to keep all speeds")
    parser.add_argument("--md", type=Path)
    arguments = parser.parse_args()
    with TemporaryDirectory() as folder:
        data = Path(folder) / "ids.json"
        _ask(SIDES["saccade"], "prepare", str(data), "0")
        speeds = measure(data, arguments.rounds, arguments.seconds)
    if arguments.json:
        plain = {" ".join(map(str, key)): values for key, values in speeds.items()}
        arguments.json.write_text(json.dumps(plain, indent=1) + "\n", encoding="utf-8")
    print(text := table(speeds))
    if arguments.md:
        from benchmarks.tables import put  # noqa: PLC0415 - it needs sacrebleu, the rest does not

        put(arguments.md, "busy", text)


if __name__ == "__main__":
    main()
