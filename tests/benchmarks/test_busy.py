"""The benchmark beside busy processes: it runs, and its competitors end."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import busy

pytestmark = pytest.mark.slow  # it trains beside processes that want all cores


def test_both_sides_train_and_decode(tmp_path: Path) -> None:
    data = tmp_path / "ids.json"
    for module, work in [
        ("benchmarks.saccade_busy", "prepare"),
        *((side, work) for side in busy.SIDES.values() for work in busy.WORKS),
    ]:
        command = [sys.executable, "-m", module, work, str(data), "0.1"]
        told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        assert work == "prepare" or float(told) > 0


def test_competitors_end_with_the_measurement() -> None:
    with busy.competitors(2, 30.0) as started:
        assert [one.poll() for one in started] == [None, None]
    assert None not in [one.poll() for one in started]


def test_the_parent_leaves_the_plain_loop_alone() -> None:
    code = "import sys, benchmarks.busy, benchmarks.reference.busy; print('saccade' in sys.modules)"
    told = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, env=os.environ
    )
    assert told.stdout.strip() == "False"
