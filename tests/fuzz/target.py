"""What is fuzzed, and what counts as a finding.

A target takes bytes that anybody may have made. It may return, or raise an error of ours whose
message can be read; it may not raise anything else, nor warn, nor take long, nor much memory.
"""

import faulthandler
import resource
import signal
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from saccade.errors import SaccadeError

MOST_SECONDS = 1.0  # of the processor, for one input
MOST_MEMORY = 200 << 20  # bytes beyond what the process had
LARGEST = 100_000  # bytes of an input
LONGEST_MESSAGE = 20_000  # characters
_PATIENCE = 60  # seconds until an input is interrupted, on a machine that may be busy
_PROC = Path("/proc/self")


@dataclass(frozen=True)
class Target:
    """Something that reads bytes from strangers.

    run: reads them.  files: the names of the files in an input, if there are several: see
    `bundle.py`.  words: what stands in such files, for mutations to put elsewhere.  mend: makes
    checksums and lengths right again after a mutation, so that what lies behind them is reached.
    """

    name: str
    run: Callable[[bytes], object]
    files: tuple[str, ...] = ()
    words: tuple[bytes, ...] = ()
    mend: Callable[[bytes], bytes] | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Finding:
    """What an input did that none may. place: where, so that the same is not told twice."""

    target: str
    kind: str
    place: str
    told: str

    @property
    def key(self) -> tuple[str, str]:
        """What findings with the same cause share."""
        return self.kind, self.place


class Endless(BaseException):
    """An input was interrupted. No `except Exception` holds it up."""


def attempt(
    target: Target, data: bytes, *, seconds: float = MOST_SECONDS, memory: int = MOST_MEMORY
) -> Finding | None:
    """Give a target an input; return what is wrong with how it takes it, if anything is."""
    before, begun = _forget_peak(), time.process_time()
    try:
        with _interrupted(), warnings.catch_warnings():
            warnings.simplefilter("error")
            target.run(data)
    except SaccadeError as error:
        if not 0 < len(str(error)) <= LONGEST_MESSAGE:
            place = _place(error.__traceback__)
            return Finding(target.name, "message", place, f"{len(str(error))} characters")
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        told = "".join(traceback.format_exception(error, limit=-6))
        return Finding(target.name, type(error).__name__, _place(error.__traceback__), told)
    taken, grown = time.process_time() - begun, _peak() - before
    if taken > seconds:
        return Finding(target.name, "slow", target.name, f"{taken:.1f} s for {len(data):,} bytes")
    if grown > memory:
        return Finding(target.name, "memory", target.name, f"{grown >> 20} MB more")
    return None


def limit_memory(more: int) -> None:
    """Let this process have so many bytes more than now: what asks for more gets a MemoryError."""
    size = int((_PROC / "statm").read_text().split()[0]) * resource.getpagesize()
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (size + more, hard))


@contextmanager
def _interrupted() -> Iterator[None]:
    """Interrupt Python code that takes too long; end the process if other code does."""

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise Endless(f"not done after {_PATIENCE} seconds")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, _PATIENCE)
    faulthandler.dump_traceback_later(3 * _PATIENCE, exit=True, file=2)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _place(trace: object) -> str:
    """Name the innermost line of the package that an error came through."""
    found = "outside"
    for frame in traceback.extract_tb(trace):  # type: ignore[arg-type]
        if "/saccade/" in frame.filename and "/tests/" not in frame.filename:
            found = f"{frame.filename.rpartition('/saccade/')[2]}:{frame.name}"
    return found


def _forget_peak() -> int:
    """Begin to measure the most memory anew; return what there is now."""
    try:
        (_PROC / "clear_refs").write_text("5")
    except OSError:
        return _peak()  # only what is above all before is seen
    return _peak()


def _peak() -> int:
    try:
        status = (_PROC / "status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0]) << 10
    except (OSError, IndexError, ValueError):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


def by_name(targets: list[Target]) -> Mapping[str, Target]:
    """Return targets by their names, which differ."""
    found = {one.name: one for one in targets}
    assert len(found) == len(targets)
    return found
