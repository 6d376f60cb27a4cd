"""The little SVG that all pictures share: one style sheet, one frame, text and numbers.

Colours are plain class rules (no variables), so browsers and other renderers agree; every picture
paints its own paper and follows `prefers-color-scheme`. Nothing is fetched and nothing runs.
"""

import re
from collections.abc import Mapping
from typing import Literal

from saccade.views.words import columns, escape

COLUMN = 7.6  # pixels that one terminal column of the 13 px label font takes, on the safe side

SERIES = ("#0b5cad", "#c2410c", "#0f766e", "#a21caf", "#854d0e", "#475569")
_DARK_SERIES = ("#6cb2ff", "#ff9a5c", "#4fd1c0", "#e48cf0", "#e3b341", "#aab6c5")


def _series(colours: tuple[str, ...]) -> str:
    return "".join(
        f".saccade-view .s{i}{{stroke:{c}}}.saccade-view .f{i}{{fill:{c}}}"
        for i, c in enumerate(colours)
    )


N_COLOURS = len(SERIES)

LIGHT: dict[str, dict[str, str]] = {  # the rules of the style sheet on light paper, by class
    "": {"color": "#1c2128"},
    "paper": {"fill": "#ffffff"},
    "small": {"fill-opacity": ".72"},
    "hue": {"fill": "#084c9e"},
    "thread": {"stroke": "#084c9e", "fill": "none"},
    "rule": {"stroke": "currentColor", "stroke-opacity": ".13"},
    "axis": {"stroke": "currentColor", "stroke-opacity": ".4"},
    "line": {"fill": "none", "stroke-width": "2"},
    "dot": {"fill-opacity": "0"},
    "void": {
        "fill": "none",
        "stroke": "currentColor",
        "stroke-opacity": ".4",
        "stroke-dasharray": "2 2",
    },
}


def _rules(classes: dict[str, dict[str, str]]) -> str:
    return "".join(
        f".saccade-view{' .' if name else ''}{name}"
        f"{{{';'.join(f'{key}:{value}' for key, value in rules.items())}}}"
        for name, rules in classes.items()
    )


STYLE = (
    ".saccade-view{font:13px/1.3 system-ui,-apple-system,'Segoe UI','Noto Sans','DejaVu Sans',"
    "sans-serif}"
    ".saccade-view text{fill:currentColor}"
    f"{_rules(LIGHT)}"
    ".saccade-view .title{font-size:15px;font-weight:600}"
    ".saccade-view .small{font-size:11px}"
    ".saccade-view .thread,.saccade-view .line{stroke-linecap:round;stroke-linejoin:round}"
    ".saccade-view .dot:hover{fill-opacity:1}"
    ".saccade-view .hue:hover{stroke:currentColor;stroke-width:1.5}"
    ".saccade-view .thread:hover{stroke-opacity:1}"
    f"{_series(SERIES)}"
    "@media (prefers-color-scheme:dark){"
    ".saccade-view{color:#e4e8ee}"
    ".saccade-view .paper{fill:#14181e}"
    ".saccade-view .hue{fill:#7cbcff}"
    ".saccade-view .thread{stroke:#7cbcff}"
    f"{_series(_DARK_SERIES)}"
    "}"
)


_STYLED = f"<style>{STYLE}</style>"
_FRAME = re.compile(r'^<svg [^>]*? width="([\d.]+)" height="([\d.]+)"')


def document(width: float, height: float, body: str, *, name: str) -> str:
    """Frame `body` as a whole SVG document on its own paper; `name` is read to the blind."""
    size = f'width="{number(width)}" height="{number(height)}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="saccade-view" role="img" '
        f'aria-label="{escape(name)}" {size} viewBox="0 0 {number(width)} {number(height)}">'
        f'{_STYLED}<rect class="paper" {size} rx="8"/>{body}</svg>'
    )


def stack(documents: Mapping[str, str], *, name: str) -> str:
    """Put whole documents one below the other, each under its title, in one document."""
    body, y, wide = [], 8.0, 0.0
    for title, one in documents.items():
        width, height = (float(found) for found in _FRAME.findall(one)[0])
        nested = one.replace("<svg ", f'<svg x="0" y="{number(y + 24)}" ', 1)
        body += [text(20, y + 20, title, kind="title"), nested.replace(_STYLED, "", 1)]
        wide, y = max(wide, width, pixels(title) * 1.2 + 40), y + 32 + height
    return document(wide, y, "".join(body), name=name)


def text(
    x: float,
    y: float,
    words: str,
    *,
    anchor: Literal["start", "middle", "end"] = "start",
    kind: Literal["", "title", "small"] = "",
    turn: float = 0.0,
) -> str:
    """Write escaped words at a point, turned by `turn` degrees about it."""
    place = f'x="{number(x)}" y="{number(y)}"'
    turned = f' transform="rotate({number(turn)} {number(x)} {number(y)})"' if turn else ""
    look = f' class="{kind}"' if kind else ""
    side = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return f"<text {place}{side}{look}{turned}>{escape(words)}</text>"


def tip(words: str) -> str:
    """Return the tooltip of a shape, to stand inside its tags."""
    return f"<title>{escape(words)}</title>"


def elastic(picture: str) -> str:
    """Let a whole SVG document shrink with the box it stands in."""
    return picture.replace("<svg ", '<svg style="max-width:100%;height:auto" ', 1)


def scroller(picture: str) -> str:
    """Let a whole SVG document keep its size and scroll sideways in the box it stands in."""
    return f'<div style="overflow-x:auto">{picture}</div>'


def number(value: float) -> str:
    """Write a coordinate with at most two decimals.

    >>> number(3.0), number(0.126), number(-0.001)
    ('3', '0.13', '0')
    """
    written = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if written == "-0" else written


def pixels(words: str) -> float:
    """Estimate how wide a label is drawn: capitals and broad letters take more than a column."""
    capitals = sum(c.isupper() for c in words)
    broad = sum(c in "mwMW@%—…" for c in words)
    return columns(words) * COLUMN + 2 * capitals + 4 * broad
