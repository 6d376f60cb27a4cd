"""What metrics.jsonl tells of a run: one line a report, of which some may be damaged."""

import json
from collections.abc import Iterator
from io import BufferedReader
from pathlib import Path
from typing import Any

from saccade.intake.files import open_regular

METRICS = "metrics.jsonl"
_LARGEST = 1 << 30  # bytes: ten million reports
_LONGEST = 1 << 16  # bytes of a line
_SHOWN = 10  # lines that are numbered in a message


class MetricsFile:
    """Reads metrics.jsonl line by line, and remembers which lines are damaged.

    The last line is left out while it has no end: a run may be writing it.

    Args:
        folder: of a run.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / METRICS
        self._damaged: list[int] = []
        self._unreadable = ""
        self.torn: list[bytes] = []  # the lines that are damaged

    @property
    def trouble(self) -> str:
        """Say, once it is read, what of it is left out; "" if nothing is."""
        if self._unreadable:
            return f"{self._path}: cannot be read ({self._unreadable}); its curves are left out."
        n = len(self._damaged)
        if not n:
            return ""
        numbers = ", ".join(map(str, self._damaged[:_SHOWN])) + (", ..." if n > _SHOWN else "")
        lines = f"line {numbers} is" if n == 1 else f"{n:,} lines ({numbers}) are"
        return f"{self._path}: {lines} damaged and left out; expected one JSON object in each."

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the rows that are whole, in their order; each has a kind and a step."""
        for _, row in self.lines():
            yield row

    def lines(self) -> Iterator[tuple[bytes, dict[str, Any]]]:
        """Yield the lines that are whole, with what they say."""
        self._damaged, self._unreadable, self.torn = [], "", []
        try:
            with open_regular(self._path, _LARGEST) as file:
                for number, line in enumerate(_lines(file), start=1):
                    row = _row(line)
                    if row is not None:
                        yield line, row
                    else:
                        self._damaged.append(number)
                        self.torn.append(line)
        except FileNotFoundError:
            return
        except (OSError, ValueError) as error:
            self._unreadable = str(error)


def _lines(file: BufferedReader) -> Iterator[bytes]:
    """Yield lines that have an end; of one that is too long, its beginning."""
    while line := file.readline(_LONGEST):
        whole = line
        while not whole.endswith(b"\n"):
            whole = file.readline(_LONGEST)
            if not whole:
                return
        yield line


def _row(line: bytes) -> dict[str, Any] | None:
    try:
        row = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    if not isinstance(row, dict) or not isinstance(row.get("kind"), str):
        return None
    numbers = (value for name, value in row.items() if name != "kind")
    whole = type(row.get("step")) is int and row["step"] >= 0
    return row if whole and all(type(one) in (int, float) for one in numbers) else None
