"""Looks after the processes that serve: starts them, starts dead ones anew, changes their models.

Every process accepts connections from the same socket. SIGHUP starts new processes, which open
their model folders anew. When all of them are ready they take over and the old ones finish what
they have; if one is not, the old ones go on. SIGTERM and SIGINT end all, with every request
answered.
This file imports no torch: a process is forked before anything computes.
"""

import gc
import os
import select
import signal
import socket
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import Enum, auto

from saccade.errors import SaccadeError
from saccade.server.shared import GENERATIONS, Shared

_READY, _FAILED = b"+", b"-"
_YOUNG = 10.0  # seconds; a process that dies younger has its successor wait
_PAUSES = (0.1, 0.5, 2.0, 10.0, 30.0)  # seconds until then, each time it happens again
_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD)


class Stage(Enum):
    """How far a process is."""

    beginning = auto()
    ready = auto()
    serving = auto()
    ending = auto()


@dataclass(frozen=True)
class Post:
    """What a process knows of its supervisor. `slot` is its number among those that share."""

    slot: int
    report: int
    life: int

    def await_go(self) -> None:
        """Say that everything is ready to serve, and wait until it is to begin."""
        os.write(self.report, _READY)
        if not os.read(self.life, 1):
            raise SystemExit(1)  # the supervisor is gone


@dataclass(eq=False)
class _Process:
    pid: int
    slot: int
    generation: int
    report: int
    life: int
    stage: Stage = Stage.beginning
    said: bytes = b""
    began: float = field(default_factory=time.monotonic)


