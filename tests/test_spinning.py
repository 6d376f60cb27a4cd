"""How long threads of OpenMP spin: short by default, and as the user says if the user says so."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from saccade.cli.startup import others_run

_CHOICES = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT")


def _told(code: str, **chosen: str) -> subprocess.CompletedProcess[str]:
    plain = {name: value for name, value in os.environ.items() if name not in _CHOICES}
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**plain, **chosen},
        capture_output=True,
        text=True,
        check=True,
    )


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        ({}, "30000"),
        ({"GOMP_SPINCOUNT": "7"}, "7"),
        ({"OMP_WAIT_POLICY": "ACTIVE"}, "None"),
    ],
)
def test_the_user_comes_first(chosen: dict[str, str], expected: str) -> None:
    code = "import os, saccade; print(os.environ.get('GOMP_SPINCOUNT'))"
    assert _told(code, **chosen).stdout.strip() == expected


_TRAIN = (
    "import os\nfrom saccade.cli import VERBS, _imported, startup\n"
    "startup.others_run = lambda: {}\n"
    "_imported('train', VERBS['train'])\nprint(os.environ.get('GOMP_SPINCOUNT'))"
)


@pytest.mark.parametrize(
    ("busy", "chosen", "expected"),
    [
        (False, {}, "10000"),
        (True, {}, "1000"),
        (True, {"GOMP_SPINCOUNT": "7"}, "7"),
    ],
)
def test_verbs_that_train_spin_for_a_shorter_time(
    busy: bool, chosen: dict[str, str], expected: str
) -> None:
    assert _told(_TRAIN.format(busy), **chosen).stdout.strip() == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0.52 0.58 0.59 1/467 13521\n", False),  # this process alone
        ("0.52 0.58 0.59 2/467 13521\n", True),
        ("0.52 0.58\n", False),
        ("a b c d e\n", False),
    ],
)
def test_running_processes_are_counted(tmp_path: Path, text: str, expected: bool) -> None:
    load = tmp_path / "loadavg"
    load.write_text(text, encoding="ascii")
    assert others_run(load) is expected


def test_a_system_without_the_file_is_taken_as_quiet(tmp_path: Path) -> None:
    assert not others_run(tmp_path / "missing")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have another OpenMP")
def test_the_library_of_torch_reads_it() -> None:
    told = _told("import saccade, torch", OMP_DISPLAY_ENV="VERBOSE").stderr
    if "GOMP_SPINCOUNT" not in told:
        pytest.skip("this torch has no GNU OpenMP")
    assert "GOMP_SPINCOUNT = '30000'" in told
