"""How far encoding is: one line that moves on a terminal, or a line now and then."""

import os
import time
from collections.abc import Callable

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

_QUIET = 2.0  # seconds in which nothing is said
_EVERY = 20.0  # seconds between lines, where there is no terminal


def say(text: str) -> None:
    """Tell people one thing, on stderr."""
    _console().print(text, highlight=False, markup=False, soft_wrap=True)


def _console() -> Console:
    return Console(stderr=True, quiet=os.environ.get("SACCADE_LOG") == "quiet")


class EncodingProgress:
    """Tells how many examples are encoded, and how long the rest will take; nothing if it is soon.

    count: says how many there are in all; it is asked once, and only if somebody waits.
    """

    def __init__(self, count: Callable[[], int] | None, console: Console | None = None) -> None:
        self._console = console or _console()
        self._count, self._total = count, 0
        self._start = self._said = time.monotonic()
        self._first = -1  # examples that were there when the clock started
        self._bar: Progress | None = None

    def report(self, n: int) -> None:
        """Say that `n` examples are encoded."""
        now = time.monotonic()
        if self._first < 0:
            self._first = n
            return
        if now - self._start < _QUIET:
            return
        if self._count:
            self._total, self._count = self._count(), None
        text = self._text(n, (now - self._start) / max(n - self._first, 1))
        if self._console.is_terminal:
            self._draw(text, n)
            return
        pause = _EVERY if self._said > self._start else _QUIET
        if n < self._total and now - self._said >= pause:
            self._said = now
            self._console.print(text, highlight=False, markup=False, soft_wrap=True)

    def close(self) -> None:
        """Take the line away."""
        if self._bar:
            self._bar.stop()

    def _text(self, n: int, seconds_each: float) -> str:
        if not self._total:
            return f"encoding: {n:,} examples"
        left = round(max(self._total - n, 0) * seconds_each)
        hours, minutes = left // 3600, left // 60 % 60
        clock = f"{hours}:{minutes:02d}:{left % 60:02d}" if hours else f"{minutes}:{left % 60:02d}"
        return f"encoding: {n:,} of {self._total:,} examples, {clock} left"

    def _draw(self, text: str, n: int) -> None:
        if self._bar is None:
            columns = (BarColumn(bar_width=20), TextColumn("{task.description}"))
            self._bar = Progress(*columns, console=self._console, transient=True)
            self._bar.add_task("", total=self._total or None)
            self._bar.start()
        self._bar.update(self._bar.task_ids[0], completed=n, description=text)
