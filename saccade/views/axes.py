"""Words on the two axes of a matrix: a row for each target word, a column for each source word."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from saccade.errors import ShapeError
from saccade.views import svg
from saccade.views.words import clusters, label, pad, shorten, widest

LONGEST = 18  # columns of a label before it is cut
NARROWEST = 20  # columns of a terminal that can show a matrix

_TALLEST = 12  # rows of a vertical label in a terminal


@dataclass(frozen=True, slots=True)
class Frame:
    """Where a matrix stands on its paper: pixels left of it and above it, and the side of a cell.

    turn: by how many degrees source words lean.  overhang: how far the last of them may reach out.
    """

    rows: list[str]
    heads: list[str]
    cell: float
    turn: float
    left: float
    above: float
    overhang: float

    @property
    def right(self) -> float:
        """Where the last column ends."""
        return self.left + len(self.heads) * self.cell

    @property
    def bottom(self) -> float:
        """Where the last row ends."""
        return self.above + len(self.rows) * self.cell

    def width(self, title: str, least: float = 190.0) -> float:
        """Return the width of the paper, the words that lean out and the title included."""
        heading = svg.pixels(title) * 1.2 + 40 if title else 0.0
        return max(self.right + max(self.overhang, 20), self.left + least, heading)

    def words(self, title: str) -> list[str]:
        """Write the title and the words of both axes."""
        side, lean = self.cell, self.turn
        body = [svg.text(20, 30, title, kind="title")] if title else []
        for j, head in enumerate(self.heads):
            x, y = self.left + (j + 0.5) * side, self.above - 8
            body.append(
                svg.text(x + 4, y, head, turn=lean)
                if lean
                else svg.text(x, y, head, anchor="middle")
            )
        body += [
            svg.text(self.left - 10, self.above + (i + 0.5) * side + 4.5, row, anchor="end")
            for i, row in enumerate(self.rows)
        ]
        return body


def framed(
    source: Sequence[str], target: Sequence[str], *, title: str = "", least: float = 15.0
) -> Frame:
    """Lay out a matrix for its words; cells are between `least` and 30 pixels wide."""
    rows = [shorten(label(word), LONGEST) for word in target]
    heads = [shorten(label(word), LONGEST) for word in source]
    cell = min(max(840 / max(len(heads), 1), least), 30.0)
    turn = _turn(heads, cell)
    longest = max((svg.pixels(head) for head in heads), default=0.0)
    rise = longest * math.sin(math.radians(-turn))
    return Frame(
        rows=rows,
        heads=heads,
        cell=cell,
        turn=turn,
        left=max((svg.pixels(row) for row in rows), default=0.0) + 30,
        above=rise + (30 if turn else 44) + (28 if title else 0),
        overhang=longest * math.cos(math.radians(turn)) + 16,
    )


def downwards(heads: Sequence[str], margin: int, cell: int) -> list[str]:
    """Write words from top to bottom over columns that are `cell` wide, behind a margin."""
    letters = [_letters(head) for head in heads]
    height = max(map(len, letters), default=0)
    lines = []
    for level in range(height):
        row = [
            word[level - height + len(word)] if level >= height - len(word) else ""
            for word in letters
        ]
        lines.append((" " * (margin + 1) + "".join(pad(c, cell) for c in row)).rstrip())
    return lines


def margin_of(rows: Sequence[str], width: int) -> int:
    """Return how many columns of a terminal the words of the rows get."""
    return min(widest(rows), LONGEST, width // 3)


def check_width(where: str, width: int) -> None:
    """Refuse a terminal that is too narrow for any matrix."""
    if width < NARROWEST:
        raise ShapeError(
            f"{where}: width is {width} columns; at least {NARROWEST} are needed; "
            "pass a larger width."
        )


def _letters(head: str) -> list[str]:
    found = clusters(head) or ["∅"]
    return found if len(found) <= _TALLEST else [*found[: _TALLEST - 1], "⋮"]


def _turn(heads: list[str], cell: float) -> float:
    """Return by how much source words lean: upright letters, slanted words, steep if crowded."""
    if widest(heads) <= 2:
        return 0.0
    return -50.0 if cell >= 22 else -90.0
