"""A text cut into blocks of equal length, for language models."""

from collections.abc import Iterator
from pathlib import Path

from saccade.errors import DataError, RecipeError
from saccade.nouns import Example, pair
from saccade.readers._lines import fingerprint, place, read_lines
from saccade.readers.base import Reader


class Blocks(Reader):
    """A UTF-8 file, plain or `.gz`, as blocks of `size` characters; there is no source.

    Ends of lines are characters, always a line feed. `first` and `last` are shares of the whole
    text: 0.9 and 0.95 are the twentieth behind the first nine tenths. The last block may be
    shorter. Keep `strip` out of data.target.normalise, or blocks lose their edges.
    """

    def __init__(
        self, root: Path, *, path: str = "", size: int = 256, first: float = 0.0, last: float = 1.0
    ) -> None:
        self.path, self.size, self.shares = place(root, path), size, (first, last)
        super().__init__(root, self.path)
        if size < 1:
            raise RecipeError(f"blocks.size: {size} is below 1; it is a number of characters.")
        if not 0 <= first < last <= 1:
            raise RecipeError(
                f"blocks: first {first:g} and last {last:g} are shares of the text; expected"
                " 0 <= first < last <= 1."
            )

    def read(self) -> Iterator[Example]:
        """Yield the blocks in order; an origin is the block's number, from 1."""
        text = "\n".join(read_lines(self.path))
        begin, end = (round(share * len(text)) for share in self.shares)
        if begin == end:
            raise DataError(
                f"{self.path}: its {len(text)} characters leave none between first"
                f" {self.shares[0]:g} and last {self.shares[1]:g}; expected some text. Check the"
                " path, or widen the shares."
            )
        for number, start in enumerate(range(begin, end, self.size), start=1):
            block = text[start : min(start + self.size, end)]
            yield pair("", block, f"{self.path}, block:{number}")

    def fingerprint(self) -> str:
        """Hash the file, the size and the shares."""
        return fingerprint([self.path], "blocks", self.size, self.shares)
