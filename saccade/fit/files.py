"""Which reader suits each of a user's files, and which of them are held out."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from saccade.errors import DataError, RecipeError
from saccade.intake.numbers import whole
from saccade.readers._lines import read_lines
from saccade.readers._names import looks_like_header

Reading = dict[str, Any]  # a reader as a recipe names it

_LOOKED = 50  # first lines of a file
_KINDS = {
    ".csv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".parquet": "parquet",
    ".tsv": "tsv",
    ".tab": "tsv",
}
_SPLIT_NAMES = {
    "train": re.compile(r"(^|[^a-z])(train|training)([^a-z]|$)"),
    "valid": re.compile(r"(^|[^a-z])(dev|val|valid|validation)([^a-z]|$)"),
    "test": re.compile(r"(^|[^a-z])test([^a-z]|$)"),
}
_FOLDER_SPLITS = {"valid": ("validation", "valid", "dev"), "test": ("test",)}


@dataclass(frozen=True, slots=True)
class ColumnNames:
    """Which columns, keys or numbers from 1, hold the sides; empty ones are found."""

    source: str = ""
    target: str = ""
    features: str = ""

    @property
    def named(self) -> dict[str, int | str]:
        """Those that were given; numbers are numbers."""
        given = {"source": self.source, "target": self.target, "features": self.features}
        numbers = {side: whole(name) for side, name in given.items()}
        return {side: numbers[side] or name for side, name in given.items() if name}


@dataclass(frozen=True, slots=True)
class UserData:
    """A user's data: the readers to train on, and those held out, if files for them were given."""

    train: list[Reading]
    valid: Reading | None = None
    test: Reading | None = None
    paths: tuple[Path, ...] = field(default=(), compare=False)

    @property
    def has_source(self) -> bool:
        """Whether there are pairs; a text alone has no sources."""
        return bool(self.train[0]["kind"] != "blocks")


def find_corpus(
    paths: Sequence[Path],
    valid: Sequence[Path] = (),
    test: Sequence[Path] = (),
    columns: ColumnNames = ColumnNames(),
) -> UserData:
    """Choose readers for files.

    One file of pairs (TSV, CSV, JSONL, Parquet), a folder that `save_to_disk` of `datasets` wrote,
    two plain files whose lines match, or one plain text without sources. Among several files of
    pairs, those with train, dev, valid or test in their names are what their names say.

    Args:
        paths: the user's files.
        valid: a file, or two plain ones, to validate on.
        test: the same, to test on.
        columns: which columns hold what.
    """
    if not paths:
        raise RecipeError("fit: no data; expected a file of pairs, or two files whose lines match.")
    for path in (*paths, *valid, *test):
        if not path.exists():
            raise DataError(
                f"{path}: no such file; expected pairs. Check the path; relative paths start where"
                " you run saccade."
            )
    groups = _by_split(paths)
    held = {"valid": list(valid) or groups["valid"], "test": list(test) or groups["test"]}
    train = _readings(groups["train"], columns)
    found = {
        split: _only(_readings(files, columns), split) if files else None
        for split, files in held.items()
    }
    folder = groups["train"][0]
    if folder.is_dir():
        found = {split: found[split] or _split_of(folder, train[0], split) for split in found}
    return UserData(train, found["valid"], found["test"], (*paths, *valid, *test))


def _by_split(paths: Sequence[Path]) -> dict[str, list[Path]]:
    """Sort files by what their names say; without a file to train on, all are for training."""
    groups: dict[str, list[Path]] = {"train": [], "valid": [], "test": []}
    for path in paths:
        name = path.name.lower()
        split = next((s for s, p in _SPLIT_NAMES.items() if p.search(name)), "train")
        groups[split].append(path)
    return groups if groups["train"] else {"train": list(paths), "valid": [], "test": []}


def _readings(paths: Sequence[Path], columns: ColumnNames) -> list[Reading]:
    kinds = [_kind(path) for path in paths]
    if kinds == ["plain", "plain"]:
        if columns.named:
            raise RecipeError(
                f"fit: {paths[0]} and {paths[1]} are two plain files and have no columns; leave out"
                " --source, --target and --features."
            )
        return [{"kind": "text", "source": str(paths[0]), "target": str(paths[1])}]
    if kinds == ["plain"]:
        return [{"kind": "blocks", "path": str(paths[0])}]
    if "plain" in kinds:
        odd = paths[kinds.index("plain")]
        raise DataError(
            f"{odd}: plain text without tabs beside other files; expected two plain files whose"
            " lines match, or files of pairs (TSV, CSV, JSONL, Parquet)."
        )
    return [_table(path, kind, columns) for path, kind in zip(paths, kinds, strict=True)]


def _kind(path: Path) -> str:
    if path.is_dir():
        return "dataset"
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() != ".gz"]
    known = _KINDS.get(suffixes[-1] if suffixes else "")
    if known:
        return known
    lines = [line for line in islice(read_lines(path), _LOOKED) if line.strip()]
    return "tsv" if lines and all("\t" in line for line in lines) else "plain"


def _table(path: Path, kind: str, columns: ColumnNames) -> Reading:
    named: dict[str, int | str] = columns.named
    if kind == "tsv" and _has_header(path, named):
        return {"kind": "csv", "path": str(path), "delimiter": "tab", "quote": "none", **named}
    if kind == "tsv" and any(isinstance(name, str) for name in named.values()):
        raise DataError(
            f"{path}: no column is called {', '.join(map(str, named.values()))}: its first line is"
            " no header. Give the columns by number, from 1."
        )
    if kind in ("jsonl", "parquet", "dataset"):
        named = {side: str(name) for side, name in named.items()}
    return {"kind": kind, "path": str(path), **named}


def _has_header(path: Path, named: dict[str, int | str]) -> bool:
    first = next((line for line in read_lines(path) if line.strip()), "").split("\t")
    names = [name for name in named.values() if isinstance(name, str)]
    return looks_like_header(first) or (bool(names) and all(name in first for name in names))


def _only(readings: list[Reading], split: str) -> Reading:
    if len(readings) > 1:
        raise RecipeError(
            f"fit: {len(readings)} files to {'validate' if split == 'valid' else 'test'} on;"
            " expected one, or two plain ones whose lines match. Put them into one file."
        )
    return readings[0]


def _split_of(folder: Path, train: Reading, split: str) -> Reading | None:
    names = [name for name in _FOLDER_SPLITS[split] if (folder / name).is_dir()]
    return {**train, "split": names[0]} if names else None
