"""Windows of a series of numbers: what was, and what came next."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from saccade.errors import DataError, RecipeError
from saccade.modalities._numbers import number
from saccade.nouns import Example, pair
from saccade.readers._lines import fingerprint, numbered, numbered_rows, place
from saccade.readers.base import Reader

Row = tuple[int, list[str]]  # number of the line, its cells


class Series(Reader):
    """A table of numbers in time order, as all windows of it: `window` places and the next few.

        source = x[t - window .. t - 1],    target = x[t .. t + horizon - 1],    every `stride` t

    A UTF-8 file, plain or `.gz`, parted by tabs if its first line has any and else by commas; a
    first line with a cell that is no number names the columns. `columns` are forecast, all if none
    is named; `beside` are only read. Both are names, or numbers from 1 where there are no names.

    `first` and `last` are shares of the rows, so that a split goes by time: 0 to 0.7 to learn from,
    0.7 to 0.85, 0.85 to 1. No window reaches over these edges. With `reach_back` a source may begin
    before `first`, as the past is known to whoever forecasts; targets stay inside.
    """

    def __init__(  # noqa: PLR0913 - all but one are options
        self,
        root: Path,
        *,
        path: str = "",
        columns: list[str] = [],  # noqa: B006 - only read
        beside: list[str] = [],  # noqa: B006 - only read
        window: int = 48,
        horizon: int = 12,
        stride: int = 1,
        first: float = 0.0,
        last: float = 1.0,
        reach_back: bool = False,
    ) -> None:
        self.path, self.columns, self.beside = place(root, path), columns, beside
        super().__init__(root, self.path)
        self.window, self.horizon, self.stride = window, horizon, stride
        self.shares, self.reach_back = (first, last), reach_back
        if min(window, horizon, stride) < 1:
            raise RecipeError(
                f"series: window {window}, horizon {horizon} and stride {stride} are numbers of"
                " rows; expected 1 or more each."
            )
        if not 0 <= first < last <= 1:
            raise RecipeError(
                f"series: first {first:g} and last {last:g} are shares of the rows; expected"
                " 0 <= first < last <= 1."
            )

    def read(self) -> Iterator[Example]:
        """Yield the windows in order of time; an origin is the line of the first target."""
        rows = [row for row in self._rows() if row[1]]
        names = _names(rows[0][1])
        rows = rows[1:] if names else rows
        wanted = self._wanted(names, len(rows[0][1]) if rows else 0)
        places = [self._cells(cells, wanted, n) for n, cells in rows]
        values, numbers = np.array(places, dtype=np.float64), [n for n, _ in rows]
        begin, end = (round(share * len(places)) for share in self.shares)
        oldest = max(begin - self.window, 0) if self.reach_back else begin
        starts = range(oldest + self.window, end - self.horizon + 1, self.stride)
        if not starts:
            raise DataError(
                f"{self.path}: rows {begin + 1} to {end} of {len(places)} hold no window of"
                f" {self.window} and the next {self.horizon}; expected {self.window + self.horizon}"
                " rows or more. Widen first and last, or shorten the window."
            )
        n_target = len(self.columns) or len(wanted)
        for t in starts:
            source, target = values[t - self.window : t], values[t : t + self.horizon, :n_target]
            yield pair(source, target, f"{self.path}:{numbers[t]}")

    def fingerprint(self) -> str:
        """Hash the file and every option."""
        options = (self.columns, self.beside, self.window, self.horizon, self.stride, self.shares)
        return fingerprint([self.path], "series", *options, self.reach_back)

    def _rows(self) -> Iterator[Row]:
        _, first = next(numbered(self.path))
        for n, row in numbered_rows(self.path, "\t" if "\t" in first else ","):
            yield n, [cell.strip() for cell in row] if any(map(str.strip, row)) else []

    def _wanted(self, names: list[str], n_columns: int) -> list[int]:
        """Return which columns to read, those to forecast first."""
        known = names or [str(i + 1) for i in range(n_columns)]
        chosen = [*(self.columns or [c for c in known if c not in self.beside]), *self.beside]
        odd = [name for name in chosen if name not in known]
        if odd:
            raise DataError(
                f"{self.path}: no column '{odd[0]}'; it has {', '.join(known)}. Change columns or"
                " beside of the reader."
            )
        return [known.index(name) for name in chosen]

    def _cells(self, cells: list[str], wanted: list[int], n: int) -> list[float]:
        if max(wanted) >= len(cells):
            raise DataError(
                f"{self.path}:{n}: no column {max(wanted) + 1}; the line has {len(cells)}. Mend the"
                " line."
            )
        return [number(cells[i], f"{self.path}:{n}, column {i + 1}") for i in wanted]


def _names(cells: list[str]) -> list[str]:
    """Return the first line's cells if they are names, not numbers."""
    try:
        for cell in cells:
            float(cell)
    except ValueError:
        return cells
    return []
