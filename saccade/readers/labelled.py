"""Texts with a label before them, in one file."""

from collections.abc import Iterator
from pathlib import Path

from saccade.errors import DataError, RecipeError
from saccade.intake.numbers import whole
from saccade.nouns import Example, pair
from saccade.readers._lines import fingerprint, numbered, place
from saccade.readers.base import Reader


class Labelled(Reader):
    """A UTF-8 file, plain or `.gz`, with `LABEL text` on a line; the text is the source.

    The first space or tab ends the label. With `names`, labels are numbers and n is called
    `names[n]`. Lines with nothing on them are skipped.
    """

    def __init__(self, root: Path, *, path: str = "", names: list[str] = []) -> None:  # noqa: B006 - only read
        self.path, self.names = place(root, path), names
        super().__init__(root, self.path)
        if len(set(names)) < len(names):
            raise RecipeError(f"labelled.names: {names} names two labels alike; give each its own.")

    def read(self) -> Iterator[Example]:
        """Yield text and label of every line."""
        for number, line in numbered(self.path):
            if line.strip():
                label, *text = line.split(maxsplit=1)
                where = f"{self.path}:{number}"
                yield pair("".join(text), self._name(label, where), where)

    def fingerprint(self) -> str:
        """Hash the file and the names."""
        return fingerprint([self.path], "labelled", self.names)

    def _name(self, label: str, where: str) -> str:
        if not self.names:
            return label
        number = whole(label)
        if number is None or number >= len(self.names):
            raise DataError(
                f"{where}: the label is '{label[:40]}'; expected a number from 0 to"
                f" {len(self.names) - 1}, as {len(self.names)} are named. Mend the line or the"
                " reader's names."
            )
        return self.names[number]
