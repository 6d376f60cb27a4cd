"""Several processes on this machine: they are begun, watched, and ended together.

What torchrun does for many machines, in a few lines for one: no ports to choose, and a process that
is killed ends the job by name within a second.
"""

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import FrameType

from torch.distributed import TCPStore  # type: ignore[attr-defined]

from saccade.errors import TrainingError
from saccade.train.processes import STEPS, ending, steps_of

_LOOK = 0.1  # seconds between two looks
_GRACE = 10.0  # seconds to end by themselves when one has ended


def launch(command: Sequence[str], n: int) -> int:
    """Run `command` in `n` processes; return the code that the first ended with.

    If one is killed, or ends by a mistake that it told nobody of, the others are ended and that one
    is named. Signals go to all of them.
    """
    with tempfile.TemporaryDirectory() as folder:
        steps = Path(folder) / "steps"
        steps.write_bytes(b"")
        store = TCPStore("127.0.0.1", 0, None, is_master=True, wait_for_workers=False)
        shared = {**_shared(n), "MASTER_PORT": str(store.port), STEPS: str(steps)}
        before = {one: signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)}
        jobs = [_begin(command, shared, rank, Path(folder)) for rank in range(n)]
        try:
            for one in before:
                signal.signal(one, _passing(jobs))
            _watch(jobs)
            return _verdict(jobs, Path(folder), steps_of(steps, n))
        finally:
            for one, handler in before.items():
                signal.signal(one, handler)
            for job in jobs:
                job.kill()
                job.wait()


def _shared(n: int) -> dict[str, str]:
    """Return what the environment tells all of them, as torchrun does."""
    usual = {
        "OMP_NUM_THREADS": str(max((os.cpu_count() or 1) // n, 1)),
        "GLOO_SOCKET_IFNAME": "lo" if Path("/sys/class/net/lo").exists() else "",
    }
    return {
        **{name: value for name, value in usual.items() if value},
        **os.environ,
        "MASTER_ADDR": "127.0.0.1",
        "WORLD_SIZE": str(n),
        "LOCAL_WORLD_SIZE": str(n),
        "TORCHELASTIC_USE_AGENT_STORE": "True",  # the store is here, not in rank 0
    }


def _begin(
    command: Sequence[str], shared: Mapping[str, str], rank: int, folder: Path
) -> "subprocess.Popen[bytes]":
    """Begin one. Only the first speaks; of others it is kept, for when they alone fail."""
    environment = {**shared, "RANK": str(rank), "LOCAL_RANK": str(rank)}
    if rank == 0:
        return subprocess.Popen(command, env=environment, start_new_session=True)
    with (folder / f"rank-{rank}").open("wb") as said:
        return subprocess.Popen(
            command,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=said,
            start_new_session=True,
        )


def _passing(
    jobs: "Sequence[subprocess.Popen[bytes]]",
) -> "signal._HANDLER":
    def send(number: int, _: FrameType | None) -> None:
        for job in jobs:
            job.send_signal(number)

    return send


def _watch(jobs: "Sequence[subprocess.Popen[bytes]]") -> None:
    """Wait until all have ended, or one was killed; or until others linger where one has failed."""
    failed = 0.0
    while True:
        codes = [job.poll() for job in jobs]
        if None not in codes or any((code or 0) < 0 for code in codes):
            return
        if any(codes):
            failed = failed or time.monotonic()
            if time.monotonic() - failed > _GRACE:
                return
        time.sleep(_LOOK)


def _verdict(jobs: "Sequence[subprocess.Popen[bytes]]", folder: Path, steps: list[int]) -> int:
    codes = [job.poll() for job in jobs]
    bad = [rank for rank, code in enumerate(codes) if code]
    if not bad or ((codes[0] or 0) > 0 and all((code or 0) >= 0 for code in codes)):
        return codes[0] or 0  # it has said why itself
    rank = min(bad, key=lambda one: codes[one] or 0)  # a killed one before those that noticed
    said = ""
    if rank and (codes[rank] or 0) > 0:
        text = (folder / f"rank-{rank}").read_text(encoding="utf-8", errors="replace").strip()
        said = f": {text[-400:]}" if text else ""
    raise TrainingError(
        f"{ending(rank, jobs[rank].pid, codes[rank] or 0, steps[rank])}{said}. The other"
        " processes were ended; the last checkpoint is kept: go on with --resume."
    )
