"""Commented starter recipes, and how one is fitted to a user's own pairs."""

from functools import cache
from importlib.resources import files
from pathlib import Path

from saccade.errors import DataError, RecipeError, suggest
from saccade.parts import Part
from saccade.readers.base import Reader
from saccade.readers.split import share
from saccade.train.files import write_text

_ALIASES = {"english_french": "demo"}
_EMBEDDED = "kind: embedded"  # in a starter that brings its own data
_SPLITS = ("train", "valid", "test")
_MOST = 1000  # pairs held out for each of valid and test


@cache
def tasks() -> tuple[str, ...]:
    """List the starters: the recipes of this folder."""
    found = (Path(entry.name) for entry in files("saccade.starters").iterdir())
    return tuple(sorted(path.stem for path in found if path.suffix == ".yaml"))


@cache
def demos() -> tuple[str, ...]:
    """List the starters that bring their own data."""
    own = [task for task in tasks() if _EMBEDDED in text_of(task)]
    names = {name: alias for alias, name in _ALIASES.items()}
    return tuple(sorted(names.get(task, task) for task in own))


def demo_named(task: str) -> str:
    """Return the starter that a demonstration is called by."""
    if task not in demos():
        raise RecipeError(
            f"demo: no task '{task}'.{suggest(task, demos())} Tasks: {', '.join(demos())}."
        )
    return _ALIASES.get(task, task)


def text_of(task: str) -> str:
    """Return the starter recipe of a task as it ships."""
    if task not in tasks():
        raise RecipeError(
            f"init: no starter '{task}'.{suggest(task, tasks())} Starters: {', '.join(tasks())}."
        )
    return (files("saccade.starters") / f"{task}.yaml").read_text(encoding="utf-8")


def write(task: str, path: Path, pairs: Part[Reader] | None = None) -> dict[str, int]:
    """Write a starter recipe to `path`; return how many of `pairs` go to which part.

    Without pairs the recipe names files that the user is to put there.
    """
    text = text_of(task)
    if path.exists():
        raise RecipeError(f"{path}: exists already. Choose another name with --output.")
    counts: dict[str, int] = {}
    if pairs:
        if task == "language":
            raise RecipeError(
                "init: a language model reads one text and no pairs; leave out --source, --target"
                " and --tsv, and name your text in the recipe."
            )
        if _EMBEDDED in text:
            raise RecipeError(
                f"init: {task} brings its own pairs; leave out --source, --target and --tsv."
            )
        held, counts = _shares([share(e.source) for e in pairs.build(Path()).read()])
        text = _fitted(text, pairs, held).replace(f"name: {task}", f"name: {path.stem}", 1)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, text)
    return counts


def _shares(places: list[float]) -> tuple[float, dict[str, int]]:
    """Choose how much to hold out: 1 to 5 in a hundred, more of few, so that no part is empty."""
    usual = round(min(0.05, max(_MOST / max(len(places), 1), 0.001)), 3)
    for held in (usual, 0.1, 0.2, 0.3):
        test = sum(u < held for u in places)
        valid = sum(held <= u < 2 * held for u in places)
        counts = {"train": len(places) - valid - test, "valid": valid, "test": test}
        if all(counts.values()):
            return held, counts
    raise DataError(
        f"init: {len(places)} pairs are too few to hold some out to validate and to test on;"
        " expected ten or more with different sources. Add pairs."
    )


def _fitted(text: str, pairs: Part[Reader], held: float) -> str:
    """Put the user's pairs where the starter names files."""
    options = ", ".join(f"{name}: {_quoted(value)}" for name, value in pairs.options.items())
    corpus = f"{{kind: {pairs.kind}, {options}}}"
    lines = text.splitlines()
    for i, line in enumerate(lines):
        name = line.strip().partition(":")[0]
        if line.startswith("  ") and name in _SPLITS:
            shares = f"valid: {held:g}, test: {held:g}"
            lines[i] = f"  {name}: {{kind: split, part: {name}, {shares}, corpus: {corpus}}}"
    return "\n".join(lines) + "\n"


def _quoted(value: object) -> str:
    return "'" + str(value).replace("'", "''") + "'"
