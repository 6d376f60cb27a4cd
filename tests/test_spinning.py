"""How long threads of OpenMP spin: short by default, and as the user says if the user says so."""

import os
import subprocess
import sys

import pytest

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


@pytest.mark.parametrize(("chosen", "expected"), [({}, "3000"), ({"GOMP_SPINCOUNT": "7"}, "7")])
def test_verbs_that_train_spin_for_a_shorter_time(chosen: dict[str, str], expected: str) -> None:
    code = (
        "import os\nfrom saccade.cli import TRAINING, VERBS, _imported\n"
        "_imported('train', VERBS['train'])\nprint(os.environ.get('GOMP_SPINCOUNT'))"
    )
    assert _told(code, **chosen).stdout.strip() == expected


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have another OpenMP")
def test_the_library_of_torch_reads_it() -> None:
    told = _told("import saccade, torch", OMP_DISPLAY_ENV="VERBOSE").stderr
    if "GOMP_SPINCOUNT" not in told:
        pytest.skip("this torch has no GNU OpenMP")
    assert "GOMP_SPINCOUNT = '30000'" in told
