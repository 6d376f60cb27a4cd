import gc
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch  # noqa: F401 - so that it is there

from saccade.cli.startup import lighten, uncollected

LAST = """
import atexit, gc
from saccade.cli import main
atexit.register(lambda: print(gc.isenabled(), len(gc.get_objects()) < 100))
main(["parts", "attention"])
"""

LIGHT = """
import sys
from saccade.cli.startup import lighten
lighten()
import torch
assert not {"torch._decomp", "torch._meta_registrations"} & set(sys.modules)
assert not hasattr(torch, "_meta_registrations")
assert torch.__spec__.loader is torch.__loader__ and torch.__loader__.get_source("torch")
print(*(finder.__class__.__name__ == "_Light" for finder in sys.meta_path))
print(torch.nn.Linear(3, 2)(torch.ones(4, 3)).sum().backward())
from pathlib import Path
from saccade.export import _graphs
from tests.samples import untrained
assert "torch._decomp" not in sys.modules
_graphs.write(untrained("luong"), Path(sys.argv[1]))
"""

SAMPLED = """
import atexit, sys
from saccade.cli import main
atexit.register(lambda: print("torch" in sys.modules, "torch._decomp" in sys.modules))
main(["translate", sys.argv[1], "--engine", "torch", "--sample", "--seed", "1"])
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


def test_torch_is_imported_without_what_compilers_read_and_can_still_trace_a_model(
    tmp_path: Path,
) -> None:
    program = [sys.executable, "-c", LIGHT, str(tmp_path)]
    done = subprocess.run(program, capture_output=True, text=True, check=True)
    finders, went_back = done.stdout.splitlines()
    assert "True" not in finders
    assert went_back == "None"
    assert (tmp_path / "step.onnx").is_file()


def test_the_verb_that_writes_starts_so_and_can_still_draw(work: Path) -> None:
    program = [sys.executable, "-c", SAMPLED, str(work / "model")]
    given = "un chat dort\n"
    done = subprocess.run(program, input=given, capture_output=True, text=True, check=True)
    written, torch_alone = done.stdout.splitlines()
    assert written
    assert torch_alone == "True False"


def test_nothing_waits_for_torch_where_it_is() -> None:
    assert "torch" in sys.modules
    before = list(sys.meta_path)
    lighten()
    assert sys.meta_path == before
