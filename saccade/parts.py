"""How a recipe names a part and how a host builds it: all the magic there is.

A family is a folder with an abstract class in its `base.py`; a part is one file in that folder with
one concrete class. A recipe names the part by its file and gives it options:

    attention: {kind: additive, hidden: 128}        or just        attention: additive

The star rule: what stands left of `*` in a part's constructor comes from the host that builds it,
what stands right of it comes from the recipe and has a default. The signature is the schema.

    def __init__(self, query_dim: int, key_dim: int, *, hidden: int = 128) -> None: ...

A module outside the package is named with its dots (`mylab.cosine`). It is code, so it must be
imported already or its top package be listed in the environment variable SACCADE_PARTS.
"""

import importlib
import inspect
import os
import pkgutil
import sys
import types
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from saccade.errors import RecipeError, suggest

T = TypeVar("T")
_UNIONS = (types.UnionType, Union)  # X | Y, as it is and of what takes arguments
_FOUND: set[tuple[str, str]] = set()  # parts seen before, so that folders are not listed again
_SHOWN = 200  # characters of a value in a message
_MOST_PROBLEMS = 100  # that are looked for: a file of nonsense has one a line


@dataclass(frozen=True)
class Part(Generic[T]):
    """A choice of one part of a family with its options, not yet built."""

    family: type[T]
    kind: str
    options: Mapping[str, Any] = field(default_factory=dict)

    def build(self, *host: object) -> T:
        """Call the part's constructor with what the host knows and what the recipe says."""
        problems: list[str] = []
        checked = check_part(self.family, {"kind": self.kind, **self.options}, self.kind, problems)
        if problems or checked is None:
            raise RecipeError(problems)
        return find(self.family, self.kind)(*host, **checked.options)

    def plain(self) -> dict[str, Any]:
        """Return the choice with every default filled in, as a recipe would write it."""
        defaults = {name: p.default for name, p in schema(find(self.family, self.kind)).items()}
        return {
            "kind": self.kind,
            **{k: plain(v) for k, v in (defaults | dict(self.options)).items()},
        }


def plain(value: Any) -> Any:
    """Turn parts, and lists and dictionaries of them, into what YAML can hold."""
    if isinstance(value, Part):
        return value.plain()
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value


def kinds(family: type[Any]) -> list[str]:
    """List the parts of a family by file name, without importing them."""
    folder = sys.modules[family.__module__.rpartition(".")[0]]
    names = (module.name for module in pkgutil.iter_modules(folder.__path__))
    return sorted(name for name in names if name != "base" and not name.startswith("_"))


def find(family: type[T], kind: str) -> type[T]:
    """Import the module `kind` of a family and return the one concrete class defined in it."""
    package = family.__module__.rpartition(".")[0]
    name = package.rpartition(".")[2]
    if "." in kind:
        module = _outside(kind)
    elif (package, kind) in _FOUND or kind in kinds(family):
        module = importlib.import_module(f"{package}.{kind}")
    else:
        choices = kinds(family)
        raise RecipeError(
            f"{name} has no part '{kind}'.{suggest(kind, choices)} Parts: {', '.join(choices)}."
        )
    found = [
        member
        for member in vars(module).values()
        if inspect.isclass(member) and issubclass(member, family)
        if member.__module__ == module.__name__ and not inspect.isabstract(member)
    ]
    if len(found) != 1:
        raise RecipeError(
            f"module {module.__name__} defines {len(found)} concrete classes of {family.__name__};"
            " a part is exactly one."
        )
    _FOUND.add((package, kind))
    return found[0]


def _outside(kind: str) -> types.ModuleType:
    """Import a module that is not ours, if it is trusted."""
    package = kind.partition(".")[0]
    if not package or not all(word.isidentifier() for word in kind.split(".")):
        raise RecipeError(f"part '{kind}' is not a module; expected a name such as mylab.cosine.")
    trusted = os.environ.get("SACCADE_PARTS", "").split(",")
    if kind not in sys.modules and package not in trusted:
        raise RecipeError(
            f"part '{kind}' is code outside saccade. If you trust it, import it first or set"
            f" SACCADE_PARTS={package}."
        )
    try:
        return importlib.import_module(kind)
    except ModuleNotFoundError as error:
        raise RecipeError(
            f"part '{kind}' cannot be imported: {error}. Install it, or add its folder to"
            " PYTHONPATH."
        ) from None


@dataclass(frozen=True)
class Option:
    """One thing a recipe may say about a part or a section."""

    type: Any
    default: Any


_SCHEMAS: dict[type[Any], Mapping[str, Option]] = {}  # those that were read before


