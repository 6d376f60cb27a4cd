"""Who takes part: for each engine its module, its workloads and its environment.

A new one joins by a line here, a line in `environments`, and a module that calls `meter.serve`. Of
the workloads, P turns the kit's weights into what the engine reads, once and untimed.
"""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from benchmarks.environments import python, ready

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Engine:
    """One toolkit; without an environment it runs in this one.

    `runs` is which of saccade's own engines it is, if it is one: torch, or one that needs the
    package `needs`; `quantise` is how that one rounds its weights, or, in training, its products.
    `no-feeding` trains R without input feeding.
    `module` does all of its works, or all but T and R if there is a module `trains`.
    """

    name: str
    module: str
    works: str
    environment: str = ""
    runs: str = ""
    needs: str = "torch"
    quantise: str = ""
    trains: str = ""

    @property
    def installed(self) -> bool:
        """Whether its environment is ready, or what it needs is in this one."""
        return ready(self.environment) and find_spec(self.needs) is not None

    @property
    def how(self) -> str:
        """What to type to install it."""
        if self.environment:
            return f"python -m benchmarks.environments {self.environment}"
        return f"pip install {self.needs}"

    def command(self, work: str, kit: Path, effort: str) -> list[str]:
        """Return what to run for a workload."""
        more = [self.runs, self.quantise] if self.runs else []
        if self.runs and work == "L":  # what a user types
            words = [str(kit / "model"), "-i", str(kit / "first.txt"), "--engine", self.runs]
            words += ["--quantise", self.quantise] if self.quantise else []
            return [sys.executable, "-m", "saccade", "translate", *words]
        program = [str(python(self.environment)), "-m", self.module_of(work)]
        return [*program, work, str(kit), effort, *more]

    def module_of(self, work: str) -> str:
        """Return what does a workload."""
        return self.trains if self.trains and work in "TR" else self.module


_OWN, _TRAINING = "benchmarks.saccade_side", "benchmarks.saccade_training"
_BF16 = "bfloat16"

ENGINES = (
    Engine("saccade", _OWN, "TRDSL", runs="native", trains=_TRAINING),
    Engine("saccade-int8", _OWN, "DSL", runs="native", quantise="int8"),
    Engine("saccade-bfloat16", _TRAINING, "TR", runs="torch", quantise=_BF16),
    Engine("saccade-no-feeding", _TRAINING, "R", runs="no-feeding"),
    Engine("saccade-no-feeding-bfloat16", _TRAINING, "R", runs="no-feeding", quantise=_BF16),
    Engine("saccade-onnx", _OWN, "PDSL", runs="onnx", needs="onnxruntime"),
    Engine("saccade-onnx-int8", _OWN, "PDSL", runs="onnx", needs="onnxruntime", quantise="int8"),
    Engine("saccade-ctranslate2", _OWN, "PDL", runs="ctranslate2", needs="ctranslate2"),
    Engine(
        "saccade-ctranslate2-int8",
        _OWN,
        "PDL",
        runs="ctranslate2",
        needs="ctranslate2",
        quantise="int8",
    ),
    Engine("torch", "benchmarks.reference", "TRDL"),
    Engine("ctranslate2", "benchmarks.peers.ctranslate2", "PDL", "ctranslate2"),
    Engine("opennmt", "benchmarks.peers.opennmt", "PTRDSL", "opennmt"),
    Engine("pymarian", "benchmarks.peers.pymarian", "TR", "pymarian"),
    Engine("transformers", "benchmarks.peers.transformers", "TDL", "transformers"),
    Engine("joeynmt", "benchmarks.peers.joeynmt", "TR", "joeynmt"),
    Engine("eole", "benchmarks.peers.eole", "TR", "eole"),
)


@dataclass(frozen=True)
class Ended:
    """How a process ended: its code, and what it printed."""

    code: int
    text: str
    told: str


def run(command: list[str], threads: int, limit: float) -> Ended:
    """Run a process; whatever it started ends with it.

    The group is its own but the session is ours: a priority set for a session holds for it too.
    MKL_NUM_THREADS is left alone: it would outweigh what an engine says of its own threads. Modules
    are kept compiled whatever the caller wants, as those of installed packages are.
    """
    own = {"OMP_NUM_THREADS": str(threads)}
    quiet = {"PYTHONWARNINGS": "ignore", "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
    environment = {**os.environ, **own, **quiet, "PYTHONPATH": str(ROOT)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        command, cwd=Path.cwd(), env=environment, stdout=pipe, stderr=pipe, text=True,
        process_group=0,
    )  # fmt: skip
    try:
        text, told = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        text, told = process.communicate()
        told += f"\nstopped after {limit:.0f} seconds"
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    return Ended(process.returncode, text, told)