class Supervisor:
    """Keeps `n` processes serving until a signal ends them.

    Args:
        n: how many.
        work: what a process does; it calls `await_go` once and returns when it was told to end.
        shared: what they share, as `of_processes` makes it.
        tell: where to say what happens.
        begun: called when the first of them serve.
        seconds: that a process has to finish its work.
    """

    def __init__(
        self,
        n: int,
        work: Callable[[Post], None],
        shared: Shared,
        tell: Callable[[str], None],
        begun: Callable[[], None],
        seconds: float,
    ) -> None:
        self._n, self._work, self._shared, self._tell = n, work, shared, tell
        self._begun, self._seconds = begun, seconds
        self._processes: list[_Process] = []
        self._generation = 0  # the newest that was begun
        self._serving = -1  # the one that serves
        self._wanted: list[float] = []  # when to begin a process in place of a dead one
        self._died_young = 0
        self._reload = self._stop = False
        self._deadline = float("inf")
        self._problem = ""
        self._terminal = _has_terminal()

    def run(self, sockets: Sequence[socket.socket]) -> None:
        """Serve until it is over; the sockets are those on which the processes listen."""
        with _signals() as wakeup:
            gc.collect()
            gc.freeze()  # memory that nobody writes to stays common
            self._begin_all()
            while self._processes or (self._wanted and not self._stop):
                self._hear(wakeup)
                self._reap()
                self._step(sockets)
        if self._problem:
            raise SaccadeError(self._problem)

    def _hear(self, wakeup: int) -> None:
        """Wait for a signal or a word of a process."""
        due = [*self._wanted, self._deadline]
        wait = max(min(due) - time.monotonic(), 0.0)
        listened = {p.report: p for p in self._processes if p.stage is Stage.beginning}
        found, _, _ = select.select([wakeup, *listened], [], [], min(wait, 3600.0))
        for file in found:
            if file == wakeup:
                self._note(os.read(wakeup, 4096))
            elif listened[file].stage is Stage.beginning:  # and not given up with another
                self._listen(listened[file])

    def _note(self, signals: bytes) -> None:
        hung_up = signal.SIGHUP in signals and self._terminal and not _has_terminal()
        if signal.SIGTERM in signals or signal.SIGINT in signals or hung_up:
            self._stop = True
        elif signal.SIGHUP in signals:
            self._reload = True

    def _listen(self, process: _Process) -> None:
        heard = os.read(process.report, 1 << 16)  # what it says comes in one piece
        process.said += heard
        if process.said == _READY:
            process.stage = Stage.ready
        elif not heard or process.said.startswith(_FAILED):  # it ends, or is dead
            process.stage = Stage.ending
            self._lost(process)

    def _reap(self) -> None:
        """Look for processes that have ended."""
        for process in list(self._processes):
            pid, status = os.waitpid(process.pid, os.WNOHANG)
            if not pid:
                continue
            if process.stage is Stage.beginning:
                self._listen(process)
            self._processes.remove(process)
            os.close(process.report)
            os.close(process.life)
            with self._shared.memory.locked():
                self._shared.counts.clear(process.slot)
            self._find_home()
            if process.stage in (Stage.serving, Stage.ready) and not self._stop:
                code = os.waitstatus_to_exitcode(status)
                cause = f"signal {-code}" if code < 0 else f"exit code {code}"
                self._tell(f"Process {process.pid} died ({cause}); another takes its place.")
                self._shared.counters.add({"saccade_workers_died_total": 1})
                self._replace(process)

    def _lost(self, process: _Process) -> None:
        """Deal with a process that did not get ready."""
        reason = process.said.removeprefix(_FAILED).decode("utf-8", "replace")
        reason = reason or f"process {process.pid} died while it opened the models"
        if self._stop:
            return
        if process.generation == self._serving:
            self._tell(f"A new process could not begin: {reason}")
            self._replace(process)
            return
        for other in self._processes:
            if other.generation == process.generation and other.stage is not Stage.ending:
                other.stage = Stage.ending
                os.kill(other.pid, signal.SIGKILL)
        if self._serving < 0:
            self._problem = self._problem or reason
            self._stop = True
            return
        self._shared.counters.add({'saccade_reloads_total{result="refused"}': 1})
        self._tell(f"Reload refused, the models that were served go on: {reason}")

    def _step(self, sockets: Sequence[socket.socket]) -> None:
        """Do what is due."""
        if self._stop:
            self._end_all(sockets)
            return
        newest = [p for p in self._processes if p.generation == self._generation]
        whole = len(newest) == self._n and all(p.stage is Stage.ready for p in newest)
        if self._generation != self._serving and whole:
            self._take_over(newest)
        for process in self._processes:  # in place of dead ones
            if process.generation == self._serving and process.stage is Stage.ready:
                self._go(process)
        if self._reload and self._is_settled():
            self._reload = False
            self._begin_all()
        now = time.monotonic()
        for _ in [due for due in self._wanted if due <= now]:
            self._begin(self._serving)
        self._wanted = [due for due in self._wanted if due > now]

    def _is_settled(self) -> bool:
        """Tell whether all processes serve, so that a reload finds free slots."""
        stages = [process.stage for process in self._processes]
        return stages == [Stage.serving] * len(stages)

    def _take_over(self, newest: list[_Process]) -> None:
        first = self._serving < 0
        self._serving, self._wanted = self._generation, []
        for process in newest:
            self._go(process)
        for process in self._processes:
            if process.generation != self._serving:
                self._end(process)
        if first:
            self._begun()
        else:
            self._shared.counters.add({'saccade_reloads_total{result="done"}': 1})
            self._tell("Reloaded: new models are served.")

    def _go(self, process: _Process) -> None:
        process.stage = Stage.serving
        self._shared.counters.add({"saccade_workers_started_total": 1})
        with suppress(BrokenPipeError):
            os.write(process.life, _READY)
        self._find_home()

    def _find_home(self) -> None:
        """Say which process keeps what there is once: the same as long as it serves."""
        serving = [p.slot for p in self._processes if p.stage is Stage.serving]
        mine = [p.slot for p in self._processes if p.generation == self._serving]
        neighbours = self._shared.neighbours
        if serving and neighbours.home not in set(serving).intersection(mine):
            neighbours.home = next((slot for slot in mine if slot in serving), serving[0])

    def _replace(self, process: _Process) -> None:
        """Have a process begin in place of one that died; not at once if that happens again."""
        young = time.monotonic() - process.began < _YOUNG
        self._died_young = self._died_young + 1 if young else 0
        pause = _PAUSES[min(self._died_young, len(_PAUSES) - 1)] if young else 0.0
        self._wanted.append(time.monotonic() + pause)

    def _begin_all(self) -> None:
        self._generation += 1
        for _ in range(self._n):
            self._begin(self._generation)

    def _begin(self, generation: int) -> None:
        """Fork a process."""
        taken = {process.slot for process in self._processes}
        slot = next(n for n in range(GENERATIONS * self._n) if n not in taken)
        report, mouth = os.pipe()
        life, pulse = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        pid = os.fork()
        if pid:
            os.close(mouth)
            os.close(life)
            self._processes.append(_Process(pid, slot, generation, report, pulse))
            return
        os.close(report)
        os.close(pulse)
        for process in self._processes:  # or they would not notice the supervisor's end
            os.close(process.report)
            os.close(process.life)
        _work(self._work, Post(slot, mouth, life))

    def _end(self, process: _Process) -> None:
        if process.stage is not Stage.ending:
            hard = process.stage is Stage.beginning
            process.stage = Stage.ending
            os.kill(process.pid, signal.SIGKILL if hard else signal.SIGTERM)

    def _end_all(self, sockets: Sequence[socket.socket]) -> None:
        now = time.monotonic()
        if self._deadline == float("inf"):
            self._deadline = now + self._seconds
            for one in sockets:
                one.close()
            for process in self._processes:
                self._end(process)
        elif now >= self._deadline:
            self._deadline = now + 1
            for process in self._processes:
                os.kill(process.pid, signal.SIGKILL)


def _work(work: Callable[[Post], None], post: Post) -> None:
    """Be a process that serves; never returns."""
    signal.set_wakeup_fd(-1)
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the supervisor says when to end
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    code = 1
    try:
        work(post)
        code = 0
    except SaccadeError as error:
        os.write(post.report, _FAILED + str(error).encode("utf-8", "replace")[:60_000])
    except (SystemExit, KeyboardInterrupt):
        code = 0
    except BaseException as error:
        traceback.print_exc()
        with suppress(OSError):
            os.write(post.report, _FAILED + f"{type(error).__name__}: {error}".encode()[:60_000])
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


@contextmanager
def _signals() -> Iterator[int]:
    """Have signals written to a file for the time of a `with`."""
    read, write = os.pipe()
    os.set_blocking(write, False)
    before = {number: signal.signal(number, lambda *_: None) for number in _SIGNALS}
    old = signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    try:
        yield read
    finally:
        signal.set_wakeup_fd(old)
        for number, handler in before.items():
            signal.signal(number, handler)
        os.close(read)
        os.close(write)


def _has_terminal() -> bool:
    """Tell whether there is a terminal that could hang up."""
    try:
        os.close(os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY))
    except OSError:
        return False
    return True
