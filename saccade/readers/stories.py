"""A user's own stories: JSON objects or rows of columns with a story, a question, an answer."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from saccade.errors import DataError, RecipeError
from saccade.modalities.story import sentences_of, story_of
from saccade.nouns import Example
from saccade.readers._lines import fingerprint, is_broken, numbered, place
from saccade.readers.babi import QUESTION, STORY
from saccade.readers.base import Reader

_KEYS = ("story", "question", "answer")
_EXPECTED = '{"story": ["...", "..."], "question": "...", "answer": "..."}'


class Stories(Reader):
    """A UTF-8 file, plain or `.gz`, with a question on every line.

        {"story": ["Ida went home.", "Ben slept."], "question": "Where is Ida?", "answer": "home"}
        Ida went home. Ben slept.<TAB>Where is Ida?<TAB>home

    A file called `.jsonl` holds JSON objects, any other columns between tabs. A story is a list of
    sentences, or a text that `separator` parts. `supporting`, or a fourth column, may number the
    sentences, from 1, that the answer follows from. The answer is one symbol, however many words it
    has. Lines with nothing on them are skipped. `data.sources.story` needs the same separator.
    """

    def __init__(self, root: Path, *, path: str = "", separator: str = ".") -> None:
        if not separator:
            raise RecipeError("stories.separator: is empty; expected what parts sentences, as '.'.")
        self.path, self.separator = place(root, path), separator
        super().__init__(root, self.path)

    def read(self) -> Iterator[Example]:
        """Yield an example for every line."""
        objects = ".jsonl" in self.path.suffixes
        for number, line in numbered(self.path):
            if line.strip():
                where = f"{self.path}:{number}"
                row = _object(line, where) if objects else _columns(line, where)
                yield self._example(row, where)

    def fingerprint(self) -> str:
        """Hash the file and how stories are parted."""
        return fingerprint([self.path], "stories", self.separator)

    def _example(self, row: dict[str, Any], where: str) -> Example:
        told = row["story"]
        given = [told] if isinstance(told, str) else told
        if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
            raise DataError(
                f"{where}: the story is {json.dumps(told)[:40]}; expected a text or a list of"
                " sentences. Mend the line."
            )
        if any(map(is_broken, given)):
            raise DataError(
                f"{where}: the story holds half a character, a lone surrogate escape; expected"
                " text. Write both halves, or the character itself."
            )
        sentences = [part for one in given for part in sentences_of(one, self.separator)]
        if not sentences:
            raise DataError(
                f"{where}: the story has no sentences; expected one or more, parted by"
                f" {self.separator!r}. Mend the line."
            )
        if not isinstance(told, str) and len(sentences) != len(given):
            raise DataError(
                f"{where}: {len(given)} sentences hold {self.separator!r} inside and would be"
                f" {len(sentences)}; expected one sentence each. Choose another separator for the"
                " reader and data.sources.story, such as a line feed."
            )
        question, answer = (_text(row[key], key, where) for key in ("question", "answer"))
        supporting = _supporting(row.get("supporting") or (), len(sentences), where)
        story = story_of(sentences, self.separator)
        return Example({STORY: story, QUESTION: question}, (answer,), where, supporting)


def _object(line: str, where: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        row = None
    lacking = [key for key in _KEYS if not isinstance(row, dict) or key not in row]
    if lacking:
        raise DataError(
            f"{where}: found {line[:40]!r} without '{lacking[0]}'; expected {_EXPECTED}. Mend the"
            " line."
        )
    found: dict[str, Any] = row
    return found


def _columns(line: str, where: str) -> dict[str, Any]:
    columns = line.split("\t")
    if not 3 <= len(columns) <= 4:
        raise DataError(
            f"{where}: has {len(columns)} columns; expected story<TAB>question<TAB>answer and, if"
            " known, the numbers of supporting sentences. Mend the line."
        )
    row: dict[str, Any] = dict(zip(_KEYS, columns, strict=False))
    return {**row, "supporting": columns[3].split() if len(columns) > 3 else []}


def _text(found: Any, key: str, where: str) -> str:
    if not isinstance(found, str) or not found.strip():
        raise DataError(
            f"{where}: the {key} is {json.dumps(found)[:40]}; expected text. Mend the line."
        )
    if is_broken(found):
        raise DataError(
            f"{where}: the {key} holds half a character, a lone surrogate escape; expected text."
            " Write both halves, or the character itself."
        )
    return found.strip()


def _supporting(numbers: Any, n_sentences: int, where: str) -> tuple[int, ...]:
    listed: Sequence[Any] = numbers if isinstance(numbers, list | tuple) else [numbers]
    found = {int(one) if str(one).isdecimal() and len(str(one)) < 7 else 0 for one in listed}
    if any(not 1 <= number <= n_sentences for number in found):
        raise DataError(
            f"{where}: supporting sentences {json.dumps(listed)[:40]}; expected numbers from 1 to"
            f" {n_sentences}, the sentences of the story. Mend the line."
        )
    return tuple(sorted(number - 1 for number in found))
