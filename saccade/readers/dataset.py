"""Pairs in a folder that `save_to_disk` of the package `datasets` wrote."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from saccade.errors import DataError, suggest
from saccade.nouns import Example
from saccade.readers import _lines
from saccade.readers._arrow import (
    ArrowFile,
    Batch,
    Sides,
    arrow,
    read_examples,
    readable,
    unbroken,
    unread_columns,
)
from saccade.readers._table import Table, Unread

_STATE = "state.json"  # names the files of a data set
_LARGEST = 10_000_000  # bytes of that file


class Dataset(Table):
    """A folder of Arrow files as `save_to_disk` writes it; needs the extra `data`.

    Neither `datasets` nor the network is used. `split` names a split of a folder that has several;
    without it, `train`. Columns are named or found as by `parquet`.
    """

    def __init__(
        self,
        root: Path,
        *,
        path: str = "",
        split: str = "",
        source: str = "",
        target: str = "",
        features: str = "",
    ) -> None:
        self.folder, self.split = _lines.place(root, path), split
        whole = not split and (self.folder / _STATE).exists()
        alone = whole or not self.folder.name or not self.folder.is_dir()
        self.inside = self.folder if alone else self.folder / (split or "train")
        shards = sorted(self.inside.glob("*.arrow")) if self.folder.name else []
        super().__init__(root, *([self.inside / _STATE, *shards] if shards else [self.inside]))
        self.shards = shards
        self.sides = Sides(source, target, features)

    def read(self) -> Iterator[Example]:
        """Yield an example for every row; an origin is the file and the row in it, from 1."""
        self._check()
        found = False
        for shard in self.shards:
            with _opened(shard) as opened:
                for example in read_examples(opened, self.sides):
                    found = True
                    yield example
        if not found:
            raise DataError(f"{self.inside}: no rows; expected some pairs. Check path and split.")

    def names(self) -> list[str]:
        """Return the columns that can be read."""
        self._check()
        with _opened(self.shards[0]) as opened:
            return readable(opened.schema)

    def unread(self) -> list[Unread]:
        """List the columns of text that are not read."""
        self._check()
        with _opened(self.shards[0]) as opened:
            return unread_columns(opened, self.sides)

    def fingerprint(self) -> str:
        """Hash the Arrow files and which columns are read."""
        self._check()
        return _lines.fingerprint(self.shards, "dataset", self.sides)

    def _check(self) -> None:
        """See that the folder is one, that the split is there, and that no file is missing."""
        if not self.folder.name or not self.folder.is_dir():
            raise DataError(
                f"{self.folder}: no such folder; expected one that save_to_disk wrote. Check the"
                " reader's path."
            )
        if not self.inside.is_dir() or not self.shards:
            splits = sorted(one.parent.name for one in self.folder.glob(f"*/{_STATE}"))
            split = self.split or "train"
            raise DataError(
                f"{self.folder}: no data set in it called '{split}'.{suggest(split, splits)} Splits"
                f" found: {', '.join(splits) or 'none'}. Name one as the reader's split, or write"
                " the folder with save_to_disk."
            )
        named = self._state().get("_data_files")
        rows = [one for one in named if isinstance(one, dict)] if isinstance(named, list) else []
        wanted = [str(one["filename"]) for one in rows if "filename" in one]
        there = [shard.name for shard in self.shards]
        missing = [name for name in wanted if name not in there]
        if missing:
            raise DataError(
                f"{self.inside}: {len(missing)} of {len(wanted)} Arrow files are missing, the first"
                f" is {missing[0]}; expected all that {_STATE} names. Copy the folder again."
            )

    def _state(self) -> dict[str, Any]:
        path = self.inside / _STATE
        with _lines.open_bytes(path, unpack=False) as file:
            raw = file.read(_LARGEST)
        try:
            state = json.loads(raw)
        except (ValueError, RecursionError):
            state = None
        if not isinstance(state, dict):
            raise DataError(
                f"{path}: not a JSON object; expected what save_to_disk wrote. Copy the folder"
                " again."
            )
        return state


@contextmanager
def _opened(path: Path) -> Iterator[ArrowFile]:
    lib = arrow("dataset")
    with _lines.open_bytes(path, unpack=False) as raw:
        with unbroken(path):
            stream = lib.ipc.open_stream(raw)
            readable(stream.schema)
        yield ArrowFile(path, stream.schema, lambda _: _checked(stream))


def _checked(stream: Iterator[Batch]) -> Iterator[Batch]:
    """Pass on batches whose offsets lie in their buffers: who follows others reads anything."""
    for batch in stream:
        batch.validate(full=True)
        yield batch
