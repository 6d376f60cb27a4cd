"""The kernels are compiled once for all processes; what came of it is remembered and told."""

import fcntl
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from saccade.kernels import build
from saccade.kernels.build import SWITCH, Built

WRITES = """out=; while [ $# -gt 0 ]; do [ "$1" = -o ] && out=$2; shift; done
echo made > "$out" """
COMPILING = (
    "Compiling kernels in C, once: usually 20 s, on a busy machine minutes. SACCADE_NATIVE=off"
    " skips this; torch then computes the same, more slowly.\n"
)
BUSY = "Kernels in C: another process is compiling them; going on without them meanwhile.\n"
WAITING = (
    "Kernels in C: waiting for another process that compiles them. SACCADE_NATIVE=off skips this.\n"
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is yet to be made."""
    monkeypatch.setenv(SWITCH, str(tmp_path / "kept" / "here"))
    return tmp_path / "kept" / "here"


@pytest.fixture
def compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> "Compiler":
    made = Compiler(tmp_path)
    monkeypatch.setenv("CC", str(made.path))
    made.does(WRITES)
    return made


class Compiler:
    """A shell script that notes every call."""

    def __init__(self, folder: Path) -> None:
        self.path, self._calls = folder / "compiler", folder / "calls"
        self._calls.touch()

    def does(self, script: str) -> None:
        noted = f'echo "$@" >> {self._calls}'
        self.path.write_text(f"#!/bin/sh\n{noted}\n{script}\n", encoding="utf-8")
        self.path.chmod(0o755)

    @property
    def calls(self) -> list[str]:
        return self._calls.read_text("utf-8").splitlines()


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Hold a lock as another process does."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def library_of(folder: Path, compiler: Compiler) -> Path:
    return folder / f"kernels-{build._key(str(compiler.path))}.so"


def found(*, wait: bool = True, again: bool = False) -> Built:
    return build.find(wait=wait, again=again)


def test_they_are_compiled_once_and_kept(
    folder: Path, compiler: Compiler, capfd: pytest.CaptureFixture[str]
) -> None:
    path = library_of(folder, compiler)
    assert found() == (path, f"compiled in {path}, in 0 seconds")
    assert capfd.readouterr() == ("", COMPILING)
    assert found() == (path, f"kept in {path}")
    assert capfd.readouterr() == ("", "")
    (call,) = compiler.calls
    assert f"-o {folder}/" in call  # beside where it is moved to: on the same disk
    assert sorted(one.suffix for one in folder.iterdir()) == [".json", ".lock", ".so"]


@pytest.mark.parametrize("word", ["off", "OFF"])
def test_they_can_be_turned_off(word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SWITCH, word)
    assert found() == (None, "turned off by SACCADE_NATIVE")


def test_without_a_compiler_there_are_none(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("CC", "")
    assert found() == (None, "no C compiler was found: install gcc or clang, or set CC")
    assert not folder.exists()


@pytest.mark.usefixtures("folder")
def test_a_failure_is_quoted_and_remembered(
    compiler: Compiler, capfd: pytest.CaptureFixture[str]
) -> None:
    compiler.does("echo 'lanes.h: no such thing' >&2\necho 'more of it' >&2\nexit 1")
    why = f"{compiler.path} could not build them: lanes.h: no such thing"
    assert found() == (None, f"{why}\nmore of it")
    said = f"{COMPILING}Kernels in C: {why}; going on without them.\n"
    assert capfd.readouterr() == ("", said)
    assert len(compiler.calls) == 2  # with threads, and without
    path, told = found()
    assert path is None
    when = r"on \d{4}-\d\d-\d\d \d\d:\d\d: lanes.h: no such thing\nmore of it"
    advice = r" \(python -m saccade.kernels --again tries once more\)"
    assert re.fullmatch(f"{compiler.path} could not build them {when}{advice}", told)
    assert capfd.readouterr() == ("", "")
    assert len(compiler.calls) == 2


def test_a_failure_is_tried_again_when_asked_for(folder: Path, compiler: Compiler) -> None:
    compiler.does('test -e "$0.mended" || exit 1\n' + WRITES)
    assert found().path is None
    compiler.path.with_name("compiler.mended").touch()
    assert found().path is None
    assert found(again=True).path == library_of(folder, compiler)
    assert found().told == f"kept in {library_of(folder, compiler)}"


def test_a_failure_is_tried_again_with_another_compiler_in_its_place(
    folder: Path, compiler: Compiler
) -> None:
    compiler.does("exit 1")
    assert found().path is None
    compiler.does(WRITES)
    assert found().path == library_of(folder, compiler)


@pytest.mark.usefixtures("folder")
def test_a_compiler_that_makes_nothing_is_told_of(compiler: Compiler) -> None:
    compiler.does("exit 0")
    expected = f"{compiler.path} could not build them: it said nothing and made no library"
    assert found() == (None, expected)


@pytest.mark.usefixtures("folder")
def test_a_compiler_that_fails_without_a_word_is_told_of(compiler: Compiler) -> None:
    compiler.does("exit 3")
    told = f"{compiler.path} could not build them: it ended with code 3 and said nothing"
    assert found() == (None, told)


@pytest.mark.usefixtures("folder")
def test_a_compiler_that_is_killed_is_told_of(compiler: Compiler) -> None:
    compiler.does("kill -9 $$")
    assert found() == (None, f"{compiler.path} could not build them: it was killed by signal 9")
    assert len(compiler.calls) == 1


@pytest.mark.usefixtures("folder")
def test_a_compiler_that_takes_too_long_is_ended_with_all_that_it_began(
    compiler: Compiler, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "MOST_SECONDS", 0.5)
    compiler.does(f"sleep 60 &\necho $! > {tmp_path}/child\nwait")
    assert found() == (
        None,
        f"{compiler.path} could not build them: it took more than 0.5 seconds",
    )
    assert len(compiler.calls) == 1
    assert "it took more than" in found().told
    assert len(compiler.calls) == 1  # remembered
    _gone(int((tmp_path / "child").read_text("utf-8")))


def test_a_compiler_without_threads_will_do(folder: Path, compiler: Compiler) -> None:
    compiler.does(f'case "$*" in *-fopenmp*) exit 1;; esac\n{WRITES}')
    assert found().path == library_of(folder, compiler)
    assert ["-fopenmp" in call for call in compiler.calls] == [True, False]


def test_who_only_predicts_does_not_wait_for_another_process(
    folder: Path, compiler: Compiler, capfd: pytest.CaptureFixture[str]
) -> None:
    path = library_of(folder, compiler)
    with held(path.with_suffix(".lock")):
        assert found(wait=False) == (None, "another process is compiling them")
    assert capfd.readouterr() == ("", BUSY)
    assert compiler.calls == []


def test_who_learns_waits_for_another_process(
    folder: Path, compiler: Compiler, capfd: pytest.CaptureFixture[str]
) -> None:
    path, results = library_of(folder, compiler), list[Built]()
    waiting = threading.Thread(target=lambda: results.append(found()))
    with held(path.with_suffix(".lock")):
        waiting.start()
        while WAITING not in (said := capfd.readouterr().err):
            assert waiting.is_alive(), said
            time.sleep(0.01)
        path.write_text("made by another\n", encoding="utf-8")
        record = {"sha256": build._hash(path)}
        path.with_suffix(".json").write_text(json.dumps(record), encoding="utf-8")
    waiting.join(timeout=10)
    assert results == [(path, f"kept in {path}")]
    assert compiler.calls == []


def test_nobody_waits_for_ever(
    folder: Path, compiler: Compiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "MOST_SECONDS", 0.1)
    with held(library_of(folder, compiler).with_suffix(".lock")):
        expected = "another process is compiling them and has not ended in 0.2 seconds"
        assert found() == (None, expected)


def test_two_programs_compile_once(folder: Path, compiler: Compiler) -> None:
    compiler.does(f"sleep 1\n{WRITES}")
    path = library_of(folder, compiler)
    programs = [_program(), _program()]
    told = sorted(one.communicate(timeout=60)[0].strip() for one in programs)
    assert re.fullmatch(f"compiled in {path}, in \\d+ seconds", told[0])
    assert told[1] == f"kept in {path}"
    assert len(compiler.calls) == 1


def test_a_program_that_dies_lets_another_compile(
    folder: Path, compiler: Compiler, tmp_path: Path
) -> None:
    compiler.does(f"sleep 0.5\necho $$ > {tmp_path}/pid\nsleep 60")  # when all wait
    program, path = _program(), library_of(folder, compiler)
    while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text("utf-8"):
        assert program.poll() is None
        time.sleep(0.01)
    assert found(wait=False).told == "another process is compiling them"
    program.kill()
    program.communicate()
    os.killpg(int((tmp_path / "pid").read_text("utf-8")), signal.SIGKILL)
    assert len(list(folder.glob("kernels-*-*"))) == 1  # what it left
    compiler.does(WRITES)
    assert found(wait=False).path == path
    assert sorted(one.suffix for one in folder.iterdir()) == [".json", ".lock", ".so"]


def test_a_program_that_is_stopped_remembers_nothing(
    folder: Path, compiler: Compiler, tmp_path: Path
) -> None:
    compiler.does(f"sleep 0.5\necho $$ > {tmp_path}/pid\nsleep 60")  # when all wait
    program = _program()
    while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text("utf-8"):
        assert program.poll() is None
        time.sleep(0.01)
    program.send_signal(signal.SIGINT)
    program.communicate(timeout=30)
    _gone(int((tmp_path / "pid").read_text("utf-8")))
    assert [one.suffix for one in folder.iterdir()] == [".lock"]


@pytest.mark.parametrize("record", ["", "[1]", "{", '{"sha256": "0"}', '{"sha256": null}'])
def test_what_is_not_whole_is_built_anew(folder: Path, compiler: Compiler, record: str) -> None:
    path = library_of(folder, compiler)
    folder.mkdir(parents=True, mode=0o700)
    path.write_bytes(b"cut short")
    path.with_suffix(".json").write_text(record, encoding="utf-8")
    assert found().told.startswith(f"compiled in {path}")
    assert path.read_bytes() == b"made\n"


def test_it_is_synced_before_it_is_moved(
    folder: Path, compiler: Compiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, seen = library_of(folder, compiler), list[bool]()
    monkeypatch.setattr(os, "fsync", lambda _: seen.append(path.exists()))
    assert found().path == path
    assert seen == [False, True, True, True]  # library; its folder; record; its folder


def test_a_folder_that_cannot_be_made_is_told_of(
    compiler: Compiler,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    below = tmp_path / "file" / "below"
    monkeypatch.setenv(SWITCH, str(below))
    said = (
        f"they cannot be kept: [Errno 20] Not a directory: '{below}'. Name a folder of your own in"
        " SACCADE_NATIVE"
    )
    assert found() == (None, said)
    line = f"Kernels in C: {said}, or set it to off; going on without them.\n"
    assert capfd.readouterr() == ("", line)
    assert compiler.calls == []


@pytest.mark.usefixtures("compiler")
def test_what_somebody_else_may_have_written_is_not_loaded(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = os.getuid()
    with monkeypatch.context() as patch:
        patch.setattr(os, "getuid", lambda: own + 1)
        path, told = found()
    assert path is None
    assert f"they cannot be kept: {folder} belongs to somebody else. Name a folder" in told
    folder.chmod(0o777)
    path, told = found()
    assert path is None
    assert f"they cannot be kept: everybody may write to {folder}. Name a folder" in told


@pytest.mark.usefixtures("compiler")
def test_without_a_home_there_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(SWITCH, raising=False)
    monkeypatch.delenv("SACCADE_HOME")

    def nowhere() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", nowhere)
    expected = "they cannot be kept: Could not determine home directory.. Name a folder of your own"
    assert expected in found().told


def test_they_are_kept_in_the_users_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(SWITCH, raising=False)
    home = build._home()
    assert home == tmp_path / "home" / "native"  # SACCADE_HOME is set for every test
    assert home.stat().st_mode & 0o077 == 0
    monkeypatch.delenv("SACCADE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    assert build._home() == tmp_path / "user" / ".cache" / "saccade" / "native"


def test_the_command_tells_what_came_of_it(folder: Path, compiler: Compiler) -> None:
    path = library_of(folder, compiler)
    for words, told in (
        ((), rf"compiled in {path}, in \d+ seconds"),
        ((), f"kept in {path}"),
        (("--again",), rf"compiled in {path}, in \d+ seconds"),
    ):
        program = _program(*words)
        out, said = program.communicate(timeout=60)
        assert program.returncode == 0
        assert re.fullmatch(told, out.strip())
        assert (said == COMPILING) is out.startswith("compiled")


def test_the_name_depends_on_what_was_compiled_and_how(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = build._key("cc")
    assert build._key("cc") == first
    names = {first, build._key("other")}
    with monkeypatch.context() as patch:
        patch.setattr(build, "_FLAGS", (*build._FLAGS, "-O1"))
        names.add(build._key("cc"))
    copies = [Path(shutil.copy(one, tmp_path)) for one in build.SOURCES]
    monkeypatch.setattr(build, "SOURCES", copies)
    assert build._key("cc") == first
    header = next(one for one in copies if one.suffix == ".h")
    header.write_text(header.read_text("utf-8") + "\n", encoding="utf-8")
    names.add(build._key("cc"))
    assert len(names) == 4


def _program(*words: str) -> subprocess.Popen[str]:
    """Start a compilation that Ctrl-C reaches, though these tests may run in the background."""
    command = [sys.executable, "-m", "saccade.kernels", *words]
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - one call
    )


def _gone(pid: int) -> None:
    """Wait until a process has ended, or is only waited for."""
    until = time.monotonic() + 10
    state = Path(f"/proc/{pid}/stat")
    while time.monotonic() < until:
        try:
            if state.read_text("utf-8").rpartition(")")[2].split()[0] == "Z":
                return
        except OSError:
            return
        time.sleep(0.01)
    pytest.fail(f"{pid} still runs")
