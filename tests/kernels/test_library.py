"""The kernels are compiled once; where they cannot be, there are none, and it is said why."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from saccade.kernels import library, structures
from saccade.kernels.library import SWITCH, Kernels, KernelStatus, found
from tests.samples import randn

SOURCE = Path(library.__file__).parent


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
    monkeypatch.setenv(SWITCH, str(tmp_path / "kept" / "here"))
    return tmp_path / "kept" / "here"


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


def test_they_are_compiled_once_and_kept(
    real: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = tmp_path / "calls"
    name_compiler(f'echo "$@" >> {calls}\nexec {real} "$@" -O0', tmp_path, monkeypatch)
    first = again()
    assert first.kernels is not None
    (path,) = folder.iterdir()
    assert first.told == f"compiled in {path}"
    assert found() is first
    second = again()
    assert second.kernels is not None
    assert second.told == f"kept in {path}"
    (call,) = calls.read_text("utf-8").splitlines()
    assert f"-o {folder}/" in call  # beside where it is moved to: on the same disk
    assert torch.equal(dropped(first.kernels), dropped(second.kernels))


@pytest.mark.parametrize("word", ["off", "OFF"])
def test_they_can_be_turned_off(word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SWITCH, word)
    assert again() == (None, "turned off by SACCADE_NATIVE")


def test_without_a_compiler_there_are_none(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("CC", "")
    said = "no C compiler was found: install gcc or clang, or set CC"
    assert again() == (None, said)
    assert not folder.exists()


def test_a_compiler_that_fails_is_quoted(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiler = name_compiler("echo 'lanes.h: no such thing' >&2\nexit 1", tmp_path, monkeypatch)
    assert again() == (None, f"{compiler} could not build them: lanes.h: no such thing")
    assert list(folder.iterdir()) == []


@pytest.mark.usefixtures("folder")
def test_a_compiler_that_makes_nothing_is_told_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiler = name_compiler("exit 0", tmp_path, monkeypatch)
    kernels, told = again()
    assert kernels is None
    assert told.startswith(f"{compiler} could not build them: [Errno 2] No such file")


def test_a_compiler_without_threads_will_do(
    real: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = found().kernels
    monkeypatch.setenv(SWITCH, str(tmp_path / "kept"))
    name_compiler(
        f'case "$*" in *-fopenmp*) exit 1;; esac\nexec {real} "$@" -O0', tmp_path, monkeypatch
    )
    alone, told = again()
    assert alone is not None
    (path,) = (tmp_path / "kept").iterdir()
    assert told == f"compiled in {path}"
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


def test_a_folder_that_cannot_be_made_is_told_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name_compiler("exit 0", tmp_path, monkeypatch)
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv(SWITCH, str(tmp_path / "file" / "below"))
    kernels, told = again()
    assert kernels is None
    assert f"Not a directory: '{tmp_path / 'file' / 'below'}'" in told


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="folders have no owner here")
def test_what_somebody_else_may_have_written_is_not_loaded(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name_compiler("exit 0", tmp_path, monkeypatch)
    own = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: own + 1)
    kernels, told = again()
    assert kernels is None
    assert f"{folder} belongs to somebody else; name another in SACCADE_NATIVE" in told


def test_a_damaged_file_is_built_anew(
    real: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CC", real)
    folder.mkdir(parents=True)
    path = folder / f"kernels-{library._key(real)}.so"
    path.write_bytes(b"not a library")
    kernels, told = again()
    assert kernels is not None
    assert told == f"compiled in {path}"
    assert path.read_bytes().startswith(b"\x7fELF")


def test_they_are_kept_in_the_users_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(SWITCH, raising=False)
    home = library._home()
    assert home == tmp_path / "home" / "native"  # SACCADE_HOME is set for every test
    assert home.stat().st_mode & 0o077 == 0
    monkeypatch.delenv("SACCADE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    assert library._home() == tmp_path / "user" / ".cache" / "saccade" / "native"


def test_two_programs_may_compile_at_once(
    real: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither is done compiling before the other has begun."""
    wait = "for i in $(seq 99); do test $(ls -d begun.* | wc -l) -gt 1 && break; sleep 0.1; done"
    script = f'cd {tmp_path}\nmkdir begun.$$\n{wait}\nexec {real} "$@" -O0'
    name_compiler(script, tmp_path, monkeypatch)
    command = [sys.executable, "-m", "saccade.kernels"]
    programs = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    told = [one.communicate(timeout=100)[0].strip() for one in programs]
    (path,) = folder.iterdir()
    assert told == [f"compiled in {path}"] * 2
    assert [one.returncode for one in programs] == [0, 0]
    assert again().told == f"kept in {path}"


def test_the_name_depends_on_what_was_compiled_and_how(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = library._key("cc")
    assert library._key("cc") == first
    names = {first, library._key("other")}
    with monkeypatch.context() as patch:
        patch.setattr(library, "_FLAGS", (*library._FLAGS, "-O1"))
        names.add(library._key("cc"))
    copies = [Path(shutil.copy(one, tmp_path)) for one in library.SOURCES]
    monkeypatch.setattr(library, "SOURCES", copies)
    assert library._key("cc") == first
    header = next(one for one in copies if one.suffix == ".h")
    header.write_text(header.read_text("utf-8") + "\n", encoding="utf-8")
    names.add(library._key("cc"))
    assert len(names) == 4
