"""What all processes of a server share: memory with a lock, and counts of what each one holds.

The memory is mapped before the processes are forked. A process that dies lets go of the lock, and
whoever looks after it clears what it held.
"""

import hashlib
import mmap
import os
import secrets
import sys
import tempfile
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager

if sys.platform != "win32":
    import fcntl

_SIZE = 1 << 26  # bytes of address space; pages that nobody writes to take no memory
_PLACES = 1 << 16  # of counts, for each process


class CommonMemory:
    """Bytes that this process and those it forks have in common."""

    def __init__(self) -> None:
        self._file = _file()
        weakref.finalize(self, os.close, self._file)
        os.ftruncate(self._file, _SIZE)
        self._bytes = memoryview(mmap.mmap(self._file, _SIZE))
        self._used = 0
        self._lock = threading.Lock()
        self._secret = secrets.token_bytes(16)

    def section(self, n_bytes: int) -> memoryview:
        """Return bytes that nobody else has, all 0; to be called before a process is forked."""
        start, self._used = self._used, self._used + n_bytes
        assert self._used <= _SIZE
        return self._bytes[start : self._used]

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep all other threads and processes out for the time of a `with`."""
        with self._lock:
            if sys.platform == "win32":  # where there is one process
                yield
                return
            fcntl.lockf(self._file, fcntl.LOCK_EX)
            try:
                yield
            finally:
                fcntl.lockf(self._file, fcntl.LOCK_UN)

    def place(self, name: str, n: int) -> int:
        """Return a number below `n` that goes with a name and that nobody outside can guess."""
        data = name.encode("utf-8", "surrogatepass")
        found = hashlib.blake2b(data, digest_size=8, key=self._secret).digest()
        return int.from_bytes(found, "big") % n


class Counts:
    """How much is held under each name by all processes; one of them adds for itself.

    Two names share a place, and so a limit, once in 65,536 times.
    """

    def __init__(self, memory: CommonMemory, slots: int = 1) -> None:
        self._memory = memory
        self._rows = [memory.section(4 * _PLACES).cast("i") for _ in range(slots)]

    def total(self, name: str) -> int:
        """Return what all processes hold; the caller has the memory's lock if it matters."""
        place = self._memory.place(name, _PLACES)
        return sum(row[place] for row in self._rows)

    def add(self, slot: int, name: str, n: int) -> None:
        """Hold `n` more; the caller has the memory's lock."""
        self._rows[slot][self._memory.place(name, _PLACES)] += n

    def clear(self, slot: int) -> None:
        """Let go of everything that a process held which is no more."""
        self._rows[slot][:] = memoryview(bytes(4 * _PLACES)).cast("i")


class HeldCounts:
    """What this process holds, among what all hold."""

    def __init__(self, memory: CommonMemory, counts: Counts, slot: int = 0) -> None:
        self.memory, self.counts, self.slot = memory, counts, slot

    @classmethod
    def alone(cls) -> "HeldCounts":
        """Return that of a server of one process."""
        memory = CommonMemory()
        return cls(memory, Counts(memory))

    def add(self, n: int, *names: str) -> None:
        """Hold `n` more under each of some names, or less."""
        with self.memory.locked():
            for name in names:
                self.counts.add(self.slot, name, n)


def _file() -> int:
    """Open a file without a name; where there is none in memory, among temporary files."""
    if sys.platform == "linux":
        return os.memfd_create("saccade", os.MFD_CLOEXEC)
    else:  # noqa: RET505 - which types are checked depends on it
        with tempfile.TemporaryFile() as file:
            return os.dup(file.fileno())
