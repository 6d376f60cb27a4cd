"""What an update frees is kept for the next one."""

import ctypes
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_TRIM, _MMAP = -1, -3  # M_TRIM_THRESHOLD and M_MMAP_THRESHOLD in malloc.h of glibc
_NEVER = -1
_LARGEST = 32 << 20  # bytes from which glibc asks the system for every piece, whatever it is told


@contextmanager
def kept_memory() -> Iterator[None]:
    """Give no memory back to the system meanwhile; at the end, all that is free.

    Else glibc gives back what lies free behind what is used, once an update and more often, and
    the system clears every page before it hands it out again: some ten thousand an update, a tenth
    of its time. Other libraries have no such settings, and this does nothing with them.
    """
    library = ctypes.CDLL(None) if sys.platform == "linux" else None
    if library is None or not hasattr(library, "mallopt"):
        yield
        return
    library.mallopt(_MMAP, _LARGEST)
    library.mallopt(_TRIM, _NEVER)
    try:
        yield
    finally:
        library.mallopt(_TRIM, 2 * _LARGEST)  # the most that glibc comes to by itself
        library.malloc_trim(0)
