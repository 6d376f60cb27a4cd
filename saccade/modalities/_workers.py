"""Work on files in other processes: a request goes in, an array comes out.

A worker is this Python running a module that calls `serve`. It reads requests from its standard
input, a JSON object a line, and answers with a line that tells type and shape, and the array's
bytes. It ends when its input does, so none outlives the process that started it. Nothing is
imported from the user's own script, and a decoder that crashes takes only its worker along.

Who is to blame is told apart. A worker says that it is ready before it reads anything: one that
ends before could not start. What it raises that is no `DataError` is the program's fault. If it
ends while it works, another one tries the same file: only a file that ends both is refused.
"""

import atexit
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from threading import Lock
from typing import IO, Any, final

import numpy as np
from numpy.typing import NDArray

from saccade.errors import DataError, WorkerError

Array = NDArray[Any]
Request = Mapping[str, Any]
WHERE = "where"  # the key of a request that messages begin with
_PATIENCE = 1.0  # seconds of work in this process before others are started
_MOST_SAID = 300  # characters of what went wrong
_READY = b"ready\n"  # the first line of a worker
_PACKAGE = Path(__file__).parents[2]


@final
class Workers:
    """Processes that run one module; started when there is enough to do.

    Args:
        module: calls `serve` if it is the main one.
        count: how many; as many as there are cores to use if it is 0.
        patience: seconds of work after which they are started.
    """

    def __init__(self, module: str, count: int = 0, patience: float = _PATIENCE) -> None:
        self._module, self._count = module, count or usable_cores()
        self._left, self._lock = patience, Lock()
        self._idle: SimpleQueue[_Worker] = SimpleQueue()
        self._running: list[_Worker] = []
        self._owner = 0

    def map(self, requests: Sequence[Request], work: Callable[[Request], Array]) -> list[Array]:
        """Return the arrays of all requests, in order; `work` does here what a worker would do.

        The same arrays come out whoever makes them.
        """
        if self._count < 2 or len(requests) < 2 or self._left > 0:
            start = time.monotonic()
            found = [work(request) for request in requests]
            self._left -= time.monotonic() - start
            return found
        with self._lock:
            self._start()
            try:
                with ThreadPoolExecutor(self._count, thread_name_prefix="worker") as pool:
                    return list(pool.map(self._ask, requests))
            except WorkerError:
                self.close()  # others are started when there is more to do
                raise

    def close(self) -> None:
        """End all workers."""
        if self._owner == os.getpid():
            for worker in self._running:
                worker.end()
        self._running, self._idle, self._owner = [], SimpleQueue(), 0

    def _start(self) -> None:
        if self._owner == os.getpid():
            return
        self._running, self._idle = (
            [],
            SimpleQueue(),
        )  # after a fork, those of the parent are not ours
        self._owner = os.getpid()
        atexit.register(self.close)
        for _ in range(self._count):
            self._idle.put(self._add())

    def _add(self) -> "_Worker":
        worker = _Worker(self._module)
        self._running.append(worker)
        return worker

    def _ask(self, request: Request) -> Array:
        worker = self._idle.get()
        try:
            try:
                return worker.ask(request)
            except EOFError:
                worker = self._replaced(worker)
            try:
                return worker.ask(request)
            except EOFError:
                ended = worker.how_it_ended()
                worker = self._replaced(worker)
                raise DataError(
                    f"{request[WHERE]}: the process that decoded it {ended}, and so did another one"
                    " before; expected a picture. It may be made to do harm: leave it out."
                ) from None
        finally:
            self._idle.put(worker)

    def _replaced(self, worker: "_Worker") -> "_Worker":
        worker.end()
        self._running.remove(worker)
        return self._add()


class _Worker:
    """One process with its two pipes."""

    def __init__(self, module: str) -> None:
        paths = [str(_PACKAGE), *filter(None, [os.environ.get("PYTHONPATH")])]
        self._process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            start_new_session=True,  # Ctrl-C is for the process that started it
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input, self._output = self._process.stdin, self._process.stdout
        self._module, self._ready = module, False

    def ask(self, request: Request) -> Array:
        """Send a request and wait for its answer; EOFError if there is none."""
        self._wait()
        try:
            self._input.write(json.dumps(request).encode() + b"\n")
            self._input.flush()
        except BrokenPipeError:
            raise EOFError from None
        head = json.loads(self._output.readline() or b"null")
        if head is None:
            raise EOFError
        if "error" in head:
            raise DataError(head["error"])
        if "failure" in head:
            raise WorkerError(
                f"{request[WHERE]}: the process that decodes it failed ({head['failure']}), which"
                " no file should bring about; expected pixels, or a word about the file. Install"
                " the package and what it needs anew; if that does not help, report it."
            )
        empty = np.empty(head["shape"], dtype=head["dtype"])
        data = self._output.read(empty.nbytes)
        if len(data) < empty.nbytes:
            raise EOFError
        return np.frombuffer(data, dtype=empty.dtype).reshape(empty.shape)

    def _wait(self) -> None:
        """Wait until it is ready, the first time."""
        if not self._ready and self._output.readline() != _READY:
            raise WorkerError(
                f"{self._module}: the process that decodes pictures {self.how_it_ended()} before it"
                f" was given any; expected it to start. Try `{sys.executable} -m {self._module}`,"
                " which says why; is the package whole, and is there memory for one more process?"
            )
        self._ready = True

    def end(self) -> int:
        """Close the pipes and wait; return its code."""
        for pipe in (self._input, self._output):
            try:
                pipe.close()
            except BrokenPipeError:
                continue
        return self._process.wait()

    def how_it_ended(self) -> str:
        """End it, and say in words how it did."""
        code = self.end()
        if code >= 0:
            return f"ended with code {code}"
        return f"was ended by signal {-code} ({signal.strsignal(-code) or 'unknown'})"


def serve(work: Callable[[Request], Array]) -> None:
    """Answer requests from standard input until it ends."""
    answers: IO[bytes] = sys.stdout.buffer
    sys.stdout = sys.stderr  # what a library prints is no answer
    answers.write(_READY)
    answers.flush()
    for line in sys.stdin.buffer:
        try:
            array = np.ascontiguousarray(work(json.loads(line)))
        except DataError as error:
            answers.write(json.dumps({"error": str(error)}).encode() + b"\n")
        except Exception as error:
            said = f"{type(error).__name__}: {error}"[:_MOST_SAID]
            answers.write(json.dumps({"failure": said}).encode() + b"\n")
        else:
            head = {"shape": list(array.shape), "dtype": array.dtype.name}
            answers.write(json.dumps(head).encode() + b"\n")
            answers.write(array.data)
        answers.flush()


def usable_cores() -> int:
    """Return how many cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # a system that cannot say
        return os.cpu_count() or 1
