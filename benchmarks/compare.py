"""Put saccade beside a plain torch loop and its peers on the same work, and beside the machine.

    python -m benchmarks.compare                                       all that is installed
    python -m benchmarks.compare --what T D --peers torch,ctranslate2 --rounds 3
    python -m benchmarks.compare --json new.json --md tables.md
    python -m benchmarks.compare --merge a.json b.json --md table.md   tables of earlier runs

Engines take turns, a process each, for several rounds; a figure is the median over rounds with the
lowest and the highest. The limits of the machine are measured anew in every round. In a Markdown
file that has the lines `<!-- compare -->` and `<!-- /compare -->`, what stands between them is
replaced. Peers that are not installed are left out: `python -m benchmarks.environments` makes them.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from benchmarks import tables
from benchmarks.engines import ENGINES, Engine, run
from benchmarks.environments import cache
from benchmarks.meter import Figure, heard
from benchmarks.workloads import QUICK, WORKS, Effort, Kit

_FLOORS = {"python": "pass", "import torch": "import torch"}


@dataclass
class Comparison:
    """One run of this command: the kit, how long to measure, and what was found so far."""

    kit: Path
    effort: Effort
    limit: float = 1800.0
    figures: list[dict[str, Any]] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)

    def measure(self, works: list[str], engines: list[Engine], rounds: int) -> Iterator[str]:
        """Let the engines take turns; say what was found after each turn."""
        for engine in engines:
            if "P" in engine.works and {"D", "S", "L"} & set(works):
                yield from self._turn(engine, "P", 0)
        for work in works:
            for number in range(rounds):
                yield from self._machine(number)
                if work == "L":
                    yield from self._floors(number)
                shift = number % len(engines)  # nobody is always first
                for engine in [*engines[shift:], *engines[:shift]]:
                    if work in engine.works:
                        yield from self._turn(engine, work, number)

    def _turn(self, engine: Engine, work: str, number: int) -> Iterator[str]:
        command = engine.command(work, self.kit, json.dumps(asdict(self.effort)))
        if work == "L":
            yield from self._started(engine.name, command, number)
            return
        ended = run(command, self.effort.threads, self.limit)
        found = heard(ended.text)
        yield from self._keep(found, number)
        if ended.code or (not found and work != "P"):
            last = (ended.text + ended.told).strip().splitlines()[-6:]
            self.failed[f"{engine.name} {work}"] = "\n".join(last)
            yield f"{engine.name} {work} failed with code {ended.code}: {' / '.join(last)}"

    def _machine(self, number: int) -> Iterator[str]:
        effort = json.dumps(asdict(self.effort))
        command = [sys.executable, "-m", "benchmarks.machine", effort]
        yield from self._keep(heard(run(command, self.effort.threads, self.limit).text), number)

    def _floors(self, number: int) -> Iterator[str]:
        for name, code in _FLOORS.items():
            yield from self._started(name, [sys.executable, "-c", code], number)

    def _started(self, name: str, command: list[str], number: int) -> Iterator[str]:
        """Time whole commands, from the call to the end of the process."""
        seconds = []
        for _ in range(self.effort.repeats):
            begun = time.perf_counter()
            ended = run(command, self.effort.threads, self.limit)
            seconds.append(time.perf_counter() - begun)
            if ended.code:
                self.failed[f"{name} L"] = ended.told.strip()[-500:]
                yield f"{name} L failed with code {ended.code}"
                return
        yield from self._keep([Figure(name, "", "L", "", "seconds", seconds)], number)

    def _keep(self, found: list[Figure], number: int) -> Iterator[str]:
        for figure in found:
            load = {"round": number, "load": round(os.getloadavg()[0], 2)}
            self.figures.append({**asdict(figure), **load})
            middle = sorted(figure.values)[len(figure.values) // 2]
            yield f"{figure.work} {figure.peer} {figure.case}: {middle:.4g} {figure.unit}"

    def plain(self, rounds: int) -> dict[str, Any]:
        """Return everything for the JSON file; outputs stay out, what they say of quality goes in.

        The quality of an engine's output tells whether it really decodes the same weights.
        """
        kit = Kit(self.kit)
        merged = tables.merge(self.figures, kit.lines("test.target.txt"))
        return {
            "machine": described(),
            "shape": asdict(kit.shape),
            "effort": asdict(self.effort),
            "rounds": rounds,
            "skipped": self.skipped,
            "failed": self.failed,
            "figures": merged,
        }


def described() -> dict[str, Any]:
    """Name the machine."""
    path = Path("/proc/cpuinfo")
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return {
        "processor": models[0] if models else platform.processor(),
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
    }


def chosen(peers: str, skipped: dict[str, str]) -> list[Engine]:
    """Return saccade and the named engines that are installed; note how to install the others."""
    names = [engine.name for engine in ENGINES] if peers == "all" else peers.split(",")
    unknown = set(names) - {engine.name for engine in ENGINES}
    if unknown:
        sys.exit(
            f"--peers: no {', '.join(sorted(unknown))}; there are all,"
            f" {', '.join(engine.name for engine in ENGINES)}. Name some of these."
        )
    wanted = [engine for engine in ENGINES if engine.name in {"saccade", *names}]
    for engine in wanted:
        if not engine.installed:
            skipped[engine.name] = engine.how
    return [engine for engine in wanted if engine.installed]


def main() -> None:
    """Measure, print, write."""
    arguments = parsed()
    if arguments.merge:
        runs = [json.loads(path.read_text(encoding="utf-8")) for path in arguments.merge]
        whole = tables.joined(runs)
    else:
        whole = measured(arguments)
    print(text := tables.markdown(whole))
    if arguments.md:
        tables.put(arguments.md, "compare", text)


def measured(arguments: argparse.Namespace) -> dict[str, Any]:
    """Make the kit if it is not there, and measure what the command line asks for."""
    effort = replace(QUICK if arguments.quick else Effort(), threads=arguments.threads)
    effort = replace(effort, **{name: int(n) for name, n in arguments.effort})
    folder = arguments.kit or cache() / ("kit-quick" if arguments.quick else "kit")
    steps = ["--steps", "60"] if arguments.quick else []
    command = [sys.executable, "-m", "benchmarks.kit", str(folder), "--data", str(arguments.data)]
    subprocess.run([*command, *steps], check=True)
    comparison = Comparison(folder.resolve(), effort, arguments.limit)
    engines = chosen(arguments.peers, comparison.skipped)
    for name, how in comparison.skipped.items():
        print(f"{name} is not installed, so it is left out: {how}", file=sys.stderr)
    works = [work for work in arguments.what if work != "M"] or ["M"]
    for said in comparison.measure(works, engines, arguments.rounds):
        print(said, file=sys.stderr, flush=True)
        if arguments.json:
            text = json.dumps(comparison.plain(arguments.rounds), indent=1, ensure_ascii=False)
            arguments.json.write_text(text + "\n", encoding="utf-8")
    return comparison.plain(arguments.rounds)


def parsed() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--what", nargs="+", choices=list(WORKS), default=list(WORKS))
    parser.add_argument("--peers", default="all", help="all, or names with commas")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=Effort().threads)
    parser.add_argument("--quick", action="store_true", help="few steps: does it run?")
    parser.add_argument(
        "--effort",
        nargs="+",
        type=lambda pair: pair.split("="),
        default=[],
        help="warm=4 window=7 sentences=256: other numbers of workloads.Effort",
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data/multi30k"))
    parser.add_argument("--kit", type=Path, help="where the shared work is, or is to be made")
    parser.add_argument("--limit", type=float, default=1800.0, help="seconds of one process")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--md", type=Path)
    parser.add_argument("--merge", type=Path, nargs="+", help="JSON files of earlier runs")
    return parser.parse_args()


if __name__ == "__main__":
    main()
