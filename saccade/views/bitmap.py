"""What a model drew in black and white: rows of bits as a picture."""

from typing import Any

import numpy as np

from saccade.errors import ShapeError
from saccade.modalities._bits import Bits, as_bits
from saccade.views import svg
from saccade.views.canvas import averages, image
from saccade.views.drawing import AttentionMap, Drawing, colourless
from saccade.views.words import clean, shorten

_SIDE, _EDGE, _GAP = 196.0, 20.0, 24.0  # pixels: of the longer side, around all, between pictures
_HALVES = " ▄▀█"  # nothing, below, above, both


def draw(source: Any, output: Any, truth: Any = None, seen: AttentionMap | None = None) -> Drawing:
    """Draw bits `[H, W]` as a picture, and beside it the one of the data, if that is known.

    `seen`, where the model looked, is not drawn.
    """
    del seen
    bits = as_bits(output)
    other = None if truth is None else as_bits(truth)
    title = shorten(f"Drawn for: {clean(str(source))}", 80)
    return Drawing(
        "Picture",
        lambda: to_svg(bits, other, title=title),
        colourless(lambda width: to_terminal(bits, width=width)),
        said=title,
    )


def to_svg(bits: Bits, truth: Bits | None = None, *, title: str = "") -> str:
    """Draw 1 white and 0 black."""
    pictures = [("", bits)] if truth is None else [("drawn", bits), ("in the data", truth)]
    above = 44.0 if title else 16.0
    body = [svg.text(_EDGE, 30, title, kind="title")] if title else []
    x, low = _EDGE, above
    for name, one in pictures:
        if not one.size:
            raise ShapeError(
                f"bitmap.to_svg: a picture {list(one.shape)}; expected [H, W], none of them 0."
                " Pass some bits."
            )
        height, width = (size * _SIDE / max(one.shape) for size in one.shape)
        top = above + (16 if name else 0)
        body += [svg.text(x, above + 10, name, kind="small")] if name else []
        body.append(image(one.astype(np.float64), x, top, width, height))
        x, low = x + width + _GAP, max(low, top + height)
    wide = max(x - _GAP + _EDGE, svg.pixels(title) * 1.2 + 2 * _EDGE)
    return svg.document(wide, low + _EDGE, "".join(body), name=title or "a picture")


def to_terminal(bits: Bits, *, width: int = 100) -> str:
    """Draw two rows of bits in a line of characters; 1 is ink. A wide picture is made coarser.

    >>> print(to_terminal(np.array([[1, 1, 0], [1, 0, 0], [0, 1, 0]])), end="")
    █▀
     ▀
    """
    block = max(1, -(-bits.shape[1] // max(width, 1)))
    inked = averages(bits.astype(np.float64), block, block) >= 0.5
    inked = np.pad(inked, ((0, len(inked) % 2), (0, 0)))
    codes = inked[::2] * 2 + inked[1::2]
    return "".join("".join(_HALVES[code] for code in row).rstrip() + "\n" for row in codes.tolist())
