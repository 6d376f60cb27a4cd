"""The edit-distance table of two sequences: where each cost comes from, and the cheapest paths."""

from collections.abc import Sequence

from saccade.views import axes, svg
from saccade.views.drawing import Drawing, colourless
from saccade.views.edits import (
    DIAGONAL,
    LEFT,
    UP,
    EditCosts,
    Edits,
    Operation,
    edits,
    shown_cost,
)
from saccade.views.words import columns, label, pad, sentence, widest

_ARROWS = {DIAGONAL: "↖", UP: "↑", LEFT: "←"}
_MARKS = {"keep": "", "substitute": "S", "delete": "D", "insert": "I"}
_STRIPS = 12  # paths that a picture shows below its table


def to_svg(
    source: Sequence[str],
    target: Sequence[str],
    *,
    substitution: int = 1,
    costs: EditCosts | None = None,
    title: str = "",
    paths: int = 1,
) -> str:
    """Draw the table: source words down, target words across, with the ways back as arrows.

    The chosen path is shaded, and more lightly every cell that is on another one as cheap. Below
    stand the two sequences, one above the other, with the operation between them, for each path.
    """
    found = edits(source, target, substitution=substitution, costs=costs)
    return _drawn(found, title, paths)


def to_terminal(
    source: Sequence[str],
    target: Sequence[str],
    *,
    substitution: int = 1,
    costs: EditCosts | None = None,
    width: int = 100,
) -> str:
    """Draw the table with the chosen path in brackets, then the operations, one in a line.

    A table too wide for `width` is broken into panels, one below the other. Cells on other paths
    that are as cheap stand in parentheses; arrows tell where a cost comes from.
    """
    found = edits(source, target, substitution=substitution, costs=costs)
    return _written(found, width, 1)


def draw(found: Edits, *, title: str = "", paths: int | None = 1) -> Drawing:
    """Draw a table that is filled, with so many of its paths, or all."""
    n = len(found.paths()) if paths is None else paths

    def write(width: int) -> str:
        return _written(found, width, n)

    return Drawing(
        "Edit distance",
        lambda: _drawn(found, title, n),
        colourless(write),
        said=f"{summary(found)}; {counted(found)}",
    )


def summary(found: Edits) -> str:
    """Say the distance, and the edits of the chosen path."""
    kinds = [str(step.kind) for step in found.path]
    names = {"substitute": "substituted", "delete": "deleted", "insert": "inserted", "keep": "kept"}
    counts = ", ".join(f"{kinds.count(kind)} {name}" for kind, name in names.items())
    return f"distance {shown_cost(found.distance)}: {counts}"


def counted(found: Edits) -> str:
    """Say how many paths are as cheap."""
    n = found.n_paths
    return "1 path" if n == 1 else f"{n:,} paths of equal cost"


def _drawn(found: Edits, title: str, paths: int) -> str:
    source, target = found.source, found.target
    frame = axes.framed(["", *target], ["", *source], title=title, least=30.0)
    body = frame.words(title)
    chosen = {(0, 0): "start", **{(s.i, s.j): _spoken(s, found) for s in found.path}}
    optimal = found.optimal()
    for i, row in enumerate(found.costs.tolist()):
        for j, cost in enumerate(row):
            at = (frame.left + j * frame.cell, frame.above + i * frame.cell)
            shade = 0.3 if (i, j) in chosen else 0.1 if optimal[i, j] else 0.0
            body.append(_square(at, frame.cell, shown_cost(cost), chosen.get((i, j), ""), shade))
            body += _arrows(at, frame.cell, int(found.ways[i, j]))
    told = f"{summary(found)}; {counted(found)}"
    body.append(svg.text(frame.left, frame.bottom + 24, told, kind="small"))
    y, wide = frame.bottom + 56, 0.0
    for path in found.paths(min(max(paths, 1), _STRIPS)):
        strip, width = _strip(path, found, 20.0, y)
        body += strip
        y, wide = y + 74, max(wide, width + 40)
    name = title or f"edits from {sentence(source)} to {sentence(target)}"
    wide = max(frame.width(title, least=max(svg.pixels(told), 190.0)), wide)
    return svg.document(wide, y - 8, "".join(body), name=name)


