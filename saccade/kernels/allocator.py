"""What an update frees is kept for the next one."""

import ctypes
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_TRIM, _MMAP = -1, -3  # M_TRIM_THRESHOLD and M_MMAP_THRESHOLD in malloc.h of glibc
_ARENAS = -8  # M_ARENA_MAX
_NEVER = -1
LARGEST = 32 << 20  # bytes of a piece; the most that glibc comes to by itself


@contextmanager
def kept_memory(largest: int = LARGEST) -> Iterator[None]:
    """Give no memory back to the system meanwhile, but for large pieces; at the end, all of it.

    Else glibc gives back what lies free behind what is used, once an update and more often, and
    the system clears every page before it hands it out again: ten thousand an update, up to a tenth
    of its time. Other libraries have no such settings, and this does nothing with them.

    Args:
        largest: bytes of a piece from which it is given back at once. It stays so afterwards.
    """
    library = ctypes.CDLL(None) if sys.platform == "linux" else None
    if library is None or not hasattr(library, "mallopt"):
        yield
        return
    library.mallopt(_MMAP, largest)
    library.mallopt(_TRIM, _NEVER)
    try:
        yield
    finally:
        library.mallopt(_TRIM, 2 * LARGEST)  # twice that, as glibc sets it
        library.malloc_trim(0)


def give_back() -> None:
    """Give the system what lies free between what is used, where the library can."""
    library = ctypes.CDLL(None) if sys.platform == "linux" else None
    if library is not None and hasattr(library, "malloc_trim"):
        library.malloc_trim(0)


def share_arenas(most: int = 2) -> None:
    """Let the threads that begin from now on take their memory from a few arenas.

    By itself glibc makes an arena for each, up to eight for a processor. What one thread frees, no
    thread of another arena can have.
    """
    library = ctypes.CDLL(None) if sys.platform == "linux" else None
    if library is not None and hasattr(library, "mallopt"):
        library.mallopt(_ARENAS, most)
