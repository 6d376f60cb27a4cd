"""How engines are timed, the same for all: windows of training steps, passes over a test set.

An engine is a module that is run as `python -m MODULE WORK KIT EFFORT` and prints its figures, a
line each, which `compare` picks up. Needs only the standard library.
"""

import json
import resource
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

from benchmarks.workloads import BEAMS, TRAINING, Effort, Kit, Shape, flops, step_bytes

_PREFIX = "FIGURE "
Sentence = TypeVar("Sentence")
Pieces = list[str]


@dataclass(frozen=True)
class Figure:
    """What an engine measured in one process: all values of one kind, and facts about them.

    `facts` are numbers such as peak_mib, p50_ms, gflops; `outputs` are what D wrote, as pieces.
    """

    peer: str
    version: str
    work: str
    case: str
    unit: str
    values: list[float]
    facts: dict[str, float] = field(default_factory=dict)
    note: str = ""
    outputs: list[Pieces] = field(default_factory=list)

    def tell(self) -> None:
        """Print it for whoever started this process."""
        print(_PREFIX + json.dumps(asdict(self)), flush=True)


def heard(text: str) -> list[Figure]:
    """Read the figures out of what a process printed."""
    found = (line for line in text.splitlines() if line.startswith(_PREFIX))
    return [Figure(**json.loads(line.removeprefix(_PREFIX))) for line in found]


def serve(works: Mapping[str, Callable[[Kit, Effort], None]]) -> None:
    """Do the work that the command line names; what follows is the engine's own."""
    work, folder, effort = sys.argv[1:4]
    works[work](Kit(Path(folder)), Effort(**json.loads(effort)))


class Steps:
    """The clock of training: warm-up steps, then windows of steps with their real symbols.

    Call `count` for every batch and `tick` after every update; when `done`, call `tell`. `shape` is
    what is trained, if it is not the kit's.
    """

    def __init__(
        self,
        peer: str,
        version: str,
        work: str,
        kit: Kit,
        effort: Effort,
        shape: Shape | None = None,
    ) -> None:
        self._named, self._shape, self._effort = (peer, version, work), shape or kit.shape, effort
        self._source, self._target = 0, 0
        self._marks: list[tuple[float, int, int]] = []  # (time, source, target symbols so far)

    def count(self, source: int, target: int) -> None:
        """Note the symbols of a batch, END included, padding not."""
        self._source += source
        self._target += target

    def tick(self) -> None:
        """Note that an update is finished."""
        self._marks.append((time.perf_counter(), self._source, self._target))

    @property
    def done(self) -> bool:
        """Whether all windows are full."""
        return len(self._marks) >= self._effort.warm + self._effort.window * self._effort.windows

    def tell(self, note: str = "") -> None:
        """Print target symbols per second of every window, and what they are of the arithmetic."""
        size, (peer, version, work) = self._effort.window, self._named
        edges = self._marks[self._effort.warm - 1 :: size][: self._effort.windows + 1]
        spans = [(b[0] - a[0], b[1] - a[1], b[2] - a[2]) for a, b in pairwise(edges)]
        rates = [TRAINING * flops(work, self._shape, s, t) / seconds for seconds, s, t in spans]
        facts = {
            "gflops": statistics.median(rates) / 1e9,
            "seconds_per_step": statistics.median(span[0] for span in spans) / size,
            "symbols_per_step": statistics.median(span[2] for span in spans) / size,
            "peak_mib": peak_mib(),
        }
        values = [target / seconds for seconds, _, target in spans]
        Figure(peer, version, work, "", "target symbols/s", values, facts, note).tell()


def decode(
    named: tuple[str, str, str],
    kit: Kit,
    effort: Effort,
    sentences: Sequence[Sentence],
    prepare: Callable[[int, int], Callable[[list[Sentence]], list[Pieces]]],
    note: str = "",
) -> None:
    """Time D or S: `prepare(beam, rows)` returns what translates a list of sentences into pieces.

    `named` are the engine, its version and the workload.
    """
    for beam in BEAMS:
        for rows in (effort.rows, 1):
            chosen = list(sentences[: effort.sentences if rows > 1 else effort.alone])
            translate = prepare(beam, rows)
            translate(chosen[:rows])
            _decode_case(named, kit, effort, (beam, rows), chosen, translate, note)


def _decode_case(
    named: tuple[str, str, str],
    kit: Kit,
    effort: Effort,
    case: tuple[int, int],
    sentences: list[Sentence],
    translate: Callable[[list[Sentence]], list[Pieces]],
    note: str,
) -> None:
    (beam, rows), work = case, named[2]
    seconds: list[float] = []
    latencies: list[float] = []
    outputs: list[Pieces] = []
    for _ in range(effort.repeats):
        groups = [sentences] if rows > 1 else [[one] for one in sentences]
        outputs = []
        for group in groups:
            begun = time.perf_counter()
            outputs += translate(group)
            latencies.append(time.perf_counter() - begun)
        seconds.append(sum(latencies[-len(groups) :]))
    source = sum(len(ids) + 1 for ids in kit.ids("test.source")[: len(sentences)])
    written = sum(len(output) + 1 for output in outputs)  # END is written too
    usual = statistics.median(seconds)
    facts = {
        "gflops": flops(work, kit.shape, source, beam * written) / usual / 1e9,
        "symbols_per_second": written / usual,
        "peak_mib": peak_mib(),
    }
    if rows == 1:
        facts["gigabytes_per_second"] = written * step_bytes(work, kit.shape) / usual / 1e9
        facts |= {f"p{p}_ms": 1000 * percentile(latencies, p) for p in (50, 95)}
    values = [len(sentences) / one for one in seconds]
    name = f"beam {beam}, batch {rows}"
    said = outputs if work == "D" else []  # what an untrained model writes says nothing
    Figure(*named, name, "sentences/s", values, facts, note, said).tell()


def percentile(values: Sequence[float], p: int) -> float:
    """Return the smallest value that at least p percent do not exceed.

    >>> percentile([3.0, 1.0, 2.0], 50), percentile([3.0, 1.0, 2.0], 95)
    (2.0, 3.0)
    """
    ordered = sorted(values)
    return ordered[min(-(-p * len(ordered) // 100), len(ordered)) - 1]


def peak_mib() -> float:
    """Return the most memory this process ever held, in MiB.

    From /proc where there is one: `getrusage` also counts what was held before the program began.
    """
    status = Path("/proc/self/status")
    lines = status.read_text(encoding="utf-8").splitlines() if status.exists() else []
    sizes = [int(line.split()[1]) for line in lines if line.startswith("VmHWM:")]
    largest = max(sizes, default=0) or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return largest / 1024
