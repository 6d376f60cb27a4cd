"""A corpus in shards, predicted by the actors of a Ray cluster: `--runner ray`.

    shards ─ray.data.from_items─▶ a block each ─map─▶ a pool of actors, each holds the model
           ◀──────────── what came of each, as they end ────────────┘

An actor does what a process does: it claims the shard, writes its output aside and renames it. So
shards, outputs and the model lie in folders that all machines see. Ray starts an actor that died
anew and gives it its shard again; the claim of the dead one ended with it.
"""

import logging
import os
import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from saccade.cli.options import note
from saccade.cli.shard_report import Report
from saccade.cli.shard_work import DEATHS, ShardEnd, ShardJob, opened_or_why, write_shard
from saccade.engines.base import Opened
from saccade.errors import RecipeError
from saccade.predict.shards import Shard

_PAUSE = 0.5  # seconds before shards that another command has are tried again
_STORE = 200 << 20  # bytes of Ray's store of objects; what passes through it is a few words


def predict_on_ray(job: ShardJob, shards: Sequence[Shard], n: int, report: Report) -> int:
    """Work until no shard is left, with `n` actors; return how many shards failed."""
    waiting, failed = list(shards), 0
    with _cluster(n) as ray:
        while waiting:
            taken = list[Shard]()
            for shard, said in _ended(ray, job, waiting, n):
                said.raise_if_none_can_do_it()
                if said.word == "taken" and not shard.is_done():
                    taken.append(shard)
                    continue
                failed += said.word == "failed"
                report.end(shard, said)
                report.tell()
            waiting = taken
            time.sleep(_PAUSE if waiting else 0)
    return failed


class ShardWriter:
    """What an actor is: a model that is open, and writes the shards that it is given."""

    def __init__(self, job: ShardJob, folder: str) -> None:
        self._job, self._opened = job, _opened_in(folder, job)

    def __call__(self, row: dict[str, Any]) -> dict[str, Any]:
        """Write the output of a shard, and say what came of it."""
        opened, shard = self._opened, Shard(Path(row["path"]), Path(row["output"]))
        said = opened if isinstance(opened, ShardEnd) else write_shard(opened, shard, self._job)
        problems = "\n".join(said.problems)  # a list without items would have no type
        return {**asdict(said), "problems": problems, "number": row["number"]}


def _ended(
    ray: Any, job: ShardJob, shards: Sequence[Shard], n: int
) -> Iterator[tuple[Shard, ShardEnd]]:
    """Yield what came of each shard, the first that ends first; those that nobody ended last."""
    rows = [
        {"number": i, "path": str(one.path), "output": str(one.output)}
        for i, one in enumerate(shards)
    ]
    found = ray.data.from_items(rows, override_num_blocks=len(rows)).map(
        ShardWriter,
        fn_constructor_args=(job, str(Path.cwd())),
        compute=ray.data.ActorPoolStrategy(size=n, max_tasks_in_flight_per_actor=1),
        num_cpus=1,
        max_restarts=-1,
        max_task_retries=DEATHS - 1,
    )
    left = dict(enumerate(shards))
    for row in found.iter_rows():
        problems = tuple(str(row["problems"]).splitlines())
        shard = left.pop(int(row["number"]))
        yield shard, ShardEnd(str(row["word"]), int(row["lines"]), problems)
    for shard in left.values():
        yield shard, ShardEnd("failed", problems=(_given_up(shard),))


@contextmanager
def _cluster(n: int) -> Iterator[Any]:
    """Join the cluster that there is, or start one with `n` processors; leave it in the end."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is sent to anybody
    try:
        import ray  # noqa: PLC0415 - an extra
        import ray.data  # noqa: PLC0415 - an extra
    except ImportError:
        raise RecipeError(
            "--runner ray: the package ray is not installed; expected it beside saccade. Install"
            " it: pip install saccade[ray]. Or leave the option out: --workers are processes then."
        ) from None
    quiet = {"log_to_driver": False, "logging_level": logging.ERROR}
    try:
        ray.init(address="auto", **quiet)
    except ConnectionError:
        ray.init("local", num_cpus=n, include_dashboard=False, object_store_memory=_STORE, **quiet)
    try:
        context = ray.data.DataContext.get_current()
        context.enable_progress_bars = False
        context.max_errored_blocks = -1  # a shard that is given up does not end the others
        logging.getLogger("ray.data").setLevel(logging.CRITICAL)
        _check_size(int(ray.cluster_resources().get("CPU", 0)), n)
        yield ray
    finally:
        ray.shutdown()


def _check_size(there: int, n: int) -> None:
    note(f"Ray: {there} processors, {n} workers.")
    if there < n:
        raise RecipeError(
            f"--workers {n}: the Ray cluster has {there} processors, and a worker takes one;"
            " expected as many. Ask for fewer."
        )


def _opened_in(folder: str, job: ShardJob) -> Opened | ShardEnd:
    """Open the model where the command was given: paths of shards and messages are as there."""
    try:
        os.chdir(folder)
    except OSError as error:
        said = (
            f"{folder}: a worker on {socket.gethostname()} cannot go there ({error.strerror});"
            " expected the folder in which the command was given. Share it with all machines."
        )
        return ShardEnd("unable", problems=(said,))
    return opened_or_why(job)


def _given_up(shard: Shard) -> str:
    return (
        f"{shard.path}: {DEATHS} workers died over this shard, or Ray lost them; expected it to be"
        " done. Is there enough memory? Split the shard, or use fewer --workers."
    )
