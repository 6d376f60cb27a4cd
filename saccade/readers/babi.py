"""Stories and questions in the form of the bAbI tasks."""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from saccade.errors import DataError, RecipeError
from saccade.modalities.story import sentences_of, story_of
from saccade.nouns import Example
from saccade.readers._lines import fingerprint, numbered, place
from saccade.readers.base import Reader

STORY, QUESTION = "story", "question"
_FILE = re.compile(r"qa(\d+)_.*_(train|test)\.txt(\.gz)?")
_LONGEST = 10_000  # lines of one story


class Babi(Reader):
    """Files of the bAbI tasks, plain or `.gz`: a story and a question as sources, an answer.

        1 Mary moved to the bathroom.
        2 Where is Mary?<TAB>bathroom<TAB>1

    Weston et al. 2015 (arXiv:1502.05698). The number starts again at 1 with every story; a question
    is asked of all sentences before it. Numbers behind the second tab are the sentences that the
    answer follows from. An answer of several words, `apple,milk`, is one symbol, as in Sukhbaatar
    et al. 2015.

    `path` is a file, or a folder of files `qa1_..._train.txt`, of which `tasks` names some by their
    number; none means all, which is joint training. There is nothing to validate on among the
    tasks: of every training file, `held_out` of the stories are the part `valid`, chosen by `seed`
    and never parted from their questions. Part `test` reads the test files, or the whole of a file.
    """

    def __init__(
        self,
        root: Path,
        *,
        path: str = "",
        tasks: list[int] = [],  # noqa: B006 - only read
        part: Literal["train", "valid", "test"] = "train",
        held_out: float = 0.1,
        seed: int = 1,
        separator: str = ".",
    ) -> None:
        if not 0 <= held_out < 1:
            raise RecipeError(f"babi.held_out: {held_out} is not in [0, 1); 0.1 is usual.")
        if not separator:
            raise RecipeError("babi.separator: is empty; expected what parts sentences, as '.'.")
        self.path, self.tasks, self.part = place(root, path), tasks, part
        self.held_out, self.seed, self.separator = held_out, seed, separator
        super().__init__(root, self.path)

    def read(self) -> Iterator[Example]:
        """Yield an example for every question."""
        for path in self._files():
            chosen = None if self.part == "test" else self._held_out(path)
            for story in stories(path, self.separator):
                if chosen is None or (story.number in chosen) == (self.part == "valid"):
                    yield from story.examples

    def fingerprint(self) -> str:
        """Hash the files and the part."""
        files = self._files()
        which = (self.part, self.held_out, self.seed, [_name(path) for path in files])
        return fingerprint(files, "babi", self.separator, which)

    def _held_out(self, path: Path) -> set[int]:
        """Return the numbers of the stories to validate on."""
        numbers = [story.number for story in stories(path, self.separator)]
        numbers.sort(key=lambda number: _drawn(self.seed, _name(path), number))
        return set(numbers[: round(self.held_out * len(numbers))])

    def _files(self) -> list[Path]:
        if not self.path.is_dir():
            return [self.path]
        wanted = "test" if self.part == "test" else "train"
        found = dict[int, Path]()
        for path in sorted(self.path.iterdir()):
            match = _FILE.fullmatch(path.name)
            if match and match[2] == wanted:
                found[int(match[1])] = path
        lacking = [number for number in self.tasks if number not in found]
        if lacking or not found:
            there = ", ".join(map(str, sorted(found))) or "none"
            asked = f"of task {lacking[0]}" if lacking else "of any task"
            raise DataError(
                f"{self.path}: no {wanted} file {asked}; expected qa1_..._{wanted}.txt or .txt.gz;"
                f" tasks found: {there}. Check the path and tasks."
            )
        return [found[number] for number in self.tasks or sorted(found)]


@dataclass(slots=True)
class Told:
    """One story of a file: its number from 0, and an example for each of its questions."""

    number: int
    examples: list[Example] = field(default_factory=list)


def stories(path: Path, separator: str) -> Iterator[Told]:
    """Read the stories of a file one after the other."""
    told: Told | None = None
    sentences, lines, last = list[str](), dict[int, int](), 0
    for n, line in numbered(path):
        where = f"{path}:{n}"
        if not line.strip():
            continue
        number, text = _numbered(line, where)
        if number == 1:
            if told:
                yield told
            told, sentences, lines, last = Told(told.number + 1 if told else 0), [], {}, 0
        if told is None or number != last + 1 or number > _LONGEST:
            raise DataError(
                f"{where}: line number {number} behind {last or 'nothing'}; expected"
                f" {last + 1 if last < _LONGEST else 1}, or 1 for a new story. Mend the number."
            )
        last = number
        if "\t" in text:
            story = story_of(sentences, separator)
            told.examples.append(_asked(text, story, lines, where))
        else:
            lines[number] = len(sentences)
            sentences.append(_sentence(text, separator, where))
    if told:
        yield told


def _numbered(line: str, where: str) -> tuple[int, str]:
    number, _, text = line.strip(" ").partition(" ")
    if not (number.isascii() and number.isdecimal()) or len(number) > 6 or not text.strip():
        raise DataError(
            f"{where}: found {line[:40]!r}; expected a line number, a space and a sentence or"
            " question. Mend the line."
        )
    return int(number), text.strip(" ")


def _sentence(text: str, separator: str, where: str) -> str:
    if text.endswith("?"):
        raise DataError(
            f"{where}: the question {text[:40]!r} has no tab behind it; expected"
            " question<TAB>answer<TAB>line numbers. Add the answer."
        )
    found = sentences_of(text, separator)
    if len(found) != 1:
        raise DataError(
            f"{where}: {text[:40]!r} is {len(found)} sentences, as {separator!r} parts them;"
            " expected one a line. Mend the line, or change the separator of reader and story."
        )
    return found[0]


def _asked(text: str, story: str, lines: dict[int, int], where: str) -> Example:
    question, answer, *rest = (part.strip() for part in text.split("\t"))
    if not question or not answer or len(rest) > 1:
        raise DataError(
            f"{where}: found {text[:40]!r}; expected question<TAB>answer<TAB>line numbers. Mend"
            " the line."
        )
    if not lines:
        raise DataError(
            f"{where}: the question {question[:40]!r} has no story before it; expected a sentence"
            " or more. Put the story first."
        )
    numbers = rest[0].split() if rest else []
    odd = [one for one in numbers if not one.isdecimal() or len(one) > 6 or int(one) not in lines]
    if odd:
        raise DataError(
            f"{where}: supporting line {odd[0][:20]} is no sentence of this story before the"
            f" question; expected one of {min(lines)} to {max(lines)}. Mend the number."
        )
    supporting = tuple(sorted({lines[int(one)] for one in numbers}))
    return Example({STORY: story, QUESTION: question}, (answer,), where, supporting)


def _name(path: Path) -> str:
    return path.name.removesuffix(".gz")


def _drawn(seed: int, name: str, number: int) -> bytes:
    return hashlib.blake2b(f"{seed} {name} {number}".encode(), digest_size=8).digest()
