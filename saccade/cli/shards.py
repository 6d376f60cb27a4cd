"""A corpus in shards, predicted by several processes: who does what, and what becomes of it.

This process gives shards to workers and tells how far they are. A worker claims a shard itself, so
several commands, on several machines, may share one folder of outputs. A worker that dies takes its
claim with it, and its shard is given to another.
"""

import os
import signal
import threading
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path

from saccade.cli.formats import DOCUMENTS, Format
from saccade.cli.options import ShardRunner, note
from saccade.cli.shard_report import Report
from saccade.cli.shard_work import DEATHS, ShardEnd, ShardJob, opened_or_why, write_shard
from saccade.cli.startup import lighten, uncollected
from saccade.errors import DataError, Interrupted, RecipeError, WorkerError
from saccade.predict.shards import Shard, check_manifest, count_errors, list_shards, sweep_locks

_PAUSE = 0.5  # seconds before a shard that another command has is tried again


def predict_shards(
    given: str,
    folder: Path,
    workers: int,
    job: ShardJob,
    runner: ShardRunner = ShardRunner.processes,
) -> None:
    """Predict all shards into a folder, each exactly once; raise DataError if something is missing.

    What is there already is not done again.
    """
    shards = list_shards(given, folder)
    _refuse(job, shards)
    check_manifest(folder, job.model, job.plain())
    sweep_locks(shards)
    waiting = [shard for shard in shards if not shard.is_done()]
    there = len(shards) - len(waiting)
    note(
        f"{len(shards):,} shards; {there:,} are there already."
        if there
        else f"{len(shards):,} shards."
    )
    report, n = Report(waiting, len(shards)), min(workers, len(waiting))
    try:
        if runner is ShardRunner.ray and waiting:
            on_ray = import_module("saccade.cli.shards_on_ray")  # an extra
            failed = on_ray.predict_on_ray(job, waiting, n, report)
        else:
            crew = _Crew(job, waiting, report)
            crew.run(n)
            failed = crew.failed
    except KeyboardInterrupt:
        raise Interrupted(
            signal.SIGINT, "stopped; the same command goes on with the shards that are left."
        ) from None
    _conclude(shards, failed, folder)


def _refuse(job: ShardJob, shards: list[Shard]) -> None:
    """Refuse options that do nothing for these shards."""
    if job.form in DOCUMENTS:
        raise RecipeError(
            f"--format {job.form}: writes one document, but --shards writes a file for every shard;"
            " expected text, tsv or jsonl. Leave out one of them."
        )
    odd = [one for one in shards if job.columns_of(one).form is not Format.jsonl]
    if job.flags and odd:
        raise RecipeError(
            f"--flags: stand in JSON alone where there are shards, but {odd[0].output} is to have"
            f" {job.columns_of(odd[0]).form}. Add --format jsonl, or leave it out."
        )
    if job.column and not any(one.is_table() for one in shards):
        raise RecipeError(
            f"--column {job.column}: the shards are text, and a line of text is an input as a"
            " whole; expected TSV, JSON Lines or Parquet. Leave it out."
        )
    numbered = [one for one in shards if one.kind == "tsv" and job.column]
    if numbered and not job.column.isdecimal():
        raise RecipeError(
            f"--column {job.column}: {numbered[0].path} is TSV, whose columns have numbers;"
            " expected one from 1. Give it."
        )


def _conclude(shards: list[Shard], failed: int, folder: Path) -> None:
    bad = {shard.errors: count_errors(shard) for shard in shards}
    lines, files = sum(bad.values()), [path for path, n in bad.items() if n]
    note(f"{len(shards) - failed:,} of {len(shards):,} shards are in {folder}.")
    if not failed and not lines:
        return
    missing = f"{failed:,} shards could not be predicted" if failed else ""
    rows = f"{lines:,} lines have no output, as {files[0]} says" if lines else ""
    more = f" and {len(files) - 1:,} more" if len(files) > 1 else ""
    raise DataError(
        f"{folder}: {' and '.join(said for said in (missing, rows + more) if said)}; expected all."
        " Mend the shards, remove their outputs if there are any, and run the same command again."
    )


@dataclass
class _Hand:
    """A worker, and the shard that it was given."""

    process: SpawnProcess
    pipe: Connection
    shard: Shard | None = None
    is_ready: bool = False


