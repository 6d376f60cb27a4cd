"""What a run tells: a live bar or plain lines on stderr, and two files in its folder."""

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
)

from saccade.train.files import sync, told, write_text
from saccade.train.history import METRICS, MetricsFile
from saccade.train.progress import Progress as Standing


class Board(Protocol):
    """Where scalars may be drawn; TensorBoard's SummaryWriter is one."""

    def add_scalar(self, tag: str, scalar_value: float, global_step: int) -> Any:
        """Add one point."""


class Log:
    """Everything a run says, to people and to machines."""

    def __init__(self, folder: Path | None, console: Console, board: Board | None = None) -> None:
        self.console = console
        self.folder = folder
        self.board = board
        self._bar: Progress | None = None

    def say(self, text: str) -> None:
        """Tell people one thing."""
        self.console.print(text, highlight=False, markup=False, soft_wrap=True)
        self._append("train.log", f"{time.strftime('%Y-%m-%d %H:%M:%S')} {text}")

    def record(self, kind: str, step: int, figures: Mapping[str, Any]) -> None:
        """Tell machines: one line of metrics.jsonl."""
        self._append(METRICS, json.dumps({"kind": kind, "step": step, **figures}))
        if self.board:
            for name, value in figures.items():
                if isinstance(value, float):
                    self.board.add_scalar(f"{kind}/{name}", value, step)

    def rewind(self, progress: Standing) -> None:
        """Forget what metrics.jsonl tells of steps that a resumed run is going to make again."""
        if not self.folder or not (self.folder / METRICS).exists():
            return
        validated = {validation.step for validation in progress.validations}
        metrics = MetricsFile(self.folder)
        lines = metrics.lines()
        kept = [line for line, row in lines if _stays(row, progress.step, validated)]
        if metrics.trouble:
            aside = self.folder / "metrics.damaged.jsonl"
            with told(aside), aside.open("ab") as file:
                file.writelines(metrics.torn)
            self.say(f"{metrics.trouble} What is damaged is kept in {aside.name}.")
        write_text(self.folder / METRICS, b"".join(kept).decode("utf-8"))

    def sync(self) -> None:
        """Put on the disk what machines were told: a checkpoint must not know more than that."""
        path = self.folder / METRICS if self.folder else None
        if path and path.exists():
            with told(path):
                sync(path)
                sync(path.parent)

    def report(self, text: str, spent: float, left: float | None) -> None:
        """Show how far the run is: seconds spent, and left; None if nobody knows."""
        remaining = "" if left is None else f"{clock(left)} left"
        if self._bar:
            share = 0.0 if left is None else spent / max(spent + left, 1e-9)
            task = self._bar.task_ids[0]
            self._bar.update(task, completed=share, description=text, left=remaining)
        else:
            self.say(f"{text}  {remaining}".rstrip())

    @contextmanager
    def live(self) -> Iterator[None]:
        """Draw a moving bar, on a terminal, for the time of a `with`."""
        if not self.console.is_terminal:
            yield
            return
        columns = (
            SpinnerColumn(),
            BarColumn(bar_width=24),
            TaskProgressColumn(),
            TextColumn("{task.description}", markup=False),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}"),
        )
        with Progress(*columns, console=self.console, transient=True) as bar:
            bar.add_task("starting", total=1.0, left="")
            self._bar = bar
            try:
                yield
            finally:
                self._bar = None

    def _append(self, name: str, line: str) -> None:
        if self.folder:
            path = self.folder / name
            with told(path), path.open("a", encoding="utf-8", newline="\n") as file:
                file.write(line + "\n")


def _stays(row: Mapping[str, Any], step: int, validated: set[int]) -> bool:
    at: int = row["step"]
    return at in validated if row["kind"] == "valid" else at <= step


def clock(seconds: float) -> str:
    """Write a time as people do.

    >>> clock(75), clock(3700)
    ('1:15', '1:01:40')
    """
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def counting(console: Console, total: int | None, what: str) -> Progress:
    """Return a bar that counts things, shown on a terminal only."""
    columns = (
        SpinnerColumn(),
        TextColumn(what),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    bar.add_task(what, total=total)
    return bar
