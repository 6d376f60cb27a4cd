"""Lines of print as ALTO 4: a Page for each picture, with a box for every word.

http://www.loc.gov/standards/alto/v4/alto-4-4.xsd. All measures are in pixels.
"""

from collections.abc import Sequence
from importlib.metadata import version
from itertools import pairwise

from saccade.cli.documents import clean
from saccade.look.printed import PrintedLine, PrintedWord
from saccade.modalities._picture import Box

_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<alto xmlns="http://www.loc.gov/standards/alto/ns-v4#" SCHEMAVERSION="4.4">
<Description>
<MeasurementUnit>pixel</MeasurementUnit>{files}
<Processing ID="reading">
<processingCategory>contentGeneration</processingCategory>
<processingSoftware>
<softwareName>saccade</softwareName>
<softwareVersion>{version}</softwareVersion>
</processingSoftware>
</Processing>
</Description>
<Layout>"""


def head(names: Sequence[str]) -> str:
    """Begin a document; of several pictures each name is an identifier."""
    kind = "fileName" if len(names) == 1 else "fileIdentifier"
    listed = "".join(f"<{kind}>{clean(name)}</{kind}>" for name in names)
    files = f"\n<sourceImageInformation>{listed}</sourceImageInformation>" if names else ""
    return _HEAD.format(files=files, version=version("saccade"))


def page(number: int, name: str, line: PrintedLine) -> str:  # noqa: ARG001 - `head` names it
    """Write one picture; `number` counts from 1."""
    place = _place((0, 0, line.width, line.height))
    read = f"\n{_line(number, place, line.words)}" if line.words else ""
    return (
        f'<Page ID="page_{number}" PHYSICAL_IMG_NR="{number}" WIDTH="{line.width}"'
        f' HEIGHT="{line.height}" PROCESSING="reading">\n<PrintSpace {place}>\n'
        f'<TextBlock ID="block_{number}" {place}>{read}\n</TextBlock>\n</PrintSpace>\n</Page>'
    )


def tail() -> str:
    """End a document."""
    return "</Layout>\n</alto>"


def _line(number: int, place: str, words: Sequence[PrintedWord]) -> str:
    """Write a line: words, and spaces between them."""
    rows = list[str]()
    for i, word in enumerate(words, start=1):
        rows.append(
            f'<String ID="word_{number}_{i}" {_place(word.box)} CONTENT="{clean(word.text)}"'
            f' WC="{word.confidence:.4f}"/>'
        )
    gaps = [_gap(before, after) for before, after in pairwise(words)]
    joined = [row + gap for row, gap in zip(rows, [*gaps, ""], strict=True)]
    return f'<TextLine ID="line_{number}" {place}>\n' + "\n".join(joined) + "\n</TextLine>"


def _gap(before: PrintedWord, after: PrintedWord) -> str:
    left, top, bottom = before.box[2], before.box[1], before.box[3]
    return f"\n<SP {_place((left, top, max(after.box[0], left), bottom))}/>"


def _place(box: Box) -> str:
    left, top, right, bottom = box
    return f'HPOS="{left}" VPOS="{top}" WIDTH="{right - left}" HEIGHT="{bottom - top}"'