@dataclass
class _Task:
    shard: Shard
    not_before: float = 0.0
    deaths: int = 0


class _Crew:
    """Workers and the shards that are left for them."""

    def __init__(self, job: ShardJob, shards: list[Shard], report: Report) -> None:
        self._job = job
        self._tasks = {shard: _Task(shard) for shard in shards}
        self._queue = deque(shards)
        self._context = get_context("spawn")
        self._hands: list[_Hand] = []
        self._report = report
        self._lost = 0  # workers in a row that died before they were ready
        self.failed = 0

    def run(self, n: int) -> None:
        """Work until no shard is left, with `n` workers; leave none of them behind."""
        self._threads = max(1, _cores() // max(n, 1))
        try:
            for _ in range(n):
                self._hire()
            while self._queue or any(hand.shard for hand in self._hands):
                self._give()
                self._listen()
                self._report.tell()
        finally:
            for hand in self._hands:
                hand.process.kill()
                hand.process.join()

    def _hire(self) -> None:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=work, args=(theirs, self._job, self._threads))
        process.start()
        theirs.close()
        self._hands.append(_Hand(process, ours))

    def _give(self) -> None:
        """Give every worker without one a shard that is not done and may be tried now."""
        for hand in self._hands:
            if not hand.is_ready or hand.shard:
                continue
            for _ in range(len(self._queue)):
                shard = self._queue.popleft()
                if shard.is_done():
                    self._report.end(shard, ShardEnd("elsewhere"))
                elif self._tasks[shard].not_before > time.monotonic():
                    self._queue.append(shard)
                else:
                    hand.shard = shard
                    with suppress(OSError):  # a worker that died is heard of later
                        hand.pipe.send(shard)
                    break

    def _listen(self) -> None:
        ready = wait([hand.pipe for hand in self._hands], timeout=_PAUSE)
        for hand in [hand for hand in self._hands if hand.pipe in ready]:
            try:
                self._hear(hand, hand.pipe.recv())
            except (EOFError, ConnectionResetError):
                self._bury(hand)

    def _hear(self, hand: _Hand, said: ShardEnd) -> None:
        said.raise_if_none_can_do_it()
        shard, hand.shard, hand.is_ready, self._lost = hand.shard, None, True, 0
        if shard is None:
            return
        if said.word == "taken":
            self._tasks[shard].not_before = time.monotonic() + _PAUSE
            self._queue.append(shard)
            return
        self.failed += said.word == "failed"
        self._report.end(shard, said)

    def _bury(self, hand: _Hand) -> None:
        """Give the shard of a dead worker back, and hire another."""
        hand.process.join()
        self._hands.remove(hand)
        how = _ending(hand.process.exitcode or 0)
        if hand.shard is None:
            self._lost += 1
            if self._lost >= DEATHS:
                raise WorkerError(
                    f"{self._job.model}: {DEATHS} workers died ({how}) before they were given a"
                    " shard; expected them to open the model. Is there enough memory? Use fewer"
                    " --workers."
                )
        else:
            self._retry(self._tasks[hand.shard], f"worker {hand.process.pid} died ({how})")
        self._hire()

    def _retry(self, task: _Task, how: str) -> None:
        task.deaths += 1
        path = task.shard.path
        if task.deaths < DEATHS:
            note(f"{path}: {how}; another does this shard.")
            self._queue.append(task.shard)
            return
        self.failed += 1
        said = (
            f"{path}: {how}, the third over this shard; expected it to be done. Is there enough"
            " memory? Split the shard, or use fewer --workers."
        )
        self._report.end(task.shard, ShardEnd("failed", problems=(said,)))


def work(pipe: Connection, job: ShardJob, threads: int) -> None:
    """Be a worker: open the model, then write every shard that comes. Ends with its parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    os.environ.setdefault("OMP_NUM_THREADS", str(threads))  # before torch is imported
    lighten()
    with uncollected():
        opened = opened_or_why(job)
    if isinstance(opened, ShardEnd):
        pipe.send(opened)
        return
    pipe.send(ShardEnd("ready"))
    while True:
        pipe.send(write_shard(opened, pipe.recv(), job))


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _ending(code: int) -> str:
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"exit code {code}"
