"""Faults in file calls cost nothing: forty here, as many as one likes by `make torture`."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.torture.interposed import compiler

pytestmark = pytest.mark.skipif(compiler() is None, reason="needs Linux and a C compiler")


# Several campaigns in one process, whose imports take longer than a few faults.
SCRIPT = """
import sys
from tests.torture.__main__ import main
for one in sys.argv[1:]:
    print("CODE", main(one.split("|")), flush=True)
"""
ROOT = Path(__file__).parents[2]
FORTY = "brief;store;predict --shards;average;reconfigure"


def tortured(*campaigns: list[str]) -> list[tuple[str, int]]:
    """Return what each campaign said, and the code that it ended with."""
    words = [sys.executable, "-c", SCRIPT, *("|".join(one) for one in campaigns)]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(words, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    said = re.split(r"^CODE (\d)\n", done.stdout, flags=re.MULTILINE)
    assert len(said) == 2 * len(campaigns) + 1, done.stdout + done.stderr
    return [(text, int(code)) for text, code in zip(said[::2], said[1::2], strict=False)]


def test_forty_faults_lose_nothing_and_a_loss_is_found() -> None:
    careless = ["5", "--seed", "1", "--only", "careless"]
    done, lost, again = tortured(
        ["40", "--seed", "1", "--only", FORTY], careless, [*careless, "--trial", "2"]
    )
    assert done[1] == 0, done[0]
    assert done[0].endswith("Nothing was lost.\n")
    assert lost[1] == 1, lost[0]
    assert "file differs" in lost[0]
    assert "careless (--seed 1 --trial 2):\n" in lost[0]
    assert again[1] == 1, "a trial can be repeated"
    assert "careless (--seed 1 --trial 2):\n" in again[0]


@pytest.mark.slow
def test_every_kind_of_model_survives_faults() -> None:
    (done,) = tortured(["400", "--seed", "2", "--most", "5"])
    assert done[1] == 0, done[0]
