"""Processes that train and may be killed; what they import is imported once, by a server."""

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch.distributed import TCPStore  # type: ignore[attr-defined]

from saccade.errors import Interrupted, SaccadeError
from saccade.train import processes as _loaded  # noqa: F401 - once, by the server
from tests.train import small

_CONTEXT = get_context("forkserver")
_PRELOADED = ["__main__", "tests.train.preloaded"]


class Raised(NamedTuple):
    """What a process of a job raised."""

    kind: str
    text: str


@contextmanager
def running(folder: Path, options: dict[str, Any]) -> Iterator[ForkServerProcess]:
    """Train in another process for the time of a `with`, which begins when it is ready to."""
    _CONTEXT.set_forkserver_preload(_PRELOADED)
    here, there = _CONTEXT.Pipe()
    process = _CONTEXT.Process(target=_work, args=(folder, options, there))
    process.start()
    try:
        assert here.poll(60)
        yield process
    finally:
        process.kill()
        process.join()
        here.close()
        there.close()


def is_whole(folder: Path) -> bool:
    """Say whether a run got as far as its first checkpoint."""
    path = folder / "saccade.json"
    return path.exists() and "begun" not in json.loads(path.read_text(encoding="utf-8"))


def _work(folder: Path, options: dict[str, Any], ready: Connection) -> None:
    torch.set_num_threads(1)
    setattr(os, "fsync", lambda _: None)  # noqa: B010 - a kill is no power cut: nothing to wait for
    ready.send(True)
    try:
        small.run(folder, resume=is_whole(folder), **options)
    except Interrupted as error:
        sys.exit(128 + error.signal)


def together(n: int, task: Callable[..., Any], *options: Any) -> list[Any]:
    """Call `task` in `n` processes that form a job; return what each returned or raised."""
    _CONTEXT.set_forkserver_preload(_PRELOADED)
    store = TCPStore("127.0.0.1", 0, None, is_master=True, wait_for_workers=False)
    ends = [_CONTEXT.Pipe() for _ in range(n)]
    jobs = [
        _CONTEXT.Process(target=_join, args=(rank, n, store.port, ends[rank][1], task, options))
        for rank in range(n)
    ]
    for job in jobs:
        job.start()
    try:
        for _, there in ends:
            there.close()
        return [_heard(here) for here, _ in ends]
    finally:
        for job in jobs:
            job.kill()
            job.join()


def _heard(here: Connection) -> Any:
    try:
        return here.recv() if here.poll(120) else "said nothing"
    except EOFError:
        return "was killed"


def _join(
    rank: int, n: int, port: int, there: Connection, task: Callable[..., Any], options: Any
) -> None:
    torch.set_num_threads(1)
    setattr(os, "fsync", lambda _: None)  # noqa: B010 - as above
    os.environ.update(
        RANK=str(rank),
        WORLD_SIZE=str(n),
        MASTER_ADDR="127.0.0.1",
        MASTER_PORT=str(port),
        GLOO_SOCKET_IFNAME="lo",
        TORCHELASTIC_USE_AGENT_STORE="True",
    )
    try:
        there.send(task(*options))
    except SaccadeError as error:
        there.send(Raised(type(error).__name__, str(error)))
