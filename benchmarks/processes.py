"""How much faster 2 processes of one thread train than 1: the benchmarks' Transformer and RNN.

    python -m benchmarks.processes --what T
    python -m benchmarks.processes --what R --processes 1 2 --updates 40 --rounds 3
    python -m benchmarks.processes --what T --processes 1 2 4 --shard --tokens 256

Weak: an update has a batch for each process. Strong: the processes share the rows of one batch. The
cases take turns for several rounds, so that what else the machine does weighs on all alike. A rate
is the median of windows of updates in all rounds, in target symbols a second of all processes. The
last line of a workload says the ratios. With `--shard` the model is in shards, and what is of
interest is memory: numbers that a process holds, and its pages after the updates and at most.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import torch

from benchmarks import kit
from benchmarks.workloads import Shape
from saccade.data.prepare import Prepared, prepare, training_batches
from saccade.folders import model as folders
from saccade.kernels.allocator import kept_memory
from saccade.recipe import Recipe
from saccade.train.launch import launch
from saccade.train.loop import Loop
from saccade.train.processes import Processes, joined

_MIB = 1 << 20
_WINDOWS = 4
_TOKENS = {"T": 4096, "R": 2048}  # of a batch; R's has about 64 pairs then


@dataclass(frozen=True)
class Case:
    """What one job trains, and for how long."""

    what: str
    processes: int
    weak: bool
    shard: bool
    tokens: int
    warm: int
    updates: int
    data: str
    shape: Shape

    @property
    def name(self) -> str:
        """Say how it differs from the others of its workload."""
        how = "" if self.processes == 1 else " weak" if self.weak else " strong"
        return f"{self.processes}{how}{' in shards' if self.shard and self.processes > 1 else ''}"

    def recipe(self) -> Recipe:
        """Return the recipe, with an update of one batch, or of one for each process."""
        more = [f"training.batch_tokens={self.tokens}", f"training.shard={json.dumps(self.shard)}"]
        more += [f"training.accumulate={self.processes if self.weak else 1}"]
        make = kit.transformer_recipe if self.what == "T" else kit.rnn_recipe
        return make(self.shape, more)


@dataclass(frozen=True)
class Measured:
    """What rank 0 saw: target symbols a second by windows; MiB of every process, by rank."""

    rates: list[float]
    seconds: float  # of an update
    computed: float  # seconds of processors, all processes together, for an update
    symbols: float  # target symbols of an update
    held: list[float]  # weights, gradients and moments, MiB
    resident: list[float]
    peak: list[float]


def main() -> None:
    """Measure all cases in turn, and print."""
    given = _arguments()
    if given.worker:
        work(Path(given.worker))
        return
    os.environ["OMP_NUM_THREADS"] = "1"
    shape = replace(Shape(), **json.loads(given.shape))
    for what in given.what:
        cases = cases_of(what, given, shape)
        found: dict[str, list[Measured]] = {case.name: [] for case in cases}
        for _ in range(given.rounds):
            for case in cases:
                found[case.name].append(run(case))
                print(_told(case.name, found[case.name][-1]), file=sys.stderr, flush=True)
        print(verdict(what, found), flush=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--what", nargs="+", choices=["T", "R"], default=["T", "R"])
    parser.add_argument("--processes", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--updates", type=int, default=40, help="that are timed, in 4 windows")
    parser.add_argument("--warm", type=int, default=5, help="updates before")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tokens", type=int, default=0, help="of a batch, padding included")
    parser.add_argument("--shard", action="store_true", help="the model in shards (FSDP2)")
    parser.add_argument("--data", type=Path, default=kit.DATA)
    parser.add_argument("--shape", default="{}", help="fields of workloads.Shape, as JSON")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    return parser.parse_args()


def cases_of(what: str, given: argparse.Namespace, shape: Shape) -> list[Case]:
    """Return one process, and of every other number weak and strong."""
    return [
        Case(
            what,
            n,
            weak,
            given.shard,
            given.tokens or _TOKENS[what],
            given.warm,
            given.updates,
            str(given.data.resolve()),
            shape,
        )
        for n in given.processes
        for weak in ((True, False) if n > 1 else (True,))
    ]


def run(case: Case) -> Measured:
    """Train one case in processes of its own."""
    with tempfile.TemporaryDirectory() as name:
        plan = Path(name) / "plan.json"
        plan.write_text(json.dumps(asdict(case)), encoding="utf-8")
        code = launch(
            [sys.executable, "-m", "benchmarks.processes", "--worker", str(plan)], case.processes
        )
        if code:
            sys.exit(code)
        found = json.loads(plan.with_name("found.json").read_text(encoding="utf-8"))
    return Measured(**found)


def work(plan: Path) -> None:
    """Be one process of a case; what it found is put beside its plan."""
    facts = json.loads(plan.read_text(encoding="utf-8"))
    case = Case(**{**facts, "shape": Shape(**facts["shape"])})
    torch.set_num_threads(1)
    with joined() as (processes, _), ExitStack() as held:
        loop = _loop(case, processes)
        held.enter_context(kept_memory(loop.holding.kept))  # as in Loop.run
        found = _timed(case, loop, processes)
        if processes.leads:
            plan.with_name("found.json").write_text(json.dumps(asdict(found)), encoding="utf-8")


def _loop(case: Case, processes: Processes) -> Loop:
    """Build what `saccade train` builds; one process stores the data, the others find it."""
    recipe, made = case.recipe(), list[Prepared]()
    processes.in_turn(lambda: made.append(prepare(recipe, Path(case.data))))
    codecs = made[0].codecs
    model = folders.build_model(recipe, codecs)
    objective = recipe.training.objective.build(codecs.target.decode)
    batches = training_batches(recipe, made[0])
    return Loop(model, objective, batches, recipe.training, recipe.seed, processes)


def _timed(case: Case, loop: Loop, processes: Processes) -> Measured:
    """Make the updates; all processes do, and tell what they hold."""
    for _ in range(case.warm):
        loop.update()
    _forget_peak()
    window, rates, symbols = max(case.updates // _WINDOWS, 1), list[float](), 0
    begun, used = time.perf_counter(), time.process_time()
    for _ in range(_WINDOWS):
        since, tokens = time.perf_counter(), 0
        for _ in range(window):
            tokens += loop.update().tokens
        rates.append(tokens / (time.perf_counter() - since))
        symbols += tokens
    updates = window * _WINDOWS
    seconds = (time.perf_counter() - begun) / updates
    used = (time.process_time() - used) / updates
    told = processes.tell({"used": used, "held": _held(loop), **_memory()})
    held, resident, peak = ([one[key] for one in told] for key in ("held", "resident", "peak"))
    computed = sum(one["used"] for one in told)
    return Measured(rates, seconds, computed, symbols / updates, held, resident, peak)


def _held(loop: Loop) -> float:
    """Count the numbers that this process trains with, in MiB: weights, gradients and moments."""
    tensors = list(loop.holding.own.parameters())
    gradients = [one.grad for one in tensors if one.grad is not None]
    moments = [
        one for state in loop.optimiser.state.values() for one in state.values() if one.dim()
    ]
    found: list[torch.Tensor] = [*tensors, *gradients, *moments]
    return sum(one.numel() * one.element_size() for one in found) / _MIB


def _memory() -> dict[str, float]:
    """Return the pages of this process that are no file's, now and at most, in MiB; 0 elsewhere."""
    path = Path("/proc/self/status")
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    sizes = {line.split(":")[0]: int(line.split()[1]) / 1024 for line in lines if "kB" in line}
    files = sizes.get("RssFile", 0.0)
    return {"resident": sizes.get("RssAnon", 0.0), "peak": sizes.get("VmHWM", files) - files}


