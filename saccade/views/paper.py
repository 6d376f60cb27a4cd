"""Pictures for print: draws the SVG of this room as PNG or PDF.

It knows what `svg.py` and the views write and no more: rectangles, lines, circles, polylines,
paths of M, L, C, h, v and z, text, PNG images in data URIs and uses of them, groups that move or
fade, documents in documents, and the light colours of the style sheet.
"""

import base64
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any
from xml.etree import ElementTree

from saccade.views.svg import LIGHT, SERIES

_DOTS = 200  # of a PNG, to the inch
_PIXELS = 96.0  # of a picture, to the inch
_POINTS = 72.0 / _PIXELS
_NAMESPACE = "{http://www.w3.org/2000/svg}"
_STEP = re.compile(r"([MLChvz])([^MLChvz]*)")
_TURN = re.compile(r"rotate\((\S+)")
_MOVE = re.compile(r"translate\((\S+) (\S+)\)")


@dataclass(frozen=True, slots=True)
class _Look:
    """How a shape is inked; what a group says holds for all that stands in it."""

    x: float = 0.0
    y: float = 0.0
    fade: float = 1.0


def printed(drawn: str, form: str) -> bytes:
    """Return the picture as the bytes of a PNG or PDF file, on white paper.

    Words whose letters no installed font has are drawn as boxes; the SVG has no such limit.
    """
    from matplotlib.figure import Figure  # noqa: PLC0415 - slow to import, wanted for print alone

    root = ElementTree.fromstring(drawn)
    width, height = float(root.get("width", "1")), float(root.get("height", "1"))
    figure = Figure(figsize=(width / _PIXELS, height / _PIXELS))
    page = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    page.set(xlim=(0, width), ylim=(height, 0), autoscale_on=False)
    page.axis("off")
    named = {f"#{shape.get('id')}": shape for shape in root.iter() if shape.get("id")}
    for layer, (found, look) in enumerate(_shapes(root, _Look())):
        used = found.tag == f"{_NAMESPACE}use"
        shape = named[found.get("href", "")] if used else found
        ink = {"zorder": layer, **_ink(shape, look)}
        _draw(page, shape, look, ink)
    target = io.BytesIO()
    stamp = {"CreationDate": None} if form == "pdf" else {"Software": None}
    figure.savefig(target, format=form, dpi=_DOTS, metadata=stamp)
    return target.getvalue()


def _shapes(root: ElementTree.Element, look: _Look) -> Iterator[tuple[ElementTree.Element, _Look]]:
    """Walk the drawing in the order in which it is inked."""
    for shape in root:
        here = _within(shape, look)
        if shape.tag in (f"{_NAMESPACE}g", f"{_NAMESPACE}svg"):
            yield from _shapes(shape, here)
        elif shape.tag not in (f"{_NAMESPACE}style", f"{_NAMESPACE}title"):
            yield shape, here


def _within(shape: ElementTree.Element, look: _Look) -> _Look:
    moved = _MOVE.search(shape.get("transform", ""))
    along, down = (float(moved[1]), float(moved[2])) if moved else (0.0, 0.0)
    if shape.tag == f"{_NAMESPACE}svg":  # a document in a document
        along, down = float(shape.get("x", "0")), float(shape.get("y", "0"))
    fade = look.fade * float(shape.get("opacity", "1"))
    return replace(look, x=look.x + along, y=look.y + down, fade=fade)


def _ink(shape: ElementTree.Element, look: _Look) -> dict[str, Any]:
    """Return colours and widths as the style sheet gives them on light paper."""
    rules: dict[str, str] = {}
    for kind in shape.get("class", "").split():
        if kind[0] in "sf" and kind[1:].isdigit():
            rules["stroke" if kind[0] == "s" else "fill"] = SERIES[int(kind[1:])]
        else:
            rules |= LIGHT.get(kind, {})
    names = ("fill", "stroke", "fill-opacity", "stroke-opacity", "stroke-width", "stroke-dasharray")
    own = {name: shape.get(name, "") for name in names}
    if shape.tag == f"{_NAMESPACE}text":
        rules = {"fill": LIGHT[""]["color"], **rules}
    rules = {**{k: v for k, v in own.items() if v}, **rules}  # a class beats an attribute
    fill, stroke = rules.get("fill", "#000000"), rules.get("stroke", "none")
    return {
        "facecolor": _colour(fill, float(rules.get("fill-opacity", "1")) * look.fade),
        "edgecolor": _colour(stroke, float(rules.get("stroke-opacity", "1")) * look.fade),
        "linewidth": float(rules.get("stroke-width", "1")) * _POINTS if stroke != "none" else 0.0,
        "linestyle": _dashes(rules.get("stroke-dasharray", "")),
    }


