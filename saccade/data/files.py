"""The files that a recipe names: which they are, and whether they are there."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from saccade.errors import DataError, RecipeError, suggest
from saccade.nouns import Example
from saccade.parts import Part, find, schema
from saccade.readers._remote import Remote, address, is_there
from saccade.readers._table import Table
from saccade.readers.base import Reader
from saccade.readers.captions import Captions
from saccade.readers.sounds import Sounds
from saccade.recipe import Recipe

Readers = Mapping[str, Part[Reader]]  # by the key that they stand at in the recipe


@dataclass(frozen=True, slots=True)
class NamedFile:
    """A file, the reader that opens it, and the key of the recipe that names it."""

    path: Path
    reader: str
    key: str


def readers_of(recipe: Recipe) -> dict[str, Part[Reader]]:
    """Return every reader of a recipe by its key, as `data.train[1]` or `data.test.flickr`."""
    return {
        **_numbered("data.train", recipe.data.train),
        **{key_of(recipe, split): part for split, part in held_out(recipe).items()},
        **_numbered("decoding.lexicon", recipe.decoding.lexicon),
    }


def readers_to_train(recipe: Recipe) -> dict[str, Part[Reader]]:
    """Return the readers that training opens: all but the test sets behind the first."""
    behind = [key_of(recipe, name) for name in list(recipe.data.test)[1:]]
    return {key: part for key, part in readers_of(recipe).items() if key not in behind}


def held_out(recipe: Recipe) -> dict[str, Part[Reader]]:
    """Return the readers of what is not learned from, by the name of the split."""
    return {"valid": recipe.data.valid, **recipe.data.test}


def key_of(recipe: Recipe, split: str) -> str:
    """Return the key of the recipe that names a split."""
    alone = list(recipe.data.test) == ["test"]  # as `test: {kind: ...}` is read
    return f"data.{split}" if split == "valid" or alone else f"data.test.{split}"


def examples_of(recipe: Recipe, split: str, folder: Path, root: Path = Path()) -> list[Example]:
    """Read the examples of a split of a recipe; `folder`, which it is of, is for messages."""
    readers = held_out(recipe)
    if split not in readers:
        raise RecipeError(f"{folder}: no split '{split}'; there are {', '.join(readers)}.")
    check_files(recipe, {key_of(recipe, split): readers[split]}, root)
    return list(readers[split].build(root).read())


def named_files(readers: Readers, root: Path = Path()) -> list[NamedFile]:
    """List the files of readers, with those of readers inside them."""
    return [file for key, part in readers.items() for file in _files(part, key, root)]


def tables_of(readers: Readers, root: Path = Path()) -> list[Table]:
    """Return the readers of tables, those inside other readers too; each file once."""
    built = [one.build(root) for part in readers.values() for one in _with_inner(part)]
    tables = [reader for reader in built if isinstance(reader, Table)]
    return list({table.paths: table for table in tables}.values())


def captions_of(readers: Readers, root: Path = Path()) -> dict[str, Captions]:
    """Return the readers of pictures with captions, those inside other readers too, by key."""
    return {
        key: reader
        for key, part in readers.items()
        for one in _with_inner(part)
        if isinstance(reader := one.build(root), Captions)
    }


def sounds_of(readers: Readers, root: Path = Path()) -> dict[str, Sounds]:
    """Return the readers of recordings, those inside other readers too, by key."""
    return {
        key: reader
        for key, part in readers.items()
        for one in _with_inner(part)
        if isinstance(reader := one.build(root), Sounds)
    }


def skipped_files(readers: Readers, root: Path = Path()) -> list[str]:
    """Say which pictures and sounds are left out: missing, empty or broken, a line each."""
    pictures = {key: reader.skipped() for key, reader in captions_of(readers, root).items()}
    said = pictures | {key: one.skipped() for key, one in sounds_of(readers, root).items()}
    return [f"Warning: {key}: {text}" for key, text in said.items() if text]


def missing_files(readers: Readers, root: Path = Path()) -> list[str]:
    """Say which files are not there, a line each, with the readers and keys that want them."""
    wanted: dict[Path, list[NamedFile]] = {}
    for file in named_files(readers, root):
        if not file.path.name or not is_there(file.path):
            wanted.setdefault(file.path, []).append(file)
    return [_missing(path, files) for path, files in wanted.items()]


def check_files(recipe: Recipe, readers: Readers, root: Path = Path()) -> None:
    """Refuse to begin where files are missing: name all of them, and how to get them."""
    missing = missing_files(readers, root)
    if missing:
        it = "it" if len(missing) == 1 else "them"
        usual = "check the recipe; relative paths start where you run saccade."
        raise DataError("\n".join([*missing, f"To get {it}: {recipe.data.obtain or usual}"]))


def _numbered(key: str, parts: list[Part[Reader]]) -> dict[str, Part[Reader]]:
    many = len(parts) > 1
    return {f"{key}[{i}]" if many else key: part for i, part in enumerate(parts)}


def _with_inner(part: Part[Reader]) -> Iterator[Part[Reader]]:
    yield part
    for value in part.options.values():
        for _, inner in _inner(value):
            yield from _with_inner(inner)


def _files(part: Part[Reader], key: str, root: Path) -> Iterator[NamedFile]:
    known = schema(find(Reader, part.kind))
    options = {name: option.default for name, option in known.items()} | dict(part.options)
    inside = [
        file
        for name, value in options.items()
        for at, inner in _inner(value)
        for file in _files(inner, f"{key}.{name}{at}", root)
    ]
    yield from inside
    for path in part.build(root).paths:
        if path not in [file.path for file in inside]:
            names = [n for n, v in options.items() if path in _named(v, root)]
            yield NamedFile(path, part.kind, ".".join([key, *names[:1]]))


def _named(value: Any, root: Path) -> list[Path]:
    """Return the paths that an option may name: a text, or a list of texts."""
    several = (value or [""]) if isinstance(value, list) else [value]
    return [address(root, one) for one in several if isinstance(one, str)]


def _inner(value: Any) -> list[tuple[str, Part[Reader]]]:
    """Return the readers that an option holds, with their place in its list."""
    if isinstance(value, list):
        return [(f"[{i}]", one) for i, one in enumerate(value) if _is_reader(one)]
    return [("", value)] if _is_reader(value) else []


def _is_reader(value: Any) -> bool:
    return isinstance(value, Part) and value.family is Reader


def _missing(path: Path, files: list[NamedFile]) -> str:
    kinds = " and ".join(dict.fromkeys(file.reader for file in files))
    keys = ", ".join(file.key for file in files)
    if not path.name:
        return f"{keys}: no file is named; expected one for reader {kinds}. Write its path there."
    return f"{path}: no such file; reader {kinds} needs it ({keys}).{_near(path)}"


def _near(path: Path) -> str:
    if isinstance(path, Remote):
        return ""
    folder = path.parent
    return suggest(path.name, [one.name for one in folder.iterdir()] if folder.is_dir() else [])
