"""The library of calls.c: compiled once, put before libc, and told which call to spoil."""

import contextlib
import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.torture.faults import Call, Fault, How

SOURCE = Path(__file__).with_name("calls.c")
_LOADED = "SACCADE_TORTURE"  # set in a process that has the library


def compiler() -> str | None:
    """Return the C compiler, where faults can be injected: on Linux."""
    return shutil.which("cc") if sys.platform == "linux" else None


def enter() -> None:
    """Start this process again with the library before libc, unless it is there already."""
    if os.environ.get(_LOADED):
        return
    found = compiler()
    if not found:
        raise SystemExit("torture: needs Linux and a C compiler, `cc`; found none. Install one.")
    library = Path(tempfile.mkdtemp(prefix="torture-calls-")) / "calls.so"
    command = [found, "-O1", "-Wall", "-shared", "-fPIC", "-o", str(library), str(SOURCE)]
    subprocess.run(command, check=True)
    os.environ.update({_LOADED: str(library), "LD_PRELOAD": str(library), "OMP_NUM_THREADS": "1"})
    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])


def leave() -> None:
    """Remove the library, which this process alone has."""
    library = Path(os.environ[_LOADED])
    with contextlib.suppress(OSError):  # a campaign before this one in the same process has
        library.unlink()
        library.parent.rmdir()


class Calls:
    """Counts the file calls below some folders, and spoils one."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self._library = ctypes.CDLL(None)
        self._library.torture_watch("".join(f"{one}:" for one in folders).encode())

    def begin(self, fault: Fault | None, tell: int) -> None:
        """Count from now on; `tell` is where a call that is spoilt is named."""
        if fault is None:
            self._library.torture_begin(0, 0, ctypes.c_long(0), How.nothing, 0, 0, tell)
            return
        kind = fault.kind
        rest = sum(1 << call for call in kind.calls) if kind.lasts else 0
        call, at = 1 << fault.call, ctypes.c_long(fault.at)
        self._library.torture_begin(call, rest, at, kind.how, kind.error, kind.keep, tell)

    def end(self) -> dict[Call, int]:
        """Stop, and return how many calls of each kind there were."""
        found = (ctypes.c_long * len(Call))()
        self._library.torture_end(found)
        return {call: int(found[call]) for call in Call}
