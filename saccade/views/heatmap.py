"""The attention matrix as a map: a row for each target word, a column for each source word."""

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from saccade.views import axes, svg
from saccade.views.drawing import AttentionMap, Drawing
from saccade.views.weights import Weights, checked, placed, share, spoken, top_of
from saccade.views.words import clean, columns, escape, label, pad, sentence, shorten

# Blues of the 256-colour table whose luminance rises at every step.
RAMP = (17, 18, 24, 25, 31, 32, 38, 39, 81, 159)
SHADES = ("· ", "░░", "▒▒", "▓▓", "██")

_TILE = 190.0  # pixels that a small multiple aims at
_GAP = 24.0
_ACROSS = 4  # tiles in a row of one SVG document


def draw(one: AttentionMap) -> Drawing:
    """Draw attention over a sequence."""
    source = one.source
    if len(source) != one.weights.shape[1]:  # places of a grid beside other sources
        source = tuple(str(place) for place in range(1, one.weights.shape[1] + 1))
    drawn = (one.weights, source, one.target)
    return Drawing(
        "Attention",
        lambda: to_svg(*drawn, title=one.title),
        lambda width, *, colour: to_terminal(*drawn, colour=colour, width=width),
        lambda: to_html(*drawn, title=one.title),
        said=one.said,
    )


def draw_several(maps: Mapping[str, AttentionMap]) -> Drawing:
    """Draw several maps over a sequence, small and side by side."""
    first = next(iter(maps.values()))
    weights = {name: one.weights for name, one in maps.items()}
    drawn = (weights, first.source, first.target)
    return Drawing(
        "Heads",
        lambda: grid_svg(*drawn, title="Attention maps"),
        lambda width, *, colour: grid_terminal(weights, colour=colour, width=width),
        lambda: grid(*drawn),
        said=first.said,
    )


def to_terminal(
    weights: Weights,
    source: Sequence[str],
    target: Sequence[str],
    *,
    colour: bool,
    width: int = 100,
) -> str:
    """Draw the map with two columns for each cell and source words written downwards.

    A sentence too long for `width` is broken into panels, one below the other. Without colour the
    cells are `·`, `░`, `▒`, `▓`, `█`; a weight that is not finite is `? `.
    """
    found = checked("heatmap.to_terminal", weights, source, target)
    axes.check_width("heatmap.to_terminal", width)
    rows, heads = [label(word) for word in target], [label(word) for word in source]
    margin = axes.margin_of(rows, width)
    per_panel = (width - margin - 1) // 2
    top = top_of(found)
    panels = [
        _panel(
            found[:, start : start + per_panel],
            heads[start : start + per_panel],
            rows,
            margin,
            top,
            colour=colour,
        )
        for start in range(0, len(heads), per_panel)
    ]
    return "\n\n".join([*panels, _terminal_scale(top, colour=colour)]) + "\n"


def to_svg(
    weights: Weights, source: Sequence[str], target: Sequence[str], *, title: str = ""
) -> str:
    """Draw the map as an SVG document with a tooltip on every cell.

        opacity = 0.05 + 0.95 weight / top

    over one hue, so lightness goes one way with weight on light and on dark paper. `top` is
    written on the scale below the map. A weight that is not finite is a dashed cell.
    """
    found = checked("heatmap.to_svg", weights, source, target)
    frame, top = axes.framed(source, target, title=title), top_of(found)
    body = frame.words(title)
    body.append(f'<g transform="translate({svg.number(frame.left)} {svg.number(frame.above)})">')
    body += [_cells(found[i], source, word, i, frame.cell, top) for i, word in enumerate(target)]
    body.append("</g>" + scale(frame.left, frame.bottom + 18, top))
    name = title or f"attention from {sentence(target)} to {sentence(source)}"
    return svg.document(frame.width(title), frame.bottom + 52, "".join(body), name=name)


