"""The edit-distance table of two sequences, with the path and the operations that it chose."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from saccade.errors import ShapeError
from saccade.views import axes, svg
from saccade.views.words import label, pad, sentence

Kind = Literal["keep", "substitute", "delete", "insert"]


@dataclass(frozen=True, slots=True)
class Operation:
    """One edit: what it read (source `i`), what it wrote (target `j`), and the cost so far.

    A deletion has no `j` of its own and an insertion no `i`: they tell where they happened.
    """

    kind: Kind
    i: int
    j: int
    cost: int


@dataclass(frozen=True, slots=True)
class Edits:
    """The whole table `[n + 1, m + 1]` and the cheapest way through it."""

    costs: npt.NDArray[np.int64]
    path: list[Operation]

    @property
    def distance(self) -> int:
        """The cost of turning all of the source into all of the target."""
        return int(self.costs[-1, -1])


def edits(source: Sequence[str], target: Sequence[str], *, substitution: int = 1) -> Edits:
    """Fill the table and walk it back.

        d[i, j] = min(d[i-1, j] + 1, d[i, j-1] + 1, d[i-1, j-1] + c),   c = 0 if equal, else 1 or 2

    Wagner & Fischer 1974, The String-to-String Correction Problem. Of equally cheap ways the one
    that goes back by a match or a substitution is taken, then a deletion, then an insertion.

    >>> found = edits("kitten", "sitting")
    >>> found.distance, [step.kind for step in found.path if step.kind != "keep"]
    (3, ['substitute', 'substitute', 'insert'])
    """
    if substitution not in (1, 2):
        raise ShapeError(
            f"edit_table: a substitution costs {substitution}; expected 1, or 2 for a deletion and "
            "an insertion; pass one of them."
        )
    n, m = len(source), len(target)
    costs = np.zeros((n + 1, m + 1), dtype=np.int64)
    costs[:, 0], costs[0, :] = np.arange(n + 1), np.arange(m + 1)
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            change = 0 if source[i - 1] == target[j - 1] else substitution
            costs[i, j] = min(
                costs[i - 1, j - 1] + change, costs[i - 1, j] + 1, costs[i, j - 1] + 1
            )
    return Edits(costs, _walk(costs, source, target, substitution))


def to_svg(
    source: Sequence[str], target: Sequence[str], *, substitution: int = 1, title: str = ""
) -> str:
    """Draw the table: source words down, target words across, the chosen path shaded.

    Below it stand the two sequences, one above the other, with the operation between them.
    """
    found = edits(source, target, substitution=substitution)
    frame = axes.framed(["", *target], ["", *source], title=title, least=22.0)
    body = frame.words(title)
    on_path = {(0, 0): "start", **{(s.i, s.j): _spoken(s, source, target) for s in found.path}}
    for i, row in enumerate(found.costs.tolist()):
        for j, cost in enumerate(row):
            x, y = frame.left + j * frame.cell, frame.above + i * frame.cell
            body.append(_square(x, y, frame.cell, cost, on_path.get((i, j), "")))
    summary = _summary(found)
    body.append(svg.text(frame.left, frame.bottom + 24, summary, kind="small"))
    strip, width = _strip(found, source, target, 20.0, frame.bottom + 56)
    name = title or f"edits from {sentence(source)} to {sentence(target)}"
    least = max(svg.pixels(summary), 190.0)
    wide = max(frame.width(title, least=least), width + 40)
    return svg.document(wide, frame.bottom + 122, "".join([*body, *strip]), name=name)


def to_terminal(
    source: Sequence[str], target: Sequence[str], *, substitution: int = 1, width: int = 100
) -> str:
    """Draw the table with the chosen path in brackets, then the operations, one in a line.

    A table too wide for `width` is broken into panels, one below the other.
    """
    axes.check_width("edit_table.to_terminal", width)
    found = edits(source, target, substitution=substitution)
    rows = [label(word) for word in ["", *source]]
    heads = [label(word) for word in ["", *target]]
    margin = axes.margin_of(rows, width)
    digits = len(str(int(found.costs.max()))) + 2
    per_panel = max((width - margin - 1) // digits, 1)
    path = {(0, 0), *((step.i, step.j) for step in found.path)}
    panels = []
    for start in range(0, len(heads), per_panel):
        shown = range(start, min(start + per_panel, len(heads)))
        lines = axes.downwards([heads[j] for j in shown], margin + 1, digits)
        for i, row in enumerate(rows):
            cells = "".join(
                (f"[{found.costs[i, j]}]" if (i, j) in path else f"{found.costs[i, j]} ").rjust(
                    digits
                )
                for j in shown
            )
            lines.append(f"{pad(row, margin, right=True)} {cells}".rstrip())
        panels.append("\n".join(lines))
    steps = [
        pad(f"{step.cost:>3} {_spoken(step, source, target)}", width).rstrip()
        for step in found.path
    ]
    return "\n\n".join([*panels, "\n".join([*steps, pad(_summary(found), width).rstrip()])]) + "\n"


def _walk(
    costs: npt.NDArray[np.int64], source: Sequence[str], target: Sequence[str], substitution: int
) -> list[Operation]:
    i, j = len(source), len(target)
    path: list[Operation] = []
    while i or j:
        here = int(costs[i, j])
        equal = bool(i and j) and source[i - 1] == target[j - 1]
        change = 0 if equal else substitution
        if i and j and here == costs[i - 1, j - 1] + change:
            path.append(Operation("keep" if equal else "substitute", i, j, here))
            i, j = i - 1, j - 1
        elif i and here == costs[i - 1, j] + 1:
            path.append(Operation("delete", i, j, here))
            i -= 1
        else:
            path.append(Operation("insert", i, j, here))
            j -= 1
    return path[::-1]


def _spoken(step: Operation, source: Sequence[str], target: Sequence[str]) -> str:
    if step.kind == "insert":
        return f"insert {label(target[step.j - 1])}"
    read = label(source[step.i - 1])
    if step.kind == "substitute":
        return f"substitute {read} by {label(target[step.j - 1])}"
    return f"{step.kind} {read}"


def _summary(found: Edits) -> str:
    kinds = [step.kind for step in found.path]
    names = {"substitute": "substituted", "delete": "deleted", "insert": "inserted", "keep": "kept"}
    counts = ", ".join(f"{kinds.count(kind)} {name}" for kind, name in names.items())  # type: ignore[arg-type]
    return f"distance {found.distance}: {counts}"


def _square(x: float, y: float, cell: float, cost: int, tip: str) -> str:
    """Draw a cell with its cost; one that has a tip is on the path."""
    side = svg.number(cell - 2)
    look = 'class="hue" fill-opacity="0.3"' if tip else 'class="rule" fill="none"'
    shape = (
        f'<rect {look} x="{svg.number(x + 1)}" y="{svg.number(y + 1)}" width="{side}" '
        f'height="{side}" rx="3">{svg.tip(tip) if tip else ""}</rect>'
    )
    at = (x + cell / 2, y + cell / 2 + 4.5)
    return shape + svg.text(*at, str(cost), anchor="middle", kind="" if tip else "small")


def _strip(
    found: Edits, source: Sequence[str], target: Sequence[str], x: float, y: float
) -> tuple[list[str], float]:
    """Write the sequences one above the other; return what was drawn and how far it reaches."""
    marks = {"keep": "", "substitute": "S", "delete": "D", "insert": "I"}
    drawn = []
    for step in found.path:
        above = "–" if step.kind == "insert" else label(source[step.i - 1])
        below = "–" if step.kind == "delete" else label(target[step.j - 1])
        wide = max(svg.pixels(above), svg.pixels(below), 12.0)
        middle = x + wide / 2
        drawn.append(svg.text(middle, y, above, anchor="middle"))
        drawn.append(svg.text(middle, y + 22, marks[step.kind], anchor="middle", kind="small"))
        drawn.append(svg.text(middle, y + 44, below, anchor="middle"))
        x += wide + 10
    return drawn, x
