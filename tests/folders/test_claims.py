"""Folders that may be written to, and those that may not."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from saccade.errors import CheckpointError
from saccade.folders.claims import begin, claim, claimed, is_run
from saccade.folders.facts import BEGUN, FORMAT
from saccade.train.files import write_text
from tests.train import small

KILLED = """
import os, sys
from pathlib import Path
from saccade.folders.claims import begin, claimed
from saccade.train import files
files.sync = lambda _: os._exit(9)  # when the first file is written, and has no name yet
with claimed(Path(sys.argv[1])):
    begin(Path(sys.argv[1]))
"""


def test_a_folder_whose_first_file_was_half_written_may_be_begun_again(tmp_path: Path) -> None:
    run = tmp_path / "run"
    killed = subprocess.run([sys.executable, "-c", KILLED, str(run)], check=False)
    assert killed.returncode == 9
    left = [path.name for path in run.iterdir() if path.suffix == ".part"]
    assert len(left) == 1
    assert left[0].startswith(".saccade.json.")
    with claimed(run):
        begin(run)
    assert [path.name for path in run.iterdir()] == ["saccade.json"]
    assert not is_run(run)


def test_a_folder_of_somebody_else_is_refused(tmp_path: Path) -> None:
    write_text(tmp_path / "thesis.txt", "years of work")
    with pytest.raises(CheckpointError, match="already holds files"):
        claim(tmp_path)


def test_a_run_is_one_from_its_first_checkpoint_on(tmp_path: Path) -> None:
    assert not is_run(tmp_path)
    small.run(tmp_path / "run", max_steps=1)
    assert is_run(tmp_path / "run")
    facts = json.dumps({"format": FORMAT, BEGUN: True})
    write_text(tmp_path / "run" / "saccade.json", facts)
    assert not is_run(tmp_path / "run")
