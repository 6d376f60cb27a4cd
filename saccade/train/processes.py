"""Several processes that train one model: the door to `torch.distributed`.

Every process holds the whole model, computes its share of every update, and adds its gradients to
those of the others: then all make the same step. Process 0 leads: it alone validates and writes.
With `training.shard` each holds a part of the model instead; see shards.py. There is no
`DistributedDataParallel`, which wraps `forward` and takes means: objectives ask models for more
than `forward`, and their sums are divided once, by the counts of all.
"""

import json
import os
import signal
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

import torch
from torch import Tensor, distributed, nn
from torch.distributed import PrefixStore, TCPStore  # type: ignore[attr-defined]

from saccade.errors import SaccadeError, WorkerError

STEPS = "SACCADE_STEPS"  # names the file in which a launcher reads how far each process is
RESTARTS = "TORCHELASTIC_RESTART_COUNT"
_PATIENCE = timedelta(hours=12)  # for a process that is alive: it may be validating
_BYTES = 8  # of a step in that file, and of a length
_SHORT = 1024  # bytes that are said in one round; a longer word takes two

_LEAVING = 10.0  # seconds in which a process that made a mistake ends

Word = dict[str, Any]  # what JSON can hold
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Peer:
    """Another process of the job: the machine it is on, and its number there."""

    host: str
    pid: int

    @property
    def gone(self) -> bool:
        """Whether it is known to have ended; of other machines and systems nothing is known."""
        if self.host != socket.gethostname() or not Path("/proc/self/stat").exists():
            return False
        try:
            state = Path(f"/proc/{self.pid}/stat").read_text(encoding="utf-8")
        except OSError:
            return True
        return state.rpartition(")")[2].split()[0] in "ZX"


class Processes:
    """One process among the `size` of a job. What it asks for, all must ask for, in one order.

    All talk is JSON in tensors of bytes, so nobody runs what another says. A process that is told
    of another's mistake raises WorkerError; one that is killed is named by those that are left.
    """

    def __init__(self, rank: int = 0, size: int = 1) -> None:
        self.rank, self.size = rank, size
        self.step = 0
        self._peers: list[Peer] = []
        self._parent = os.getppid()
        steps = os.environ.get(STEPS) if size > 1 else None
        self._steps = Path(steps).open("r+b", buffering=0) if steps else None  # noqa: SIM115
        found = self.tell({"host": socket.gethostname(), "pid": os.getpid()})
        self._peers = [Peer(**one) for one in found]

    @property
    def leads(self) -> bool:
        """Whether this is the process that validates, writes and speaks."""
        return self.rank == 0

    def at(self, step: int) -> None:
        """Note how far the run is, for messages."""
        self.step = step
        if self._steps and os.getppid() != self._parent:
            raise WorkerError(
                f"step {step}: the process that began this one has ended; expected it to wait. The"
                " last checkpoint is kept; go on with --resume."
            )
        if self._steps:
            os.pwrite(self._steps.fileno(), step.to_bytes(_BYTES, "big"), self.rank * _BYTES)

    def tell(self, word: Word) -> list[Word]:
        """Tell all the others something; return what each said, in order of rank."""
        if self.size == 1:
            return [word]
        said = json.dumps(word).encode()
        first = len(said).to_bytes(_BYTES, "big") + said[:_SHORT].ljust(_SHORT)
        heard = self._gather(first)
        lengths = [int.from_bytes(one[:_BYTES], "big") for one in heard]
        texts = [one[_BYTES:] for one in heard]
        if (longest := max(lengths)) > _SHORT:
            texts = self._gather(said.ljust(longest))
        return [json.loads(text[:n]) for text, n in zip(texts, lengths, strict=True)]

    def _gather(self, said: bytes) -> list[bytes]:
        """Give all the others as many bytes as each gives."""
        mine = torch.frombuffer(bytearray(said), dtype=torch.uint8)
        heard = [torch.zeros_like(mine) for _ in range(self.size)]
        with self._together():
            distributed.all_gather(heard, mine)
        return [one.numpy().tobytes() for one in heard]

    def agree(self, word: Word, what: str) -> None:
        """Refuse to go on if not all have the same; `what` it is."""
        first, *others = self.tell(word)
        for rank, other in enumerate(others, start=1):
            names = [name for name in {**first, **other} if first.get(name) != other.get(name)]
            if names:
                raise WorkerError(
                    f"rank {rank}: has other {what} than rank 0: {', '.join(names)}; expected the"
                    " same for all. Give every machine the same files and versions."
                )

    def lead(self, work: Callable[[], Word | None]) -> Word:
        """Let process 0 work; return to all what comes of it, or raise what went wrong."""
        return self._part(work if self.leads else None)[0]

    def in_turn(self, work: Callable[[], None]) -> None:
        """Let process 0 work, and then the others, who find what it has stored."""
        self._part(work if self.leads else None)
        self._part(None if self.leads else work)

    def share(self, work: Callable[[], Word]) -> list[Word]:
        """Let all work; return what comes of it, in order of rank, or raise what went wrong."""
        return self._part(work)

    def settle(self, work: Callable[[], T]) -> T:
        """Let all work, each for itself, and go on only if nobody made a mistake."""
        made: list[T] = []
        self._part(lambda: made.append(work()))
        return made[0]

    @contextmanager
    def bound(self) -> Iterator[None]:
        """Say who is gone when something fails because another has ended.

        For the time in which processes speak by torch itself. One that makes a mistake then tells
        nobody: it ends, which takes it a moment, and the others find out.
        """
        try:
            yield
        except RuntimeError as error:
            if gone := self._gone(_LEAVING):
                raise WorkerError(self._named(gone)) from error
            raise

    def add_gradients(self, parameters: Sequence[nn.Parameter]) -> None:
        """Add the gradients of all processes: one sum of one row of numbers.

        A parameter that no process has a gradient of is left without one, as in one process.
        """
        if self.size == 1:
            return
        first = parameters[0]
        have = first.new_tensor([float(p.grad is not None) for p in parameters])
        parts = [torch.zeros_like(p) if p.grad is None else p.grad for p in parameters]
        row = torch.cat([have, *(one.reshape(-1).to(have.dtype) for one in parts)])
        with self._together():
            distributed.all_reduce(row)
        have, *sums = torch.split(row, [len(parameters), *(p.numel() for p in parameters)])
        for parameter, number, total in zip(parameters, have.tolist(), sums, strict=True):
            parameter.grad = total.view_as(parameter).to(parameter.dtype) if number else None

    def average(self, tensors: dict[str, Tensor]) -> None:
        """Put the mean of all processes in place of what each has."""
        if self.size > 1:
            for name in sorted(tensors):
                with self._together():
                    distributed.all_reduce(tensors[name])
                tensors[name] /= self.size

    def _part(self, work: Callable[[], Word | None] | None) -> list[Word]:
        """Do one's part, if it is one's turn, and tell what came of it."""
        if self.size == 1:
            return [(work() if work else None) or {}]
        word: Word = {}
        mistake: Exception | None = None
        try:
            word = (work() if work else None) or {}
        except Exception as error:
            mistake = error
        if mistake:
            known = isinstance(mistake, SaccadeError)
            self.tell({"error": f"{'' if known else type(mistake).__name__ + ': '}{mistake}"})
            raise mistake
        found = self.tell({"done": word})
        for rank, one in enumerate(found):
            if "error" in one:
                raise WorkerError(f"rank {rank}: {one['error']}")
        return [one["done"] for one in found]

    @contextmanager
    def _together(self) -> Iterator[None]:
        """Say who is gone when torch says that a connection is."""
        try:
            yield
        except RuntimeError as error:
            raise WorkerError(self._lost(str(error).partition("\n")[0])) from error

    def _lost(self, said: str) -> str:
        return self._named(self._gone(1.0) or f"another process is gone ({said})")

    def _gone(self, seconds: float) -> str:
        """Say which others have ended, or nothing if so many seconds show none."""
        until = time.monotonic() + seconds
        gone: list[str] = []
        while not gone and time.monotonic() < until:
            time.sleep(0.02)
            gone = [f"{r} (pid {p.pid})" for r, p in enumerate(self._peers) if p.gone]
        return f"rank {', '.join(gone)} has ended" if gone else ""

    def _named(self, who: str) -> str:
        return (
            f"step {self.step}: {who}; expected all {self.size} processes to go on. The last"
            " checkpoint is kept; go on with --resume."
        )


