"""Faults in file calls cost nothing: forty here, as many as one likes by `make torture`."""

import os
import subprocess
import sys

import pytest

from tests.torture.interposed import compiler
from tests.torture.scenes import ROOT

pytestmark = pytest.mark.skipif(compiler() is None, reason="needs Linux and a C compiler")


def tortured(n: int, *more: str) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "tests.torture", str(n), *more]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(words, cwd=ROOT, env=env, capture_output=True, text=True, check=False)


def test_forty_faults_lose_nothing() -> None:
    done = tortured(40, "--seed", "1", "--only", "small;store;predict --shards;average;ensemble")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("Nothing was lost.\n")


def test_a_loss_is_found_and_can_be_repeated() -> None:
    done = tortured(12, "--seed", "1", "--only", "careless")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "file differs" in done.stdout
    trial = done.stdout.partition("--trial ")[2].partition(")")[0]
    again = tortured(12, "--seed", "1", "--only", "careless", "--trial", trial)
    assert again.returncode == 1
    assert f"careless (--seed 1 --trial {trial}):\n" in again.stdout


@pytest.mark.slow
def test_every_kind_of_model_survives_faults() -> None:
    done = tortured(400, "--seed", "2", "--most", "5")
    assert done.returncode == 0, done.stdout + done.stderr
