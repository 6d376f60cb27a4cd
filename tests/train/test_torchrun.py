"""torchrun begins a job again when one of its processes was killed: it goes on from its shards."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from saccade.train.checkpoint import Checkpoints
from tests.train import small
from tests.train.test_shards import trained
from tests.train.workers import together

SETTINGS: dict[str, Any] = {
    "shard": True,
    "validate_every": 20,
    "batch_tokens": 64,
    "max_steps": 200,
}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")
def test_a_killed_rank_goes_on_from_the_shards_of_its_checkpoint(tmp_path: Path) -> None:
    whole, broken, recipe = tmp_path / "whole", tmp_path / "broken", tmp_path / "recipe.yaml"
    recipe.write_text(small.recipe(**SETTINGS).to_yaml(), encoding="utf-8")
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    command += ["--max-restarts=1", "-m", "saccade", "train", str(recipe), "-o", str(broken)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"}
    environment["PYTHONPATH"] = str(Path(__file__).parents[2])
    with (tmp_path / "said").open("wb") as said:
        job = subprocess.Popen(command, env=environment, stdout=said, stderr=said)
        try:
            killed_at = kill(job, broken)
            code = job.wait(timeout=600)
        finally:
            job.kill()
            job.wait()
    text = (tmp_path / "said").read_text(encoding="utf-8", errors="replace")
    assert code == 0, text
    log = (broken / "train.log").read_text(encoding="utf-8")
    (step,) = re.findall(r"Going on from step (\d+)\.", log)
    assert killed_at <= int(step) < SETTINGS["max_steps"]
    files = [path.name for path in (broken / "checkpoints").glob("*/model-*-of-00002.safetensors")]
    assert {"model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"} == {*files}
    assert together(2, trained, whole, False, SETTINGS) == [200, 200]
    small.assert_same(whole, broken)


def kill(job: "subprocess.Popen[bytes]", folder: Path) -> int:
    """Kill rank 1 once there is a checkpoint of a step; return the step of the last one then."""
    index = folder / "checkpoints/index.json"
    while job.poll() is None:
        steps = [int(name[5:]) for name in Checkpoints(folder).index().names]
        ranks = [pid for pid in children(job.pid) if rank_of(pid) == "1"]
        if index.exists() and max(steps, default=0) >= 20 and ranks:
            os.kill(ranks[0], signal.SIGKILL)
            return max(steps)
        time.sleep(0.05)
    raise AssertionError("the job ended before it could be killed")


def children(pid: int) -> list[int]:
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8")
    return [int(one) for one in text.split()]


def rank_of(pid: int) -> str:
    rows = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    return next((row[5:].decode() for row in rows if row.startswith(b"RANK=")), "")
