"""YAML text with limits: how long it is, how many values it says, how deeply they nest.

Aliases are followed, and every use counts as much as what it stands for, so that a short text
cannot stand for a vast one. All is counted before anything is built.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import yaml

LONGEST = 32 << 20  # characters
MOST_VALUES = 600_000  # such as 200,000 pairs of texts
DEEPEST = 40
_SHORT = 1 << 16  # characters
_NUMBER = 100  # characters of a number or a date
_NUMBERS = ("int", "float", "timestamp")
_ODD = (ValueError, KeyError, IndexError, AttributeError, TypeError, OverflowError, RecursionError)
_PARSER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the one in C is 15 times as fast
_RESOLVER = yaml.resolver.Resolver()


def parse_yaml(text: str) -> Any:
    r"""Read YAML; ValueError says what is wrong with it, with its line.

    >>> parse_yaml("a: &a [1, 2]\nb: *a")
    {'a': [1, 2], 'b': [1, 2]}
    """
    if len(text) > LONGEST:
        raise ValueError(f"{len(text):,} characters; at most {LONGEST:,} are read")
    try:
        _Count().all(text)
        return yaml.load(text, Loader=_PARSER)
    except yaml.YAMLError as error:
        error = reworded(text) or error
        mark = getattr(error, "problem_mark", None)
        line = f"line {mark.line + 1}: " if mark else ""
        problem = getattr(error, "problem", None) or str(error)
        raise ValueError(f"{line}not valid YAML: {problem}") from None
    except _TooMuchError as error:
        raise ValueError(str(error)) from None
    except _ODD as error:  # of a value that says it is a number or a date and is none
        raise ValueError(f"not valid YAML: {str(error) or type(error).__name__}") from None


def count_values(plain: Any) -> int:
    """Count the values of what `parse_yaml` would return.

    >>> count_values({"a": [1, 2]})
    5
    """
    if isinstance(plain, Mapping):
        return 1 + sum(1 + count_values(one) for one in plain.values())
    if isinstance(plain, Sequence) and not isinstance(plain, str):
        return 1 + sum(map(count_values, plain))
    return 1


def reworded(text: str) -> yaml.YAMLError | None:
    """Ask the parser in Python what is wrong: it says so more plainly, but takes its time."""
    try:
        if len(text) <= _SHORT:
            yaml.safe_load(text)
    except yaml.YAMLError as error:
        return error
    return None


class _TooMuchError(Exception):
    """More than the limits allow."""


class _Size:
    """How many values and levels a node has, so far; `name` is what aliases call it."""

    def __init__(self, name: str | None) -> None:
        self.name, self.values, self.levels = name, 1, 1


class _Count:
    """Counts what YAML text says from its events, of which none is kept."""

    def __init__(self) -> None:
        self._open: list[_Size] = []
        self._known = dict[str, _Size]()  # by anchor; those that are not whole yet too

    def all(self, text: str) -> None:
        """Read all events, or refuse."""
        for event in yaml.parse(text, Loader=_PARSER):
            line = event.start_mark.line + 1 if event.start_mark else 0
            if isinstance(event, yaml.CollectionStartEvent):
                self._open.append(self._named(event.anchor))
                self._check(len(self._open), 0, line)
            elif isinstance(event, yaml.CollectionEndEvent):
                self._ended(self._open.pop(), line)
            elif isinstance(event, yaml.AliasEvent):
                self._ended(self._meant(event.anchor, line), line)
            elif isinstance(event, yaml.ScalarEvent):
                _check_number(event, line)
                self._ended(self._named(event.anchor), line)

    def _named(self, anchor: str | None) -> _Size:
        size = _Size(anchor)
        if anchor is not None:
            self._known[anchor] = size
        return size

    def _meant(self, anchor: str | None, line: int) -> _Size:
        if any(one.name == anchor for one in self._open):
            raise _TooMuchError(f"line {line}: *{anchor} stands in what it means; write it out")
        return self._known.get(anchor or "", _Size(None))  # the parser says if there is none

    def _ended(self, size: _Size, line: int) -> None:
        """Add a whole node to the one that it stands in."""
        if self._open:
            above = self._open[-1]
            above.values += size.values
            above.levels = max(above.levels, size.levels + 1)
        self._check(len(self._open) + size.levels, sum(one.values for one in self._open), line)

    def _check(self, levels: int, values: int, line: int) -> None:
        if values > MOST_VALUES:
            raise _TooMuchError(
                f"line {line}: says more than {MOST_VALUES:,} values, what aliases mean counted"
                " too; put data into files of their own"
            )
        if levels > DEEPEST:
            raise _TooMuchError(f"line {line}: nested more than {DEEPEST} levels deep")


def _check_number(event: yaml.ScalarEvent, line: int) -> None:
    """Refuse numbers that take long to read: digits by the thousand, or so many sixtieths."""
    if len(event.value) <= _NUMBER:
        return
    tag = event.tag or _RESOLVER.resolve(yaml.ScalarNode, event.value, event.implicit)  # type: ignore[no-untyped-call]
    if tag.rpartition(":")[2] in _NUMBERS:
        raise _TooMuchError(f"line {line}: a number of {len(event.value):,} characters")
