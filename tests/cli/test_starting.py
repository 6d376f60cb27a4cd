import gc
import subprocess
import sys
from collections.abc import Iterator

import pytest

from saccade.cli.starting import uncollected

LAST = """
import atexit, gc
from saccade.cli import main
atexit.register(lambda: print(gc.isenabled(), len(gc.get_objects()) < 100))
main(["parts", "attention"])
"""


@pytest.fixture(autouse=True)
def _thawed() -> Iterator[None]:
    yield
    gc.unfreeze()


def test_no_garbage_is_collected_meanwhile() -> None:
    assert gc.isenabled()
    with uncollected():
        assert not gc.isenabled()
    assert gc.isenabled()
    assert gc.get_freeze_count() > 1000
    with pytest.raises(ZeroDivisionError), uncollected():
        raise ZeroDivisionError
    assert gc.isenabled()


def test_who_had_turned_it_off_finds_it_off() -> None:
    gc.disable()
    try:
        with uncollected():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_a_process_ends_without_looking_for_garbage() -> None:
    done = subprocess.run([sys.executable, "-c", LAST], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "True True"
