"""Strokes of a pen with their texts, one JSON object a line."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from saccade.errors import DataError, suggest
from saccade.modalities._strokes import as_strokes
from saccade.nouns import Example, pair
from saccade.readers._lines import fingerprint, is_broken, numbered, place
from saccade.readers.base import Reader

_SHOWN = 12  # keys in a message


class Ink(Reader):
    """A UTF-8 file of JSON objects, one a line, plain or `.gz`: a text and how a pen wrote it.

    `{"text": "hi", "strokes": [[[0, 0], [1.5, 2]], [[4, 0], [4, 1]]]}`: strokes are lists of
    points, x to the right and y downwards; what stands behind a point's y, such as the time, is
    not read. They may also be the text of an SVG path. `text` and `strokes` are the keys. With
    `task: write` the source is the text, with `task: read` the strokes. Blank lines are skipped.
    """

    def __init__(
        self,
        root: Path,
        *,
        path: str = "",
        text: str = "text",
        strokes: str = "strokes",
        task: Literal["write", "read"] = "write",
    ) -> None:
        self.path, self.text, self.strokes, self.task = place(root, path), text, strokes, task
        super().__init__(root, self.path)

    def read(self) -> Iterator[Example]:
        """Yield text and strokes of every line."""
        for number, line in numbered(self.path):
            if line.strip():
                where = f"{self.path}:{number}"
                entry = _object(line, where)
                text = _value(entry, self.text, where)
                if not isinstance(text, str):
                    raise DataError(
                        f"{where}: '{self.text}' is {json.dumps(text)[:40]}; expected text. Put it"
                        " in quotes."
                    )
                if is_broken(text):
                    raise DataError(
                        f"{where}: '{self.text}' holds half a character, a lone surrogate escape;"
                        " expected text. Write both halves."
                    )
                drawn = as_strokes(_listed(_value(entry, self.strokes, where), where), where)
                yield pair(text, drawn, where) if self.task == "write" else pair(drawn, text, where)

    def fingerprint(self) -> str:
        """Hash the file and which keys are read."""
        return fingerprint([self.path], "ink", self.text, self.strokes, self.task)


def _object(line: str, where: str) -> dict[str, Any]:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        entry = None
    if not isinstance(entry, dict):
        raise DataError(
            f"{where}: found {line[:40]}; expected an object such as"
            ' {"text": "hi", "strokes": [[[0, 0], [1, 2]]]}. Mend the line.'
        )
    return entry


def _value(entry: dict[str, Any], key: str, where: str) -> Any:
    if key not in entry:
        raise DataError(
            f"{where}: no key '{key}'.{suggest(key, list(entry))} Keys found:"
            f" {', '.join(list(entry)[:_SHOWN]) or 'none'}. Name the right one in the reader's"
            " options."
        )
    return entry[key]


def _listed(found: Any, where: str) -> Any:
    if isinstance(found, list | str):
        return found
    raise DataError(
        f"{where}: found {json.dumps(found)[:40]} for strokes; expected a list of them, each a list"
        " of points. Mend the line."
    )
