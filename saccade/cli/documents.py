"""Outputs as one document with a place for every word: hOCR and ALTO, each in its own file."""

import re
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import BinaryIO, Protocol, cast
from xml.sax.saxutils import escape

from saccade.cli.formats import OutputColumns
from saccade.errors import RecipeError
from saccade.look.printed import PrintedLine, printed_line
from saccade.modalities._photo import LARGEST, read_photo
from saccade.predict.looker import Looker
from saccade.predict.prediction import Prediction

_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class DocumentFormat(Protocol):
    """What a file of such a format holds."""

    def head(self, names: Sequence[str]) -> str:
        """Begin a document about pictures of these names."""

    def page(self, number: int, name: str, line: PrintedLine) -> str:
        """Write one picture; `number` counts from 1."""

    def tail(self) -> str:
        """End a document."""


def clean(text: str) -> str:
    """Write a text so that it can stand in XML, in an attribute too.

    >>> clean('a < "b"')
    'a &lt; &quot;b&quot;'
    """
    return escape(_NO_XML.sub("\ufffd", text), {'"': "&quot;"})


def write_document(
    found: Iterable[Prediction],
    file: BinaryIO,
    wanted: OutputColumns,
    looker: Looker,
    pictures: Sequence[str] = (),
) -> None:
    """Write all predictions as one document.

    Args:
        found: of a model that reads lines of print.
        file: where to write.
        wanted: the format.
        looker: the model.
        pictures: what the command line calls them, if it does; boxes are in their pixels.
    """
    _check(wanted, looker)
    form = cast(DocumentFormat, import_module(f"saccade.cli.{wanted.form.value}"))
    named = [one if one[:5].lower() != "data:" else "" for one in pictures]
    _put(file, form.head([name for name in named if name]))
    for number, prediction in enumerate(found, start=1):
        name = named[number - 1] if named else ""
        line = printed_line(prediction, _size(name) if name else None)
        _put(file, form.page(number, name, line))
    _put(file, form.tail())


def _put(file: BinaryIO, text: str) -> None:
    file.write(text.encode() + b"\n")


def _check(wanted: OutputColumns, looker: Looker) -> None:
    """Refuse a document of a model that does not read pictures, and columns that it has not."""
    asked = {
        "--nbest": wanted.nbest > 1,
        "--scores": wanted.scores,
        "--alignments": wanted.alignments,
    }
    given = [name for name, is_given in asked.items() if is_given]
    if given:
        raise RecipeError(
            f"{', '.join(given)}: --format {wanted.form} has no place for it; expected text, tsv or"
            " jsonl. Leave one out."
        )
    views = [source.view for source in looker.sources.values()]
    if views != ["picture"] or not looker.attention_names or looker.target.vocabulary is None:
        raise RecipeError(
            f"--format {wanted.form}: is for words of print, but the model reads no pictures or"
            " cannot say where it looks; expected one such as ctc with data.source of kind line."
            " Use text, tsv or jsonl."
        )


def _size(name: str) -> tuple[int, int]:
    """Return the width and height of a picture, turned as the model saw it."""
    height, width = read_photo(Path(name), name, most=LARGEST).shape[:2]
    return width, height
