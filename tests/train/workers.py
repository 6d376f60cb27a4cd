"""Processes that train and may be killed; what they import is imported once, by a server."""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any

import torch

from saccade.errors import Interrupted
from tests.train import small

_CONTEXT = get_context("forkserver")


@contextmanager
def running(folder: Path, options: dict[str, Any]) -> Iterator[ForkServerProcess]:
    """Train in another process for the time of a `with`, which begins when it is ready to."""
    _CONTEXT.set_forkserver_preload(["__main__", "tests.train.workers"])
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