def to_html(
    weights: Weights, source: Sequence[str], target: Sequence[str], *, title: str = ""
) -> str:
    """Return a self-contained fragment: the map, with the two sentences below it."""
    picture = to_svg(weights, source, target, title=title)
    return (
        '<figure class="saccade-figure" style="margin:0 0 1rem">'
        f"{svg.scroller(picture)}"
        f'<figcaption style="margin-top:.5rem"><span dir="auto">{escape(sentence(source))}</span>'
        f' → <span dir="auto">{escape(sentence(target))}</span></figcaption></figure>'
    )


def grid(
    maps: Mapping[str, Weights], source: Sequence[str], target: Sequence[str], *, title: str = ""
) -> str:
    """Return small maps side by side as an HTML fragment, each with its name and all on one scale.

    There is no room for words: the tooltip of a cell tells them.
    """
    top = _common_top(maps)
    side = _side(source, target)
    tiles = []
    for name, weights in maps.items():
        found = checked("heatmap.grid", weights, source, target)
        body = _tile(name, found, source, target, side, top)
        width, height = _tile_size(source, target, side)
        tiles.append(svg.elastic(svg.document(width, height, body, name=name)))
    style = "display:flex;flex-wrap:wrap;gap:.75rem"
    heading = f"<figcaption>{escape(title)}</figcaption>" if title else ""
    scale = f'<div style="font-size:.85rem;margin-top:.5rem">one scale, 0 to {top:.2g}</div>'
    return (
        f'<figure style="margin:0 0 1rem">{heading}<div style="{style}">{"".join(tiles)}</div>'
        f"{scale}</figure>"
    )


