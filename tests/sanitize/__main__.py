"""The kernels under sanitizers: their tests with a library that watches every step.

    python -m tests.sanitize address    every kernel; memory, and behaviour that C leaves undefined
    python -m tests.sanitize thread     what shares its work among threads; races

The C files are compiled as always (`saccade/kernels/build.py`) but by a compiler that adds the
sanitizer, and are kept in `build/sanitize/`. Python is not watched, so the sanitizer's runtime is
loaded before it. The exit code is 1 if a test fails or something is reported, and 2 if the compiler
has no such runtime.
"""

import argparse
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

_HERE = Path(__file__).parent
_ROOT = _HERE.parent.parent
_LEFT_OUT = ("build", "library", "allocator")  # compile anew, or ask glibc for what it has freed
_TESTS = (
    *("tests/kernels", "tests/native"),
    *(f"--ignore=tests/kernels/test_{name}.py" for name in _LEFT_OUT),
)
_PYTEST = (
    "-q",
    "--capture=sys",
    "-m",
    "not slow",
    "-p",
    "no:cacheprovider",
    "-p",
    "no:faulthandler",
)


class Sanitizer(NamedTuple):
    """What is added to the compiler's command, what is loaded first, and how it is told what to do.

    sources: C files beside the kernels.  chosen: which tests, by their names; all if empty.
    """

    flags: tuple[str, ...]
    runtimes: tuple[str, ...]
    options: dict[str, str]
    sources: tuple[Path, ...] = ()
    chosen: str = ""


SANITIZERS = {
    "address": Sanitizer(
        ("-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"),
        ("libasan.so", "libubsan.so"),
        {
            "ASAN_OPTIONS": "detect_leaks=0",  # Python keeps what it will not free
            "UBSAN_OPTIONS": "print_stacktrace=1",
        },
    ),
    "thread": Sanitizer(
        ("-fsanitize=thread", "-Wl,-Bsymbolic"),
        ("libtsan.so",),
        {"TSAN_OPTIONS": "ignore_noninstrumented_modules=1 halt_on_error=1"},
        (_HERE / "gomp.c",),
        "thread",
    ),
}


def main() -> int:
    """Compile, and run the tests."""
    parser = argparse.ArgumentParser(prog="python -m tests.sanitize", description=__doc__)
    parser.add_argument("sanitizer", choices=SANITIZERS)
    parser.add_argument("rest", nargs="*", help="of pytest's arguments, instead of ours")
    asked = parser.parse_args()
    sanitizer = SANITIZERS[asked.sanitizer]
    compiler = next(filter(None, map(shutil.which, (os.environ.get("CC", "cc"), "gcc"))), None)
    if compiler is None:
        return _tell("no C compiler was found; install gcc, or set CC.")
    lacking = [name for name in sanitizer.runtimes if runtime(compiler, name) is None]
    if lacking:
        return _tell(f"{compiler} has no {lacking[0]}; install its sanitizers, as libgcc-12-dev.")
    folder = _ROOT / "build" / "sanitize" / asked.sanitizer
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    built = {"CC": str(wrapper(folder, compiler, sanitizer)), "SACCADE_NATIVE": str(folder)}
    environment = {**os.environ, **built}
    compiled = subprocess.run([sys.executable, "-c", _BUILD], env=environment, check=False)
    if compiled.returncode:
        return _tell("the kernels could not be built; see above.")
    chosen = ("-k", sanitizer.chosen) if sanitizer.chosen else ()
    tests = asked.rest or [*_TESTS, *chosen]
    command = [*fixed_addresses(), sys.executable, "-m", "pytest", *_PYTEST, *tests]
    environment |= preloaded(compiler, sanitizer)
    done = subprocess.run(command, env=environment, cwd=_ROOT, check=False)
    return int(bool(done.returncode))


_BUILD = "import sys; from saccade.kernels import build; sys.exit(not build.find(wait=True).path)"


def runtime(compiler: str, name: str) -> Path | None:
    """Return where a compiler keeps a library, if it has it."""
    asked = [compiler, f"-print-file-name={name}"]
    told = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    return Path(told) if Path(told).is_absolute() and Path(told).exists() else None


def preloaded(compiler: str, sanitizer: Sanitizer) -> dict[str, str]:
    """Return what a process must find in its environment to be watched."""
    found = (runtime(compiler, name) for name in sanitizer.runtimes)
    return {"LD_PRELOAD": " ".join(map(str, filter(None, found))), **sanitizer.options}


def wrapper(folder: Path, compiler: str, sanitizer: Sanitizer) -> Path:
    """Write a compiler that adds the sanitizer to what it is asked for."""
    more = [*sanitizer.flags, "-O1", "-g", "-fno-omit-frame-pointer", *map(str, sanitizer.sources)]
    path = folder / "cc"
    path.write_text(f'#!/bin/sh\nexec {compiler} "$@" {" ".join(more)}\n', encoding="utf-8")
    path.chmod(0o700)
    return path


def fixed_addresses() -> list[str]:
    """Return what keeps the system from choosing addresses that a sanitizer has no room for."""
    setarch = shutil.which("setarch")
    return [setarch, platform.machine(), "-R"] if setarch else []


def _tell(why: str) -> int:
    sys.stderr.write(f"sanitize: {why}\n")
    return 2


if __name__ == "__main__":
    sys.exit(main())