ALONE = Processes()


@contextmanager
def joined(device: str = "cpu") -> Iterator[tuple[Processes, str]]:
    """Join the job that torchrun or a launcher of its kind began, for the time of a `with`.

    It is told of in the environment: RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT. Without it the
    process is alone. `device` `cuda` becomes the graphics processor LOCAL_RANK.
    """
    size = int(os.environ.get("WORLD_SIZE", "1"))
    if size == 1:
        yield ALONE, device
        return
    if device == "cuda":
        device = f"cuda:{os.environ.get('LOCAL_RANK', '0')}"
        torch.cuda.set_device(device)
    backend = "cpu:gloo,cuda:nccl" if device.startswith("cuda") else "gloo"
    rank = int(os.environ["RANK"])
    distributed.init_process_group(
        backend, timeout=_PATIENCE, store=_store(), rank=rank, world_size=size
    )
    try:
        yield Processes(rank, size), device
    finally:
        distributed.destroy_process_group()


def _store() -> PrefixStore:
    """Return where the processes of this attempt find each other.

    torchrun keeps one store over its restarts: without a prefix of their own, processes that begin
    again find the addresses of the dead there, and wait for them.
    """
    kept = os.environ.get("TORCHELASTIC_USE_AGENT_STORE") == "True"  # by who began the job
    store = TCPStore(
        os.environ["MASTER_ADDR"],
        int(os.environ["MASTER_PORT"]),
        int(os.environ["WORLD_SIZE"]),
        is_master=os.environ["RANK"] == "0" and not kept,
        timeout=_PATIENCE,
    )
    return PrefixStore(f"saccade/{os.environ.get(RESTARTS, '0')}", store)


def restarted() -> bool:
    """Say whether torchrun has begun this job before, so that it is to go on."""
    return int(os.environ.get(RESTARTS, "0")) > 0


def steps_of(path: Path, n: int) -> list[int]:
    """Read how far each of `n` processes is."""
    found = path.read_bytes().ljust(n * _BYTES, b"\0")
    return [int.from_bytes(found[i * _BYTES : (i + 1) * _BYTES], "big") for i in range(n)]


def ending(rank: int, pid: int, code: int, step: int) -> str:
    """Say how a process ended.

    >>> ending(1, 4242, -9, 12)
    'rank 1 (pid 4242) was killed by SIGKILL at step 12'
    """
    how = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"
    return f"rank {rank} (pid {pid}) {how} at step {step}"
