import ctypes
import subprocess
import sys
from pathlib import Path

import pytest

from saccade.kernels.allocator import kept_memory, share_arenas

WATCHED = """
import ctypes, resource
from contextlib import nullcontext
from saccade.kernels.allocator import kept_memory
library = ctypes.CDLL(None)
library.malloc.restype = ctypes.c_void_p
size = 8 << 20

def use():  # 160 MiB
    pieces = [ctypes.c_void_p(library.malloc(size)) for _ in range(20)]
    for piece in pieces:
        library.memset(piece, 1, size)
    for piece in pieces:
        library.free(piece)

def held():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize() >> 20

def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt

before = held()
try:
    with {context}:
        use()
        kept, first = held() - before, faults()
        use()
        again = faults() - first
        {then}
except ZeroDivisionError:
    pass
print(kept, again, held() - before)
"""


def watch(context: str, then: str = "") -> list[int]:
    """Return the MiB that were kept, the faults of using them again, and the MiB at the end."""
    program = [sys.executable, "-c", WATCHED.format(context=context, then=then)]
    done = subprocess.run(program, capture_output=True, text=True, check=True)
    return [int(number) for number in done.stdout.split()]


@pytest.mark.skipif(
    sys.platform != "linux" or not hasattr(ctypes.CDLL(None), "mallopt"),
    reason="needs mallopt, which only glibc has",
)
@pytest.mark.parametrize("then", ["", "1 / 0"])
def test_what_was_freed_is_kept_until_the_end(then: str) -> None:
    kept, again, end = watch("kept_memory()", then)
    assert kept >= 150
    assert end < 20
    kept, by_itself, _ = watch("nullcontext()")
    assert kept < 20
    assert again < by_itself / 10


ARENAS = """
import ctypes, sys, threading
from saccade.kernels.allocator import share_arenas
{first}
library = ctypes.CDLL(None)
library.fopen.restype = library.malloc.restype = ctypes.c_void_p
together = threading.Barrier(8)
def take():
    together.wait()
    library.malloc(1000)
    together.wait()
threads = [threading.Thread(target=take) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
file = ctypes.c_void_p(library.fopen(sys.argv[1].encode(), b"w"))
library.malloc_info(0, file)
library.fclose(file)
"""


@pytest.mark.skipif(
    sys.platform != "linux" or not hasattr(ctypes.CDLL(None), "malloc_info"),
    reason="needs malloc_info, which only glibc has",
)
def test_threads_share_arenas(tmp_path: Path) -> None:
    counts = []
    for first in ("", "share_arenas()"):
        path = tmp_path / "info.xml"
        program = [sys.executable, "-c", ARENAS.format(first=first), str(path)]
        subprocess.run(program, check=True)
        counts.append(path.read_text().count("<heap nr="))
    assert counts[0] > 2
    assert counts[1] <= 2


def test_without_such_settings_nothing_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "elsewhere")
    monkeypatch.setattr(ctypes, "CDLL", None)
    share_arenas()
    with kept_memory():
        pass
