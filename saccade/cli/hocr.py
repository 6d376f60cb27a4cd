"""Lines of print as hOCR: a page of XHTML for each picture, with a box for every word.

http://kba.github.io/hocr-spec/1.2: ocr_page, ocr_line and ocrx_word with bbox and x_wconf.
"""

from collections.abc import Sequence
from importlib.metadata import version

from saccade.cli.documents import clean
from saccade.look.printed import PrintedLine
from saccade.modalities._picture import Box

_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml">
<head>
<title>Lines of print</title>
<meta charset="utf-8"/>
<meta name="ocr-system" content="saccade {version}"/>
<meta name="ocr-capabilities" content="ocr_page ocr_line ocrx_word"/>
</head>
<body>"""


def head(names: Sequence[str]) -> str:  # noqa: ARG001 - every page names its own
    """Begin a document."""
    return _HEAD.format(version=version("saccade"))


def page(number: int, name: str, line: PrintedLine) -> str:
    """Write one picture; `number` counts from 1."""
    whole = (0, 0, line.width, line.height)
    image = f'image "{name}"; ' if name else ""
    title = clean(f"{image}{_bbox(whole)}; ppageno {number - 1}")
    words = " ".join(
        f'<span class="ocrx_word" id="word_{number}_{i}" title="{_bbox(word.box)}; x_wconf'
        f' {round(100 * word.confidence)}">{clean(word.text)}</span>'
        for i, word in enumerate(line.words, start=1)
    )
    return (
        f'<div class="ocr_page" id="page_{number}" title="{title}">\n'
        f'<span class="ocr_line" id="line_{number}" title="{_bbox(whole)}">{words}</span>\n</div>'
    )


def tail() -> str:
    """End a document."""
    return "</body>\n</html>"


def _bbox(box: Box) -> str:
    return "bbox " + " ".join(map(str, box))
