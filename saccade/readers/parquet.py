"""Pairs in a Parquet file."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from saccade.errors import DataError
from saccade.nouns import Example
from saccade.readers import _lines
from saccade.readers._arrow import (
    BATCH,
    ArrowFile,
    Sides,
    arrow,
    read_examples,
    readable,
    unbroken,
    unread_columns,
)
from saccade.readers._remote import address
from saccade.readers._table import Table, Unread


class Parquet(Table):
    """A Parquet file, read about a thousand rows at a time; needs the extra `data`.

    Columns have names; `translation.en` is the field `en` of the structure `translation`. Those
    that are not named are found by the usual names, as `source` and `target`, or are the only two
    of text. Whole numbers are read as text, or as the labels that the package `datasets` names. A
    target that is a list of texts has several references. `features` is put behind the source and
    a tab for the tokenizer `featured`.
    """

    def __init__(
        self,
        root: Path,
        *,
        path: str = "",
        source: str = "",
        target: str = "",
        features: str = "",
    ) -> None:
        self.path = address(root, path)
        super().__init__(root, self.path)
        self.sides = Sides(source, target, features)

    def read(self) -> Iterator[Example]:
        """Yield an example for every row; an origin is the file and the row, from 1."""
        with open_parquet(self.path) as opened:
            found = False
            for example in read_examples(opened, self.sides):
                found = True
                yield example
            if not found:
                raise DataError(f"{self.path}: no rows; expected some pairs. Check the path.")

    def count(self) -> int:
        """Return how many rows the file says that it has."""
        with open_parquet(self.path) as opened:
            return opened.n_rows

    def names(self) -> list[str]:
        """Return the columns that can be read."""
        with open_parquet(self.path) as opened:
            return readable(opened.schema)

    def unread(self) -> list[Unread]:
        """List the columns of text that are not read."""
        with open_parquet(self.path) as opened:
            return unread_columns(opened, self.sides)

    def fingerprint(self) -> str:
        """Hash the file and which columns are read."""
        return _lines.fingerprint([self.path], "parquet", self.sides)


@contextmanager
def open_parquet(path: Path) -> Iterator[ArrowFile]:
    """Open a Parquet file, or say what is wrong with it."""
    arrow("parquet")
    with _lines.open_bytes(path, unpack=False) as raw:
        from pyarrow.parquet import ParquetFile  # noqa: PLC0415 - an extra

        with unbroken(path):
            file = ParquetFile(raw, pre_buffer=False)
            schema = file.schema_arrow
            readable(schema)
        yield ArrowFile(
            path,
            schema,
            lambda columns: file.iter_batches(BATCH, columns=columns, use_threads=False),
            file.metadata.num_rows,
        )
