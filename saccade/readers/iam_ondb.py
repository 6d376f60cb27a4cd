"""The IAM On-Line Handwriting Database: lines that people wrote on a whiteboard."""

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal
from xml.etree import ElementTree

from saccade.errors import DataError
from saccade.modalities._strokes import Strokes
from saccade.nouns import Example, pair
from saccade.readers._lines import fingerprint, numbered, place
from saccade.readers.base import Reader

_LARGEST = 8_000_000  # bytes of a file of strokes or of a transcription
_NAME = re.compile(r"([a-z]\d\d)-(\d\d\d)([a-z]?)-(\d\d)")  # writer's page, form, letter, line


class IamOndb(Reader):
    """Lines of the IAM-OnDB as its archives are unpacked: Liwicki & Bunke 2005.

    strokes: the folder `lineStrokes`, with `a01/a01-000/a01-000u-01.xml` in it.  texts: the folder
    `ascii`, with `a01/a01-000/a01-000u.txt` in it, of which the lines behind `CSR:` are read.
    split: a file with the names of the forms to read, one a line, as `a01-000u`; all if there is
    none. With `task: write` the source is the text, with `task: read` the strokes.

    Lines come in the order of their names. A line of strokes without a text is left out, as the
    database has some.
    """

    def __init__(
        self,
        root: Path,
        *,
        strokes: str = "",
        texts: str = "",
        split: str = "",
        task: Literal["write", "read"] = "write",
    ) -> None:
        self.strokes, self.texts = place(root, strokes), place(root, texts)
        self.split = place(root, split) if split else None
        super().__init__(root, *([self.split] if self.split else []))
        self.task = task

    def read(self) -> Iterator[Example]:
        """Yield text and strokes of every line."""
        found = 0
        for path, text in self._lines():
            found += 1
            drawn = read_strokes(path)
            where = str(path)
            yield pair(text, drawn, where) if self.task == "write" else pair(drawn, text, where)
        if not found:
            raise DataError(
                f"{self.strokes}: no line of strokes with a text in {self.texts}; expected files"
                " such as a01/a01-000/a01-000u-01.xml. Check strokes, texts and split of the"
                " reader."
            )

    def fingerprint(self) -> str:
        """Hash the files of all lines, and their texts."""
        total = hashlib.blake2b(fingerprint(self.paths, "iam_ondb", self.task).encode())
        for path, text in self._lines():
            total.update(f"{path.name}\0{text}\0".encode() + hashlib.blake2b(_bytes(path)).digest())
        return total.hexdigest()[:32]

    def _lines(self) -> Iterator[tuple[Path, str]]:
        """Go through the files of strokes that have a text."""
        for folder, name in ((self.strokes, "strokes"), (self.texts, "texts")):
            if not folder.name or not folder.is_dir():
                raise DataError(
                    f"{folder}: no such folder; expected one of the IAM-OnDB. Check {name} of the"
                    " reader; relative paths start where you run saccade."
                )
        wanted = None
        if self.split is not None:
            wanted = {line.strip() for _, line in numbered(self.split) if line.strip()}
        texts: dict[Path, list[str]] = {}
        for path in sorted(self.strokes.glob("*/*/*.xml")):
            named = _NAME.fullmatch(path.stem)
            form = path.stem.rpartition("-")[0]
            if named is None or (wanted is not None and form not in wanted):
                continue
            told = self.texts / named[1] / f"{named[1]}-{named[2]}" / f"{form}.txt"
            if told not in texts:
                texts[told] = _transcribed(told)
            number = int(named[4])
            if 1 <= number <= len(texts[told]):
                yield path, texts[told][number - 1]


def read_strokes(path: Path) -> Strokes:
    """Read a file of strokes: `<StrokeSet><Stroke><Point x="1" y="2" time="3"/>...`."""
    data = _bytes(path)
    if b"<!DOCTYPE" in data or b"<!ENTITY" in data:
        raise DataError(
            f"{path}: declares a document type; expected plain XML without entities. Take the file"
            " of the database."
        )
    try:
        root = ElementTree.fromstring(data)
        strokes = [
            [(float(point.attrib["x"]), float(point.attrib["y"])) for point in stroke.iter("Point")]
            for stroke in root.iter("Stroke")
        ]
    except (ElementTree.ParseError, KeyError, ValueError) as error:
        raise DataError(
            f"{path}: cannot be read as strokes ({error}); expected XML with Stroke, and Point with"
            " x and y. Unpack the archive again, or take the file out."
        ) from None
    return Strokes.of(strokes, str(path))


def _transcribed(path: Path) -> list[str]:
    """Return the lines of a form: those behind `CSR:`; none if there is no such file."""
    if not path.is_file():
        return []
    lines = _bytes(path).decode("utf-8", errors="replace").splitlines()
    marks = [n for n, line in enumerate(lines) if line.strip() == "CSR:"]
    if not marks:
        raise DataError(
            f"{path}: has no line CSR:; expected the transcription of a form behind it. Unpack the"
            " archive again."
        )
    return [line.strip() for line in lines[marks[0] + 1 :] if line.strip()]


def _bytes(path: Path) -> bytes:
    size = path.stat().st_size
    if size > _LARGEST:
        raise DataError(
            f"{path}: has {size:,} bytes; expected at most {_LARGEST:,}, as a line of writing. Take"
            " it out."
        )
    return path.read_bytes()
