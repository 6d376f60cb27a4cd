"""Other processes give the same arrays in the same order, and their crashes are told."""

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from saccade.errors import DataError, WorkerError
from saccade.modalities import _png, _resize, _workers
from saccade.modalities._picture import PictureFile
from saccade.modalities._resize import Sizing
from saccade.modalities._workers import Request, Workers

CRASHING = """
import os, sys
from saccade.errors import DataError
from saccade.modalities._workers import serve
import numpy as np

def work(request):
    if request["n"] == 3:
        os._exit(7)
    if request["n"] == 4 and not os.path.exists(request["once"]):
        open(request["once"], "w").close()
        os.kill(os.getpid(), 9)
    if request["n"] == 6:
        os.abort()
    if request["n"] == 10:
        import no_such_module
    if request["n"] == 5:
        raise DataError(f"{request['where']}: is five")
    print("hello")
    return np.full((request["n"], 2), request["n"], dtype="int16")

serve(work)
"""


def here(request: Request) -> np.ndarray:
    return np.full((request["n"], 2), request["n"], dtype="int16")


def asked(*numbers: int) -> list[Request]:
    return [{"where": f"f:{n}", "n": n} for n in numbers]


@pytest.fixture
def workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workers]:
    (tmp_path / "crashing.py").write_text(CRASHING, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    found = Workers("crashing", count=2, patience=0)
    yield found
    found.close()


def test_arrays_come_in_order(workers: Workers) -> None:
    found = workers.map(asked(9, 1, 0, 8, 2, 7), lambda _: pytest.fail("asked here"))
    wanted = [here(request) for request in asked(9, 1, 0, 8, 2, 7)]
    assert all(np.array_equal(*pair) for pair in zip(found, wanted, strict=True))
    assert {array.dtype.name for array in found} == {"int16"}


def test_errors_and_crashes_name_the_request_and_others_go_on(workers: Workers) -> None:
    with pytest.raises(DataError, match=r"^f:5: is five$"):
        workers.map(asked(1, 5, 3, 2), here)
    refused = r"^f:3: the process that decoded it ended with code 7, and so did another one before"
    with pytest.raises(DataError, match=refused):
        workers.map(asked(1, 3), here)
    with pytest.raises(DataError, match=r"^f:6: .* was ended by signal 6 \(Aborted\), and so did"):
        workers.map(asked(1, 6), here)
    assert len(workers.map(asked(8, 7), here)) == 2


def test_a_worker_that_was_ended_by_others_costs_no_file(workers: Workers, tmp_path: Path) -> None:
    once = {"where": "f:4", "n": 4, "once": str(tmp_path / "once")}
    found = workers.map([*asked(1, 2), once, *asked(7)], here)
    assert [len(array) for array in found] == [1, 2, 4, 7]
    assert (tmp_path / "once").exists()


def test_a_fault_of_the_program_is_not_blamed_on_a_file(workers: Workers) -> None:
    failed = r"^f:10: the process that decodes it failed \(ModuleNotFoundError: No module named"
    with pytest.raises(WorkerError, match=failed):
        workers.map(asked(1, 10, 2, 7, 8), here)
    assert len(workers.map(asked(8, 7), here)) == 2


@pytest.mark.parametrize("text", ["import no_such_module", "raise SystemExit(1)", "print('hello')"])
def test_workers_that_cannot_start_say_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    (tmp_path / "lame.py").write_text(text, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    lame = Workers("lame", count=2, patience=0)
    for _ in range(2):
        with pytest.raises(WorkerError, match=r"^lame: .* ended with code [01] before it was"):
            lame.map(asked(*range(7)), here)
    assert lame._running == []


def test_little_work_is_done_here() -> None:
    patient = Workers("no.such.module", count=2, patience=9)
    single = Workers("no.such.module", count=1, patience=0)
    for one in (patient, single):
        assert len(one.map(asked(1, 2), here)) == 2
    assert len(Workers("no.such.module", count=2, patience=0).map(asked(1), here)) == 1


def test_after_a_fork_others_are_started(workers: Workers) -> None:
    workers.map(asked(1, 2), here)
    child = os.fork()
    if child == 0:
        good = len(workers.map(asked(8, 7), here)) == 2
        workers.close()
        os._exit(not good)
    assert os.waitpid(child, 0)[1] == 0
    assert len(workers.map(asked(8, 7), here)) == 2


def test_pictures_are_the_same_from_any_number_of_workers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    noise = np.random.default_rng(0)
    files = [PictureFile(tmp_path / f"{n}.png") for n in range(5)]
    for n, file in enumerate(files):
        pixels = noise.integers(0, 256, (20 + n, 30 - n, 3), dtype=np.uint8)
        file.path.write_bytes(_png.encode(pixels))
    sizing = Sizing(16)
    alone = sizing.arrays(files)
    many = Workers("saccade.modalities._resize", count=2, patience=0)
    monkeypatch.setattr(_resize, "_WORKERS", many)
    found = sizing.arrays(files)
    assert all(np.array_equal(*pair) for pair in zip(found, alone, strict=True))
    files[3].path.write_bytes(b"GIF89a")
    with pytest.raises(DataError, match=r"^x:3: .*3\.png: begins with b'GIF89a'"):
        sizing.arrays(files, [f"x:{n}" for n in range(5)])
    many.close()


def test_a_worker_sees_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (_workers._PACKAGE / "saccade" / "modalities" / "_workers.py").exists()
    assert _workers.usable_cores() >= 1
    monkeypatch.delattr(os, "sched_getaffinity")
    assert _workers.usable_cores() == os.cpu_count()