def grid_svg(
    maps: Mapping[str, Weights], source: Sequence[str], target: Sequence[str], *, title: str = ""
) -> str:
    """Draw small maps, four in a row, as one SVG document, all on one scale."""
    top, side = _common_top(maps), _side(source, target)
    width, height = _tile_size(source, target, side)
    above = 44.0 if title else 8.0
    body = [svg.text(20, 30, title, kind="title")] if title else []
    for i, (name, weights) in enumerate(maps.items()):
        found = checked("heatmap.grid_svg", weights, source, target)
        down, along = divmod(i, _ACROSS)
        place = f"{svg.number(8 + along * width)} {svg.number(above + down * height)}"
        tile = _tile(name, found, source, target, side, top)
        body.append(f'<g transform="translate({place})">{tile}</g>')
    n_rows = -(-len(maps) // _ACROSS)
    bottom = above + n_rows * height
    body.append(scale(8 + _GAP / 2, bottom + 6, top))
    across = 16 + min(len(maps), _ACROSS) * width
    across = max(across, 190.0, svg.pixels(title) * 1.2 + 40)
    label_of_all = title or f"attention from {sentence(target)} to {sentence(source)}"
    return svg.document(across, bottom + 36, "".join(body), name=label_of_all)


def grid_terminal(maps: Mapping[str, Weights], *, colour: bool, width: int = 100) -> str:
    """Draw small maps side by side, one column for each cell, without words."""
    axes.check_width("heatmap.grid_terminal", width)
    top = _common_top(maps)
    blocks = [_terminal_tile(n, w, top, width, colour=colour) for n, w in maps.items()]
    room = max((columns for columns, _ in blocks), default=1)
    per_row = max((width + 2) // (room + 2), 1)
    bands = []
    for start in range(0, len(blocks), per_row):
        band = [lines for _, lines in blocks[start : start + per_row]]
        bands.append("\n".join("  ".join(row).rstrip() for row in zip(*band, strict=True)))
    return "\n\n".join([*bands, _terminal_scale(top, colour=colour)]) + "\n"


def _panel(
    weights: npt.NDArray[np.float64],
    heads: list[str],
    rows: list[str],
    margin: int,
    top: float,
    *,
    colour: bool,
) -> str:
    lines = axes.downwards(heads, margin, 2)
    for row_label, values in zip(rows, weights, strict=True):
        cells = "".join(_terminal_cell(float(value), top, colour=colour) for value in values)
        lines.append(f"{pad(row_label, margin, right=True)} {cells}".rstrip())
    return "\n".join(lines)


def _terminal_cell(weight: float, top: float, *, colour: bool, wide: bool = True) -> str:
    n = 2 if wide else 1
    if not np.isfinite(weight):
        return "? "[:n]
    part = share(weight, top)
    if colour:
        return f"\x1b[48;5;{RAMP[round(part * (len(RAMP) - 1))]}m{' ' * n}\x1b[0m"
    return SHADES[round(part * (len(SHADES) - 1))][:n]


def _terminal_scale(top: float, *, colour: bool) -> str:
    if colour:
        return "0 " + "".join(f"\x1b[48;5;{c}m \x1b[0m" for c in RAMP) + f" {top:.2f}"
    return "0 " + "".join(shade[0] for shade in SHADES) + f" {top:.2f}"


def _cells(
    weights: npt.NDArray[np.float64],
    source: Sequence[str],
    word: str,
    row: int,
    cell: float,
    top: float,
) -> str:
    gap = min(1.0, cell / 12)
    side = svg.number(cell - 2 * gap)
    shape = (
        f'y="{svg.number(row * cell + gap)}" width="{side}" height="{side}" '
        f'rx="{svg.number(cell / 7)}"'
    )
    drawn = []
    for j, (value, origin) in enumerate(zip(weights.tolist(), source, strict=True)):
        look = shade(value, top)
        tip = svg.tip(f"{label(origin)} → {label(word)}: {spoken(value)}")
        data = placed(row, j, value)
        drawn.append(f'<rect {look} {data} x="{svg.number(j * cell + gap)}" {shape}>{tip}</rect>')
    return "".join(drawn)


def shade(weight: float, top: float) -> str:
    """Return the attributes of a cell: the heavier, the darker; void where there is no weight."""
    if not np.isfinite(weight):
        return 'class="void"'
    return f'class="hue" fill-opacity="{svg.number(0.05 + 0.95 * share(weight, top))}"'


def scale(x: float, y: float, top: float) -> str:
    """Draw the shades from 0 to the heaviest weight."""
    steps = "".join(
        f'<rect class="hue" fill-opacity="{svg.number(0.05 + 0.95 * i / 9)}" '
        f'x="{svg.number(x + 14 + i * 11)}" y="{svg.number(y)}" width="10" height="10" rx="2"/>'
        for i in range(10)
    )
    ends = svg.text(x, y + 9, "0", kind="small") + svg.text(
        x + 130, y + 9, f"{top:.2g}", kind="small"
    )
    return steps + ends


def _common_top(maps: Mapping[str, Weights]) -> float:
    return max((top_of(np.asarray(w, dtype=np.float64)) for w in maps.values()), default=1.0)


def _side(source: Sequence[str], target: Sequence[str]) -> float:
    return min(max(_TILE / max(len(source), len(target), 1), 4.0), 16.0)


def _tile_size(source: Sequence[str], target: Sequence[str], side: float) -> tuple[float, float]:
    return max(len(source) * side, 110.0) + _GAP, len(target) * side + _GAP + 18


def _tile(
    name: str,
    weights: npt.NDArray[np.float64],
    source: Sequence[str],
    target: Sequence[str],
    side: float,
    top: float,
) -> str:
    width, height = svg.number(len(source) * side), svg.number(len(target) * side)
    cells = (_cells(weights[i], source, word, i, side, top) for i, word in enumerate(target))
    frame = f'<rect class="rule" fill="none" width="{width}" height="{height}"/>'
    return (
        svg.text(_GAP / 2, 20, shorten(clean(name), 22), kind="small")
        + f'<g transform="translate({svg.number(_GAP / 2)} 28)">{frame}{"".join(cells)}</g>'
    )


def _terminal_tile(
    name: str, weights: Weights, top: float, width: int, *, colour: bool
) -> tuple[int, list[str]]:
    """Return the columns of a tile and its lines, all of that width to the eye."""
    found = np.asarray(weights, dtype=np.float64)[:, :width]
    room = min(max(found.shape[1], columns(clean(name)), 14), width)
    lines = [pad(clean(name), room)]
    for values in found:
        cells = "".join(_terminal_cell(float(v), top, colour=colour, wide=False) for v in values)
        lines.append(cells + " " * (room - len(values)))
    return room, lines
