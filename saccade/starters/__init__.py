"""Commented starter recipes, and how one is fitted to a user's own pairs."""

import hashlib
import os
from importlib.resources import files
from pathlib import Path

from saccade.errors import DataError, RecipeError, suggest
from saccade.flow import Example
from saccade.readers.base import Reader
from saccade.train.files import write_text

TASKS = ("translation", "transliteration", "pronunciation", "demo", "dates")
_OWN_DATA = ("demo", "dates")
_SPLITS = ("train", "valid", "test")
_MOST = 1000  # pairs held out for each of valid and test
_FEWEST = 3


def text_of(task: str) -> str:
    """Return the starter recipe of a task as it ships."""
    if task not in TASKS:
        raise RecipeError(
            f"init: no starter '{task}'.{suggest(task, TASKS)} Starters: {', '.join(TASKS)}."
        )
    return (files("saccade.starters") / f"{task}.yaml").read_text(encoding="utf-8")


def data_folder(path: Path) -> Path:
    """Say where the pairs of the recipe at `path` are put."""
    return path.with_name(f"{path.stem}-data")


def write(task: str, path: Path, reader: Reader | None = None) -> dict[str, int]:
    """Write a starter recipe to `path`; return how many pairs of `reader` went where.

    Without a reader the recipe names files that the user is to put there.
    """
    text = text_of(task)
    if path.exists():
        raise RecipeError(f"{path}: exists already. Choose another name with --output.")
    if reader and task in _OWN_DATA:
        raise RecipeError(
            f"init: {task} brings its own pairs; leave out --source, --target, --tsv."
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    folder = data_folder(path)
    counts = _split(list(reader.read()), folder) if reader else {}
    text = text.replace("name: " + task, f"name: {path.stem if reader else task}", 1)
    write_text(path, text.replace("DATA/", f"{_shown(folder)}/"))
    return counts


def _shown(folder: Path) -> str:
    """Write a path with forward slashes, which YAML and every system take."""
    return Path(os.path.normpath(folder)).as_posix()


def _split(examples: list[Example], folder: Path) -> dict[str, int]:
    """Hold out pairs by a hash of their source, so that no source stands in two splits."""
    if folder.exists():
        raise RecipeError(f"{folder}: exists already. Choose another name with --output.")
    by_source: dict[str, list[Example]] = {}
    for example in examples:
        by_source.setdefault(example.source, []).append(example)
    if len(by_source) < _FEWEST:
        raise DataError(
            f"{len(by_source)} different sources; expected {_FEWEST} or more, to have some to learn"
            " from, to validate and to test on. Add pairs."
        )
    order = sorted(by_source, key=_hash)
    n_held = max(1, min(_MOST, len(order) // 20))
    cuts = {"valid": order[:n_held], "test": order[n_held : 2 * n_held]}
    held = {source: split for split, sources in cuts.items() for source in sources}
    rows: dict[str, list[Example]] = {split: [] for split in _SPLITS}
    for example in examples:
        rows[held.get(example.source, "train")].append(example)
    folder.mkdir(parents=True)
    for split, kept in rows.items():
        write_text(folder / f"{split}.source", "".join(f"{e.source}\n" for e in kept))
        write_text(folder / f"{split}.target", "".join(f"{e.target}\n" for e in kept))
    return {"train": len(rows["train"]), "validate": len(rows["valid"]), "test": len(rows["test"])}


def _hash(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=8).digest()