def schema(owner: type[Any]) -> Mapping[str, Option]:
    """Read a part's options off its constructor: the keyword-only parameters.

    >>> from saccade.attention.base import Attention
    >>> sorted(schema(find(Attention, "additive")))
    ['hidden']
    """
    if owner not in _SCHEMAS:
        hints = get_type_hints(owner.__init__)
        _SCHEMAS[owner] = {
            name: Option(hints[name], parameter.default)
            for name, parameter in inspect.signature(owner).parameters.items()
            if parameter.kind is inspect.Parameter.KEYWORD_ONLY
        }
    return _SCHEMAS[owner]


def check_part(family: type[T], raw: Any, path: str, problems: list[str]) -> Part[T] | None:
    """Read one part as a recipe wrote it; add what is wrong with it to `problems`."""
    if isinstance(raw, Part):
        raw = {"kind": raw.kind, **raw.options}
    if isinstance(raw, str):
        raw = {"kind": raw}
    if not isinstance(raw, dict) or not isinstance(raw.get("kind"), str):
        problems.append(
            f"{path}: expected the name of a part, or kind: and options; found {_brief(raw)}."
        )
        return None
    kind, given = raw["kind"], {k: v for k, v in raw.items() if k != "kind"}
    try:
        options = schema(find(family, kind))
    except RecipeError as error:
        problems.extend(f"{path}.kind: {problem}" for problem in error.problems)
        return None
    return Part(family, kind, check_options(options, given, path, kind, problems))


def check_options(
    options: Mapping[str, Option],
    given: Mapping[str, Any],
    path: str,
    owner: str,
    problems: list[str],
) -> dict[str, Any]:
    """Check what a recipe gave against a schema; return the values that are right."""
    checked: dict[str, Any] = {}
    for name, raw in given.items():
        if len(problems) >= _MOST_PROBLEMS:
            break
        where = f"{path}.{name}" if path else str(name)
        if name not in options:
            names = ", ".join(sorted(options)) or "none"
            problems.append(
                f"{where}: {owner} has no option '{name}'.{suggest(str(name), options)}"
                f" Options: {names}."
            )
            continue
        value = _with_kind(options[name].default, raw)
        checked[name] = check_value(options[name].type, value, where, problems)
    return checked


def _with_kind(default: Any, value: Any) -> Any:
    """Let options without `kind:` be those of the part that stands there by default."""
    if isinstance(default, Part) and isinstance(value, dict) and "kind" not in value:
        return {"kind": default.kind, **default.options, **value}
    return value


def check_value(kind: Any, value: Any, path: str, problems: list[str]) -> Any:
    """Check one value against its annotation; an `int` is not `"3"` nor `true`."""
    origin, inner = get_origin(kind), get_args(kind)
    if type(None) in inner and value is not None:
        kind = inner[0]
        origin, inner = get_origin(kind), get_args(kind)
    if origin is Part:
        return check_part(inner[0], value, path, problems)
    if origin is list and isinstance(value, list):
        return [
            check_value(inner[0], v, f"{path}[{i}]", problems)
            for i, v in enumerate(value)
            if len(problems) < _MOST_PROBLEMS
        ]
    if origin is dict and isinstance(value, dict):
        return {str(k): check_value(inner[1], v, f"{path}.{k}", problems) for k, v in value.items()}
    if kind is float and type(value) is int:
        return float(value)
    either = origin in _UNIONS and type(value) in inner  # a column by number or name, or None
    allowed = either or (origin is Literal and value in inner)
    if not allowed and (origin is not None or type(value) is not kind):
        problems.append(
            f"{path}: expected {_describe(kind)}, found {_brief(value)}.{_hint(kind, value)}"
        )
        return None
    return value


def _brief(value: Any) -> str:
    return repr(value)[:_SHOWN]


def _describe(kind: Any) -> str:
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Literal:
        return "one of " + ", ".join(map(str, inner))
    if origin in _UNIONS:
        return " or ".join(map(_describe, inner))
    if origin in (list, dict):
        return f"a {origin.__name__} of {_describe(inner[-1])}"
    words = {int: "a whole number", float: "a number", bool: "true or false", str: "text"}
    return words.get(kind, str(kind))


def _hint(kind: Any, value: Any) -> str:
    """Say what to do: quotes around numbers, `1e-3` that YAML reads as text, near misses."""
    if get_origin(kind) is Literal and isinstance(value, str):
        return suggest(value, [str(choice) for choice in get_args(kind)])
    if kind is float and isinstance(value, str) and _is_number(value):
        return f" YAML reads this as text; write {float(value)}."
    if kind is int and isinstance(value, str) and value.isdigit():
        return " Remove the quotes."
    return ""


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
