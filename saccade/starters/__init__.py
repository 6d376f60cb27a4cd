"""Commented starter recipes."""

from functools import cache
from importlib.resources import files
from pathlib import Path

from saccade.errors import RecipeError, suggest
from saccade.train.files import write_text

_ALIASES = {"english_french": "demo"}
_EMBEDDED = "kind: embedded"  # in a starter that brings its own data


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


def write(task: str, path: Path) -> None:
    """Write a starter recipe to `path`; it names files that the user is to put there."""
    text = text_of(task)
    check_new(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, text)


def check_new(path: Path) -> None:
    """Refuse to write over a recipe."""
    if path.exists():
        raise RecipeError(f"{path}: exists already. Choose another name with --output.")


def check_takes_pairs(task: str) -> None:
    """Refuse a user's pairs for a starter that has its own data."""
    if _EMBEDDED in text_of(task):
        raise RecipeError(
            f"init: {task} brings its own pairs; leave out --source, --target and --data."
        )
