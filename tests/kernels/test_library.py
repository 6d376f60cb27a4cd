"""The kernels that were built are loaded once a process; who learns waits for them."""

import fcntl
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from saccade.kernels import build, library, structures
from saccade.kernels.library import SWITCH, Kernels, KernelStatus, found, kernels_for
from tests.samples import randn


@pytest.fixture(autouse=True)
def _none_is_known() -> Iterator[None]:
    found.cache_clear()
    yield
    found.cache_clear()


@pytest.fixture
def real() -> str:
    path = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    if path is None:
        pytest.skip("no C compiler")
    return path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is yet to be made."""
    monkeypatch.setenv(SWITCH, str(tmp_path / "kept"))
    return tmp_path / "kept"


def name_compiler(script: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a compiler of a shell script."""
    path = folder / "compiler"
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)
    monkeypatch.setenv("CC", str(path))
    return path


def again() -> KernelStatus:
    found.cache_clear()
    return found()


def dropped(kernels: Kernels) -> torch.Tensor:
    x = torch.ones(1000)
    y = torch.empty_like(x)
    kernels.dropout(x.data_ptr(), len(x), 7, 1 << 31, 2.0, y.data_ptr(), 2)
    return y


def test_without_threads_they_compute_the_same(
    real: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = found().kernels
    monkeypatch.setenv(SWITCH, str(tmp_path / "kept"))
    name_compiler(
        f'case "$*" in *-fopenmp*) exit 1;; esac\nexec {real} "$@" -O0', tmp_path, monkeypatch
    )
    alone, told = again()
    assert alone is not None
    assert told.startswith(f"compiled in {tmp_path / 'kept'}/kernels-")
    assert found().kernels is alone
    if usual is None:
        pytest.skip("nothing to compare with")
    assert torch.equal(dropped(alone), dropped(usual))
    x = randn(5, 50)
    both = []
    for kernels in (alone, usual):
        z, gold, nll, even = x.clone(), torch.arange(5), torch.empty(5), torch.empty(5)
        d_bias = torch.zeros(2, 50)
        places = (one.data_ptr() for one in (z, gold, nll, even, d_bias))
        kernels.cross_entropy(structures.LossCall(5, 50, 2, 1, 0.1, *places))
        both.append((z, nll, even, d_bias.sum(dim=0)))
    torch.testing.assert_close(*both)


@pytest.mark.usefixtures("folder")
def test_what_is_no_library_is_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = 'while [ $# -gt 0 ]; do [ "$1" = -o ] && echo nonsense > "$2"; shift; done'
    name_compiler(script, tmp_path, monkeypatch)
    kernels, told = again()
    assert kernels is None
    assert "cannot be loaded: " in told


def test_who_learns_waits_and_who_predicts_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual, folder, x = build.find(wait=True).path, tmp_path / "kept", randn(3)
    if usual is None:
        pytest.skip("nothing to copy")
    copies = f'while [ $# -gt 0 ]; do [ "$1" = -o ] && cp {usual} "$2"; shift; done'
    compiler = name_compiler(copies, tmp_path, monkeypatch)
    monkeypatch.setenv(SWITCH, str(folder))
    folder.mkdir(mode=0o700)
    lock = folder / f"kernels-{build._key(str(compiler))}.lock"
    with lock.open("a") as file, torch.no_grad():
        fcntl.flock(file, fcntl.LOCK_EX)
        assert kernels_for(x) is None
        assert found().told == build.BUSY
    with torch.no_grad():
        assert kernels_for(x) is None  # it is decided once
    learned = kernels_for(x)
    assert learned is not None
    with torch.no_grad():
        assert kernels_for(x) is learned


def test_the_switch_is_that_of_the_build() -> None:
    assert library.SWITCH == build.SWITCH == "SACCADE_NATIVE"
