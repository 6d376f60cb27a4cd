"""What there is to choose from: every family, every part in it, and the options of each."""

import importlib
import inspect
import pkgutil
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any

import saccade
from saccade.errors import RecipeError, suggest
from saccade.parts import Part, find, kinds, schema

_NOT_IN_RECIPES = ("engines", "export")  # chosen when a model is used, not when it is made


@dataclass(frozen=True, slots=True)
class Entry:
    """One part: its name in a recipe, its first docstring line, `option: default` lines."""

    kind: str
    summary: str
    options: tuple[str, ...]


@cache
def families() -> dict[str, type[Any]]:
    """Map the name of each family's folder to its base class.

    >>> families()["attention"].__name__
    'Attention'
    """
    rooms = (m.name for m in pkgutil.iter_modules(saccade.__path__) if m.ispkg)
    names = (name for name in rooms if name not in _NOT_IN_RECIPES)
    found: dict[str, type[Any]] = {}
    for name in sorted(names):
        package = importlib.import_module(f"saccade.{name}")
        if "base" in (m.name for m in pkgutil.iter_modules(package.__path__)):
            base = _base(importlib.import_module(f"saccade.{name}.base"))
            found |= {name: base} if base else {}
    return found


def entries(family: str) -> list[Entry]:
    """Describe every part of a family."""
    known = families()
    if family not in known:
        raise RecipeError(
            f"parts: no family '{family}'.{suggest(family, known)} Families: {', '.join(known)}."
        )
    base = known[family]
    return [_entry(kind, find(base, kind)) for kind in kinds(base)]


def _base(module: ModuleType) -> type[Any] | None:
    """Return the first abstract class defined in a base.py; None if the room is no family."""
    classes = (c for c in vars(module).values() if inspect.isclass(c) and inspect.isabstract(c))
    return next((c for c in classes if c.__module__ == module.__name__), None)


def _entry(kind: str, part: type[Any]) -> Entry:
    lines = (inspect.getdoc(part) or "").splitlines() or [""]
    options = (f"{name}: {_shown(option.default)}" for name, option in schema(part).items())
    return Entry(kind, lines[0], tuple(options))


def _shown(default: Any) -> str:
    if isinstance(default, Part):
        return default.kind
    if isinstance(default, bool):
        return str(default).lower()
    if isinstance(default, list) and any(isinstance(one, Part) for one in default):
        return f"[{', '.join(map(_shown, default))}]"
    return str(default) if default != "" else "''"
