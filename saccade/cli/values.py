"""Values that need no conversion, so that a quick verb does not wait for what converts the rest.

typer has pydantic convert every value, and importing pydantic takes longer than all else that
typer does. Most values are plain: not given, a default, text, a path, a small number. The others
are left to typer, and so is every complaint; a test holds the two to each other.
"""

import os
from collections.abc import Callable, Mapping
from enum import Enum
from functools import partial
from pathlib import Path
from types import NoneType
from typing import Any, get_args, get_type_hints

_DIGITS = 9  # of a number that is plain


def spare(command: Any, context: Any) -> None:
    """Let typer convert only what is not plain of the values of a verb, or of a group of verbs."""
    hints = get_type_hints(command.callback, include_extras=True) if command.callback else {}
    for parameter in command.get_params(context):
        read = partial(_read, hints.get(parameter.name))
        parameter.process_value = partial(_process, parameter, parameter.process_value, read)


def _process(
    parameter: Any,
    convert: Callable[[Any, Any], Any],
    read: Callable[[Any], Any],
    context: Any,
    value: Any,
) -> Any:
    """Stand in for a parameter's `process_value`, which is the `convert` that is spared."""
    one = parameter.nargs == 1 and not parameter.multiple
    if not one and value is None and not (parameter.required or parameter.callback):
        return () if parameter.multiple or parameter.nargs < 0 else None
    found = read(value) if one else None
    if found is None and (value is not None or parameter.required or not one):
        return convert(context, value)
    return parameter.callback(context, parameter, found) if parameter.callback else found


def _read(hint: Any, value: Any) -> Any:
    """Return a value as what its hint says, if that is plain to see, else None.

    Args:
        hint: `Annotated[int | None, typer.Option(...)]`, say; None if the parameter is typer's own.
        value: the text that was given, or the default.
    """
    declared, about, *_ = (*get_args(hint), None, None)
    kind, *more = [k for k in get_args(declared) or (declared,) if k is not NoneType]
    if more or type(value) is kind is not str:
        return None if more else value
    if not isinstance(value, str) or not value.isprintable():  # half a character is not
        return None
    readers: Mapping[Any, Callable[[str], Any]] = {str: str, Path: _path, int: partial(_int, about)}
    if isinstance(kind, type) and issubclass(kind, Enum):
        return next((member for member in kind if member.value == value), None)
    return readers[kind](value) if kind in readers else None


def _path(text: str) -> Path | None:
    """Return a path that may be read, or that is not there: what is missing is told by the verb."""
    path = Path(text)
    return path if os.access(path, os.R_OK) or not os.path.lexists(path) else None


def _int(about: Any, text: str) -> int | None:
    """Return a whole number that is within its bounds."""
    if not (text.isascii() and text.isdigit() and len(text) <= _DIGITS):
        return None
    low, high = about.min, about.max
    number = int(text)
    return number if (low is None or low <= number) and (high is None or number <= high) else None