def _colour(name: str, opacity: float) -> tuple[float, ...]:
    if name == "none":
        return (0.0, 0.0, 0.0, 0.0)
    name = LIGHT[""]["color"] if name == "currentColor" else name
    return (*(int(name[i : i + 2], 16) / 255 for i in (1, 3, 5)), min(opacity, 1.0))


def _dashes(pattern: str) -> str | tuple[float, tuple[float, ...]]:
    return (0.0, tuple(float(n) * _POINTS for n in pattern.split())) if pattern else "solid"


def _draw(page: Any, shape: ElementTree.Element, look: _Look, ink: dict[str, Any]) -> None:
    from matplotlib.image import imread  # noqa: PLC0415
    from matplotlib.patches import Circle, FancyBboxPatch, PathPatch  # noqa: PLC0415
    from matplotlib.path import Path  # noqa: PLC0415

    kind = shape.tag.removeprefix(_NAMESPACE)
    at = {name: float(shape.get(name, "0")) for name in ("x", "y", "width", "height", "rx", "r")}
    if kind == "rect":
        round_ = f"round,pad=0,rounding_size={min(at['rx'], at['width'] / 2, at['height'] / 2)}"
        style = round_ if at["rx"] and at["width"] and at["height"] else "square,pad=0"
        corner = (at["x"] + look.x, at["y"] + look.y)
        page.add_patch(FancyBboxPatch(corner, at["width"], at["height"], boxstyle=style, **ink))
    elif kind == "circle":
        middle = (float(shape.get("cx", "0")) + look.x, float(shape.get("cy", "0")) + look.y)
        page.add_patch(Circle(middle, at["r"], **ink))
    elif kind == "line":
        ends = [[float(shape.get(f"{axis}{end}", "0")) for axis in "xy"] for end in "12"]
        points = [(x + look.x, y + look.y) for x, y in ends]
        page.add_patch(PathPatch(Path(points), **ink))
    elif kind == "polyline":
        pairs = (pair.split(",") for pair in shape.get("points", "").split())
        points = [(float(x) + look.x, float(y) + look.y) for x, y in pairs]
        if points:
            page.add_patch(PathPatch(Path(points), **ink))
    elif kind == "path":
        points, codes = _path(shape.get("d", ""), look)
        page.add_patch(PathPatch(Path(points, codes), **ink))
    elif kind == "text":
        _write(page, shape, look, ink, (at["x"], at["y"]))
    elif kind == "image":
        left, top = at["x"] + look.x, at["y"] + look.y
        edges = (left, left + at["width"], top + at["height"], top)
        file = io.BytesIO(base64.b64decode(shape.get("href", "").partition(",")[2]))
        crisp = "pixelated" in shape.get("style", "")
        way = "nearest" if crisp else "bilinear"
        still = {"aspect": "auto", "interpolation": way, "zorder": ink["zorder"]}
        still |= {"cmap": "gray", "vmin": 0.0, "vmax": 1.0}  # of a picture with one channel
        page.imshow(imread(file), extent=edges, alpha=float(shape.get("opacity", "1")), **still)


def _write(
    page: Any,
    shape: ElementTree.Element,
    look: _Look,
    ink: dict[str, Any],
    at: tuple[float, float],
) -> None:
    kind = shape.get("class", "")
    turned = _TURN.search(shape.get("transform", ""))
    sides = {"middle": "center", "end": "right"}
    page.text(
        at[0] + look.x,
        at[1] + look.y,
        (shape.text or "").replace("$", r"\$"),
        color=ink["facecolor"],
        fontsize={"title": 15, "small": 11}.get(kind, 13) * _POINTS * 0.92,
        fontweight="bold" if kind == "title" else "normal",
        ha=sides.get(shape.get("text-anchor", ""), "left"),
        va="baseline",
        rotation=-float(turned[1]) if turned else 0.0,
        rotation_mode="anchor",
        zorder=ink["zorder"],
    )


def _path(steps: str, look: _Look) -> tuple[list[tuple[float, float]], list[int]]:
    """Read the outline of a path; the numbers are matplotlib's own: 1 move, 2 line, 4 curve."""
    points: list[tuple[float, float]] = []
    codes: list[int] = []
    start = here = (0.0, 0.0)
    for step, written in _STEP.findall(steps):
        numbers = [float(n) for n in written.split()]
        if step == "C":
            pairs = zip(numbers[::2], numbers[1::2], strict=True)
            more = [(x + look.x, y + look.y) for x, y in pairs]
            points, codes = points + more, [*codes, 4, 4, 4]
            here = more[-1]
            continue
        if step in "ML":
            here = (numbers[0] + look.x, numbers[1] + look.y)
            start = here if step == "M" else start
        elif step == "z":
            here = start
        else:
            here = (
                (here[0] + numbers[0], here[1]) if step == "h" else (here[0], here[1] + numbers[0])
            )
        points.append(here)
        codes.append(1 if step == "M" else 2)
    return points, codes