def _forget_peak() -> None:
    """Let the system note anew how much memory this process has at most."""
    path = Path("/proc/self/clear_refs")
    if path.exists():
        path.write_text("5", encoding="utf-8")


def verdict(what: str, found: Mapping[str, Sequence[Measured]]) -> str:
    """Say in one line how many times as fast each case is as the first."""
    rates = {name: statistics.median(_rates(rounds)) for name, rounds in found.items()}
    first, *others = rates
    ratios = [f"{name} {rates[name] / rates[first]:.2f} x" for name in others]
    spans = [
        f"{name} {rate:,.0f} ({min(_rates(found[name])):,.0f} to {max(_rates(found[name])):,.0f})"
        for name, rate in rates.items()
    ]
    load = f"{os.getloadavg()[0]:.1f}"
    return f"{what}: {', '.join(ratios)}; target symbols/s: {', '.join(spans)}; load {load}"


def _rates(rounds: Sequence[Measured]) -> list[float]:
    return [rate for one in rounds for rate in one.rates]


def _told(name: str, one: Measured) -> str:
    """Say what one job did: its speed, and the memory of each process."""
    sizes = {"held": one.held, "resident": one.resident, "peak": one.peak}
    listed = [f"{key} {' '.join(f'{mib:,.0f}' for mib in row)}" for key, row in sizes.items()]
    return (
        f"  {name}: {statistics.median(one.rates):,.0f} symbols/s, {one.seconds:.2f} s and"
        f" {one.computed:.2f} s of processors for {one.symbols:,.0f} symbols;"
        f" MiB by rank: {', '.join(listed)}"
    )


if __name__ == "__main__":
    main()
