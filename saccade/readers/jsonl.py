"""Pairs in one file, a JSON object a line."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from saccade.errors import DataError, suggest
from saccade.nouns import SOURCE_NAME, Example
from saccade.readers._lines import fingerprint, numbered, place
from saccade.readers.base import Reader


class Jsonl(Reader):
    """A UTF-8 file of JSON objects, one a line, plain or `.gz`. Blank lines are skipped.

    `source` and `target` are keys. A target that is a list of texts has several references:
    `{"source": "a", "target": ["b", "c"]}`. `sources` names several sources and the key of each,
    in the place of `source`: `{text: question, image: path}`.
    """

    def __init__(
        self,
        root: Path,
        *,
        path: str = "",
        source: str = "source",
        target: str = "target",
        sources: dict[str, str] = {},  # noqa: B006 - only read
    ) -> None:
        self.path = place(root, path)
        super().__init__(root, self.path)
        self.sources, self.target = sources or {SOURCE_NAME: source}, target

    def read(self) -> Iterator[Example]:
        """Yield an example for every object."""
        for number, line in numbered(self.path):
            if line.strip():
                where = f"{self.path}:{number}"
                entry = _object(line, where)
                sources = {name: _text(entry, key, where) for name, key in self.sources.items()}
                yield Example(sources, _references(entry, self.target, where), where)

    def fingerprint(self) -> str:
        """Hash the file and which keys are read."""
        return fingerprint([self.path], "jsonl", self.sources, self.target)


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


def _references(entry: dict[str, Any], key: str, where: str) -> tuple[str, ...]:
    """Return the text of a key, or all texts of a list."""
    found = _value(entry, key, where)
    if not isinstance(found, list):
        return (_checked(found, key, where),)
    if not found:
        raise DataError(
            f"{where}: '{key}' is an empty list; expected at least one text. Mend the line."
        )
    return tuple(_checked(one, key, where) for one in found)


def _text(entry: dict[str, Any], key: str, where: str) -> str:
    return _checked(_value(entry, key, where), key, where)


def _value(entry: dict[str, Any], key: str, where: str) -> Any:
    if key not in entry:
        raise DataError(
            f"{where}: no key '{key}'.{suggest(key, entry)} Keys found:"
            f" {', '.join(entry) or 'none'}. Name the right one in the reader's options."
        )
    return entry[key]


def _checked(text: Any, key: str, where: str) -> str:
    if not isinstance(text, str):
        raise DataError(
            f"{where}: '{key}' is {json.dumps(text)[:40]}; expected text. Put it in quotes."
        )
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise DataError(
            f"{where}: '{key}' holds half a character, a lone surrogate escape; expected text."
            " Write both halves, or the character itself."
        )
    return text
