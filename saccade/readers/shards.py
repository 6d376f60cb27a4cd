"""Pairs in many files: a corpus in shards, read one file after the other."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

from saccade.errors import RecipeError
from saccade.nouns import Example
from saccade.readers._remote import address, matching
from saccade.readers._table import Table, Unread
from saccade.readers.base import Reader
from saccade.readers.jsonl import Jsonl
from saccade.readers.parquet import Parquet
from saccade.readers.text import Text
from saccade.readers.tsv import Tsv


class Shards(Table):
    """The files of some patterns, as `data/*.jsonl.gz`, in the order of the patterns and names.

    The ending of a file says how it is read: `.jsonl`, `.json`, `.tsv`, plain or `.gz`, and
    `.parquet`. `source`, `target` and `features` are keys or columns, as in those readers, for TSV
    their numbers. Other endings are lines of text; `targets` are then the patterns of the files
    that hold the other side, as many and in the same order.
    """

    def __init__(
        self,
        root: Path,
        *,
        paths: list[str] = [],  # noqa: B006 - only read
        targets: list[str] = [],  # noqa: B006 - only read
        source: str = "",
        target: str = "",
        features: str = "",
    ) -> None:
        files, beside = _found(root, paths), _found(root, targets)
        super().__init__(root, *(files or [Path()]), *beside)
        self._named = {"source": source, "target": target, "features": features}
        self._targets = beside
        if targets and len(files) != len(beside):
            raise RecipeError(
                f"shards: {len(files)} files of sources ({', '.join(paths)}) but {len(beside)} of"
                f" targets ({', '.join(targets)}); expected one for each. Change the patterns."
            )
        self.readers = [self._reader(i, file) for i, file in enumerate(files)]

    def read(self) -> Iterator[Example]:
        """Yield the pairs of all files; one file is open at a time."""
        for reader in self.readers:
            yield from reader.read()

    def unread(self) -> list[Unread]:
        """List the columns of the first file that are not read."""
        return [
            one
            for reader in self.readers[:1]
            if isinstance(reader, Table)
            for one in reader.unread()
        ]

    def fingerprint(self) -> str:
        """Hash all files, and what is read of them."""
        text = " ".join(["shards", *(reader.fingerprint() for reader in self.readers)])
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()

    def _reader(self, i: int, file: Path) -> Reader:
        ending, name = Path(file.name.lower().removesuffix(".gz")).suffix, str(file)
        given = {side: column for side, column in self._named.items() if column}
        if self._targets:
            if given:
                raise RecipeError(
                    f"shards: {', '.join(given)} beside targets; expected columns of tables, or"
                    " files of lines. Leave one out."
                )
            return Text(Path(), source=name, target=str(self._targets[i]))
        if ending == ".parquet":
            return Parquet(Path(), path=name, **self._named)
        if ending in (".jsonl", ".json"):
            keys = self._named
            return Jsonl(
                Path(),
                path=name,
                source=keys["source"],
                target=keys["target"],
                features=keys["features"],
            )
        if ending == ".tsv":
            odd = [f"{side} {column!r}" for side, column in given.items() if not column.isdecimal()]
            if odd:
                raise RecipeError(
                    f"shards: {file} is TSV, whose columns have numbers, but {odd[0]} is none;"
                    " expected one from 1, in quotes. Change it."
                )
            return Tsv(Path(), path=name, **{side: int(n) for side, n in given.items()})
        raise RecipeError(
            f"shards: {file} ends in '{ending}'; expected .jsonl, .json, .tsv or .parquet, or lines"
            " of text with the files of the other side in targets. Name these."
        )


def _found(root: Path, patterns: list[str]) -> list[Path]:
    """List the files of patterns; a pattern that fits none stays, to be named as missing."""
    return [
        file
        for pattern in patterns
        for file in matching(address(root, pattern)) or [address(root, pattern)]
    ]
