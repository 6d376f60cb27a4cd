"""Stopping politely: Ctrl-C and SIGTERM are noted, and the loop stops after the step."""

import signal
import threading
from types import FrameType


class Signals:
    """Notes the first SIGINT or SIGTERM for the time of a `with`; a second one acts at once."""

    def __init__(self) -> None:
        self.caught = 0

    def __enter__(self) -> "Signals":
        self._before = {}
        if threading.current_thread() is threading.main_thread():  # only it may set handlers
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        self._restore()

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.caught = number
        self._restore()

    def _restore(self) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