def _written(found: Edits, width: int, paths: int) -> str:
    axes.check_width("edit_table.to_terminal", width)
    rows = [label(word) for word in ["", *found.source]]
    heads = [label(word) for word in ["", *found.target]]
    margin = axes.margin_of(rows, width)
    cells = _cells(found)
    wide = max(len(cell) for row in cells for cell in row) + 1
    per_panel = max((width - margin - 1) // wide, 1)
    blocks = []
    for start in range(0, len(heads), per_panel):
        shown = slice(start, start + per_panel)
        lines = axes.downwards(heads[shown], margin + wide - 2, wide)
        for row, line in zip(rows, cells, strict=True):
            drawn = "".join(cell.rjust(wide) for cell in line[shown])
            lines.append(f"{pad(row, margin, right=True)} {drawn}".rstrip()[:width])
        blocks.append("\n".join(lines))
    listed = found.paths(max(paths, 1))
    if len(listed) == 1:
        steps = (f"{shown_cost(s.cost):>3} {_spoken(s, found)}" for s in listed[0])
        blocks.append("\n".join(pad(step, width).rstrip() for step in steps))
    else:
        blocks += [_aligned(path, found, width) for path in listed]
    told = [pad(one, width).rstrip() for one in (summary(found), counted(found))]
    return "\n\n".join([*filter(None, blocks), "\n".join(told)]) + "\n"


def _cells(found: Edits) -> list[list[str]]:
    """Write every cost behind its arrows, in brackets if it is on the chosen path."""
    chosen = {(0, 0), *((step.i, step.j) for step in found.path)}
    optimal = found.optimal()
    cells = []
    for i, row in enumerate(found.costs.tolist()):
        line = []
        for j, cost in enumerate(row):
            way = int(found.ways[i, j])
            said = "".join(one for bit, one in _ARROWS.items() if way & bit) + shown_cost(cost)
            marks = "[]" if (i, j) in chosen else "()" if optimal[i, j] else "  "
            line.append(f"{marks[0]}{said}{marks[1]}")
        cells.append(line)
    return cells


def _aligned(path: Sequence[Operation], found: Edits, width: int) -> str:
    """Write both sequences, one above the other, with the operations between them."""
    stacks = [(*_ends(step, found), _MARKS[step.kind] or ".") for step in path]
    blocks, line, used = list[str](), list[tuple[str, str, str]](), 0
    for above, below, mark in stacks:
        wide = min(widest((above, below, mark)), width - 1)
        if line and used + wide + 1 > width:
            blocks.append(_joined(line))
            line, used = [], 0
        cut = (pad(one, wide) for one in (above, mark, below))
        line.append((next(cut), next(cut), next(cut)))
        used += wide + 1
    return "\n".join([*blocks, _joined(line)] if line else blocks)


def _joined(line: Sequence[tuple[str, str, str]]) -> str:
    return "\n".join(" ".join(row).rstrip() for row in zip(*line, strict=True))


def _ends(step: Operation, found: Edits) -> tuple[str, str]:
    """Return what stands above and below: a dash for nothing."""
    above = "–" if step.kind == "insert" else label(found.source[step.i - 1])
    below = "–" if step.kind == "delete" else label(found.target[step.j - 1])
    return above, below


def _spoken(step: Operation, found: Edits) -> str:
    above, below = _ends(step, found)
    if step.kind == "insert":
        return f"insert {below}"
    return f"substitute {above} by {below}" if step.kind == "substitute" else f"{step.kind} {above}"


def _square(at: tuple[float, float], cell: float, cost: str, tip: str, shade: float) -> str:
    """Draw a cell with its cost; one that has a tip is on the chosen path."""
    (x, y), side = at, svg.number(cell - 2)
    look = f'class="hue" fill-opacity="{shade}"' if shade else 'class="rule" fill="none"'
    shape = (
        f'<rect {look} x="{svg.number(x + 1)}" y="{svg.number(y + 1)}" width="{side}" '
        f'height="{side}" rx="3">{svg.tip(tip) if tip else ""}</rect>'
    )
    kind = "" if tip and columns(cost) < 4 else "small"
    return shape + svg.text(x + cell / 2, y + cell / 2 + 6, cost, anchor="middle", kind=kind)  # type: ignore[arg-type]


def _arrows(at: tuple[float, float], cell: float, way: int) -> list[str]:
    """Draw a short line towards every cell that the cost may come from."""
    (x, y), drawn = at, []
    ends = {DIAGONAL: (0, 0), UP: (cell / 2, 0), LEFT: (0, cell / 2)}
    for bit, (right, down) in ends.items():
        if way & bit:
            tip_x, tip_y = x + right, y + down
            end_x, end_y = x + right + (6 if right == 0 else 0), y + down + (6 if down == 0 else 0)
            drawn.append(
                f'<line class="axis" x1="{svg.number(tip_x)}" y1="{svg.number(tip_y)}"'
                f' x2="{svg.number(end_x)}" y2="{svg.number(end_y)}"/>'
            )
    return drawn


def _strip(path: Sequence[Operation], found: Edits, x: float, y: float) -> tuple[list[str], float]:
    """Write the sequences one above the other; return what was drawn and how far it reaches."""
    drawn = []
    for step in path:
        above, below = _ends(step, found)
        wide = max(svg.pixels(above), svg.pixels(below), 12.0)
        middle = x + wide / 2
        drawn.append(svg.text(middle, y, above, anchor="middle"))
        drawn.append(svg.text(middle, y + 22, _MARKS[step.kind], anchor="middle", kind="small"))
        drawn.append(svg.text(middle, y + 44, below, anchor="middle"))
        x += wide + 10
    return drawn, x
