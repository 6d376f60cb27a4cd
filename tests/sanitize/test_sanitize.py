"""The sanitizers see planted mistakes, take right code for right, and say when they are missing."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from saccade.kernels.build import SOURCES
from tests.sanitize.__main__ import SANITIZERS, fixed_addresses, preloaded, runtime, wrapper

HERE = Path(__file__).parent
COMPILER = shutil.which("gcc")
needs_runtimes = pytest.mark.skipif(
    COMPILER is None
    or any(runtime(COMPILER, name) is None for one in SANITIZERS.values() for name in one.runtimes),
    reason="no gcc, or none with sanitizers",
)
CALL = (
    "import ctypes, sys; print(getattr(ctypes.CDLL(sys.argv[1]), sys.argv[2])(ctypes.c_int64(8)))"
)


def called(kind: str, function: str, folder: Path) -> tuple[int, str]:
    """Compile the planted mistakes as the kernels are compiled; call one of them."""
    assert COMPILER is not None
    compiler, library = wrapper(folder, COMPILER, SANITIZERS[kind]), folder / "planted.so"
    flags = ["-shared", "-fPIC", f"-I{SOURCES[0].parent}", "-march=native", "-fopenmp"]
    command = [str(compiler), *flags, str(HERE / "planted.c"), "-o", str(library)]
    subprocess.run(command, check=True)
    done = subprocess.run(
        [*fixed_addresses(), sys.executable, "-c", CALL, str(library), function],
        env={**os.environ, **preloaded(COMPILER, SANITIZERS[kind])},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.slow
@needs_runtimes
@pytest.mark.parametrize(
    ("kind", "function", "said"),
    [
        ("address", "overrun", "heap-buffer-overflow"),
        ("address", "undefined", "signed integer overflow"),
        ("thread", "race", "data race"),
    ],
)
def test_a_planted_mistake_is_seen(kind: str, function: str, said: str, tmp_path: Path) -> None:
    code, told = called(kind, function, tmp_path)
    assert code != 0
    assert said in told


@pytest.mark.slow
@needs_runtimes
@pytest.mark.parametrize("kind", SANITIZERS)
def test_right_code_with_two_threads_passes(kind: str, tmp_path: Path) -> None:
    assert called(kind, "clean", tmp_path) == (0, "56\n")


def test_a_compiler_without_runtimes_is_told_of(tmp_path: Path) -> None:
    compiler = tmp_path / "cc"
    compiler.write_text('#!/bin/sh\necho "libasan.so"\n', encoding="utf-8")
    compiler.chmod(0o755)
    done = subprocess.run(
        [sys.executable, "-m", "tests.sanitize", "address"],
        env={**os.environ, "CC": str(compiler)},
        cwd=HERE.parent.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.startswith(f"sanitize: {compiler} has no libasan.so; install its sanitizers")
