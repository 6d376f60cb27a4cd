"""Which source word each target word belongs to: predicted points, with gold ones if there are any.

Gold points are sure or possible, as in Och & Ney 2003, A Systematic Comparison of Various
Statistical Alignment Models, section 6; every sure point is possible too.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from saccade.errors import DataError, ShapeError
from saccade.views import axes, svg
from saccade.views.words import label, pad, sentence

Point = tuple[int, int]  # (source, target), from 0


@dataclass(frozen=True, slots=True)
class Gold:
    """What people drew: points (source, target) they were sure of, and others they allow."""

    sure: Collection[Point] = ()
    possible: Collection[Point] = ()


def parse_gold(text: str) -> Gold:
    """Read points as `0-0 1-2 3p4`: source, target, and `p` between them where only possible.

    >>> parse_gold("0-0 1p2")
    Gold(sure=((0, 0),), possible=((1, 2),))
    """
    points: dict[str, list[Point]] = {"-": [], "p": []}
    for word in text.split():
        found = re.fullmatch(r"(\d+)([-p])(\d+)", word)
        if not found:
            raise DataError(
                f"gold: '{word}' is not a point; expected source-target from 0, as 0-0, or 0p0 if"
                " it is only possible; write them with spaces between."
            )
        points[found[2]].append((int(found[1]), int(found[3])))
    return Gold(tuple(points["-"]), tuple(points["p"]))


def error_rate(predicted: Collection[Point], gold: Gold) -> float:
    """Return the alignment error rate; 0 if there is nothing on either side.

        AER = 1 - (|A & S| + |A & P|) / (|A| + |S|)

    >>> error_rate([(0, 0), (1, 1)], Gold(sure=[(0, 0)], possible=[(1, 1)]))
    0.0
    """
    found, sure = set(predicted), set(gold.sure)
    allowed = sure | set(gold.possible)
    whole = len(found) + len(sure)
    return 1 - (len(found & sure) + len(found & allowed)) / whole if whole else 0.0


def to_svg(
    source: Sequence[str],
    target: Sequence[str],
    predicted: Collection[Point],
    *,
    gold: Gold | None = None,
    title: str = "",
) -> str:
    """Draw predicted points as discs; sure gold points as squares, possible ones as dashed squares.

    A disc without a square is a mistake, a square without a disc was missed.
    """
    kinds = _kinds("alignment.to_svg", source, target, predicted, gold)
    frame = axes.framed(source, target, title=title, least=18.0)
    body = frame.words(title)
    left, above, right, bottom = map(
        svg.number, (frame.left, frame.above, frame.right, frame.bottom)
    )
    for j in range(len(source) + 1):
        x = svg.number(frame.left + j * frame.cell)
        body.append(f'<line class="rule" x1="{x}" x2="{x}" y1="{above}" y2="{bottom}"/>')
    for i in range(len(target) + 1):
        y = svg.number(frame.above + i * frame.cell)
        body.append(f'<line class="rule" x1="{left}" x2="{right}" y1="{y}" y2="{y}"/>')
    for (s, t), (found, known) in sorted(kinds.items()):
        tip = f"{label(source[s])} – {label(target[t])}: {_spoken(known, found=found)}"
        place = (frame.left + s * frame.cell, frame.above + t * frame.cell)
        body.append(_mark(*place, frame.cell, known, tip, found=found))
    body += _legend(frame.left, frame.bottom + 26, predicted, gold)
    name = title or f"alignment of {sentence(source)} with {sentence(target)}"
    width = frame.width(title, least=420.0 if gold else 120.0)
    return svg.document(width, frame.bottom + (62 if gold else 44), "".join(body), name=name)


def to_terminal(
    source: Sequence[str],
    target: Sequence[str],
    predicted: Collection[Point],
    *,
    gold: Gold | None = None,
    width: int = 100,
) -> str:
    """Draw predicted points as `●`, sure gold points in `[ ]`, possible ones in `( )`.

    A sentence too long for `width` is broken into panels, one below the other.
    """
    axes.check_width("alignment.to_terminal", width)
    kinds = _kinds("alignment.to_terminal", source, target, predicted, gold)
    rows, heads = [label(word) for word in target], [label(word) for word in source]
    margin = axes.margin_of(rows, width)
    per_panel = (width - margin - 1) // 3
    panels = []
    for start in range(0, len(heads), per_panel):
        shown = range(start, min(start + per_panel, len(heads)))
        lines = axes.downwards([heads[s] for s in shown], margin + 1, 3)
        for t, row in enumerate(rows):
            cells = "".join(_cell(*kinds.get((s, t), (False, ""))) for s in shown)
            lines.append(f"{pad(row, margin, right=True)} {cells}".rstrip())
        panels.append("\n".join(lines))
    if gold:
        panels.append(f"● predicted  [ ] sure  ( ) possible\n{_rate(predicted, gold)}")
    return "\n\n".join(panels) + "\n"


def _kinds(
    where: str,
    source: Sequence[str],
    target: Sequence[str],
    predicted: Collection[Point],
    gold: Gold | None,
) -> dict[Point, tuple[bool, str]]:
    """Say of every point whether it was predicted, and what the gold calls it."""
    known: dict[Point, str] = {}
    if gold:
        known = dict.fromkeys(gold.possible, "possible") | dict.fromkeys(gold.sure, "sure")
    points = {*predicted, *known}
    for s, t in sorted(points):
        if not (0 <= s < len(source) and 0 <= t < len(target)):
            raise ShapeError(
                f"{where}: point ({s}, {t}) lies outside {len(source)} source and {len(target)} "
                "target words; points are (source, target), counted from 0; check their order."
            )
    found = set(predicted)
    return {point: (point in found, known.get(point, "")) for point in points}


def _spoken(known: str, *, found: bool) -> str:
    said = ["predicted"] if found else []
    return ", ".join([*said, *([known] if known else [])])


def _mark(x: float, y: float, cell: float, known: str, tip: str, *, found: bool) -> str:
    drawn = ""
    if known:
        side = svg.number(cell - 6)
        dashes = ' stroke-dasharray="3 3"' if known == "possible" else ""
        drawn += (
            f'<rect class="s1" fill="none" stroke-width="2"{dashes} x="{svg.number(x + 3)}" '
            f'y="{svg.number(y + 3)}" width="{side}" height="{side}" rx="3">{svg.tip(tip)}</rect>'
        )
    if found:
        drawn += (
            f'<circle class="hue" cx="{svg.number(x + cell / 2)}" cy="{svg.number(y + cell / 2)}" '
            f'r="{svg.number(cell / 4)}">{svg.tip(tip)}</circle>'
        )
    return drawn


def _legend(x: float, y: float, predicted: Collection[Point], gold: Gold | None) -> list[str]:
    if not gold:
        return []
    drawn = []
    for name, found, known in (
        ("predicted", True, ""),
        ("sure", False, "sure"),
        ("possible", False, "possible"),
    ):
        drawn.append(_mark(x - 4, y - 14, 20.0, known, name, found=found))
        drawn.append(svg.text(x + 20, y, name, kind="small"))
        x += svg.pixels(name) + 34
    drawn.append(svg.text(x, y, _rate(predicted, gold), kind="small"))
    return drawn


def _rate(predicted: Collection[Point], gold: Gold) -> str:
    return f"error rate {error_rate(predicted, gold):.3f}"


def _cell(found: bool, known: str) -> str:  # noqa: FBT001 - a pair, unpacked
    left, right = {"sure": ("[", "]"), "possible": ("(", ")"), "": (" ", " ")}[known]
    return f"{left}{'●' if found else ' ' if known else '·'}{right}"
