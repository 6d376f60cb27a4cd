"""Pairs in one file, a JSON object a line."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from saccade.errors import DataError, suggest
from saccade.nouns import Example, pair
from saccade.readers._lines import fingerprint, numbered, place
from saccade.readers.base import Reader


class Jsonl(Reader):
    """A UTF-8 file of JSON objects, one a line, plain or `.gz`. Blank lines are skipped."""

    def __init__(
        self, root: Path, *, path: str = "", source: str = "source", target: str = "target"
    ) -> None:
        self.path = place(root, path)
        super().__init__(root, self.path)
        self.source, self.target = source, target

    def read(self) -> Iterator[Example]:
        """Yield a pair for every object."""
        for number, line in numbered(self.path):
            if line.strip():
                where = f"{self.path}:{number}"
                entry = _object(line, where)
                source = _text(entry, self.source, where)
                yield pair(source, _text(entry, self.target, where), where)

    def fingerprint(self) -> str:
        """Hash the file and which keys are read."""
        return fingerprint([self.path], "jsonl", self.source, self.target)


def _object(line: str, where: str) -> dict[str, Any]:
    try:
        entry = json.loads(line)
    except json.JSONDecodeError as error:
        raise DataError(
            f"{where}: not JSON at character {error.pos + 1} ({error.msg}); expected one object"
            " a line. Mend the line."
        ) from None
    if not isinstance(entry, dict):
        raise DataError(
            f"{where}: found {line[:40]}; expected an object such as"
            ' {"source": "...", "target": "..."}. Mend the line.'
        )
    return entry


def _text(entry: dict[str, Any], key: str, where: str) -> str:
    if key not in entry:
        raise DataError(
            f"{where}: no key '{key}'.{suggest(key, entry)} Keys found:"
            f" {', '.join(entry) or 'none'}. Name the right one in the reader's options."
        )
    if not isinstance(entry[key], str):
        raise DataError(
            f"{where}: '{key}' is {json.dumps(entry[key])[:40]}; expected text. Put it in quotes."
        )
    text = str(entry[key])
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise DataError(
            f"{where}: '{key}' holds half a character, a lone surrogate escape; expected text."
            " Write both halves, or the character itself."
        )
    return text
