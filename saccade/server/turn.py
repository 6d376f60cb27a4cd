"""One at a time, in the order in which they asked."""

import threading
from collections import deque
from types import TracebackType


class Turn:
    """A lock that goes to whoever has waited longest, so that no model keeps it from the others."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._line: deque[object] = deque()  # the first has the turn

    def acquire(self) -> None:
        """Wait for the turn."""
        ticket = object()
        with self._changed:
            self._line.append(ticket)
            while self._line[0] is not ticket:
                self._changed.wait()

    def release(self) -> None:
        """Give the turn to the next."""
        with self._changed:
            self._line.popleft()
            self._changed.notify_all()

    def pass_on(self) -> None:
        """Let whoever waits have the turn once, in the middle of something long."""
        with self._changed:
            alone = len(self._line) == 1
        if not alone:
            self.release()
            self.acquire()

    def __enter__(self) -> "Turn":
        self.acquire()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()
