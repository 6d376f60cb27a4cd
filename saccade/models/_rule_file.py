"""Reading a file of rules: YAML with limits, whose errors name file and line.

No aliases, no tags, no duplicate keys, no more than so many bytes and values. What comes out are
dictionaries, lists and text, and the line of every value.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from saccade.errors import RecipeError
from saccade.intake.yaml_text import reworded

_LARGEST = 8 << 20  # bytes
_MOST = 500_000  # values
_DEEPEST = 8
_PARSER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the one in C is 15 times as fast

Trail = tuple[str | int, ...]  # keys and places from the top of a file to a value


class RuleFile:
    """What a file of rules says, and where it says it."""

    def __init__(self, plain: Mapping[str, Any], name: str, lines: Mapping[Trail, int]) -> None:
        self.plain, self.name, self._lines = plain, name, lines

    def at(self, *trail: str | int) -> str:
        """Say where a value stands, as well as is known."""
        found = next(
            (self._lines[trail[:n]] for n in range(len(trail), 0, -1) if trail[:n] in self._lines),
            None,
        )
        within = ".".join(map(str, trail))
        return f"{self.name}, line {found}: {within}" if found else f"{self.name}: {within}"

    def error(self, trail: Trail, told: str) -> RecipeError:
        """Make an error that says where."""
        return RecipeError(f"{self.at(*trail)}: {told}")


def read_rules(path: Path) -> RuleFile:
    """Read a file of rules."""
    try:
        if path.stat().st_size > _LARGEST:
            raise RecipeError(
                f"{path}: has {path.stat().st_size:,} bytes; expected a file of rules of at most"
                f" {_LARGEST:,}. Cut it, or let the words be induced."
            )
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise RecipeError(
            f"model.rules: {path}: no such file; expected a YAML file of rules. Change the path."
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise RecipeError(f"{path}: cannot be read as UTF-8 text: {error}.") from None
    return parse_rules(text, str(path))


def parse_rules(text: str, name: str) -> RuleFile:
    """Read rules from YAML text."""
    try:
        _refuse_aliases(text, name)
        node = yaml.compose(text, Loader=_PARSER)
    except yaml.YAMLError as error:
        error = reworded(text) or error
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or str(error)
        raise RecipeError(f"{name}{line}: not valid YAML: {problem}.") from None
    walk = _Walk(name)
    plain = {} if node is None else walk.value(node, ())
    if not isinstance(plain, dict):
        raise RecipeError(
            f"{name}: expected sections such as words and order; found {plain!r:.200}."
        )
    return RuleFile(plain, name, walk.lines)


def _refuse_aliases(text: str, name: str) -> None:
    depth = 0
    for n, event in enumerate(yaml.parse(text, Loader=_PARSER)):
        mark = event.start_mark.line + 1 if event.start_mark else 0
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > _DEEPEST + 1:
            raise _too_deep(name, mark)
        if isinstance(event, yaml.AliasEvent):
            raise RecipeError(
                f"{name}, line {mark}: an alias (*{event.anchor}); expected every rule written"
                " out. Write it again, or use like: in words."
            )
        if n > 4 * _MOST:
            raise RecipeError(f"{name}, line {mark}: too many values; expected {_MOST:,} or fewer.")


def _too_deep(name: str, line: int) -> RecipeError:
    return RecipeError(
        f"{name}, line {line}: nested too deeply or too many values; expected at most"
        f" {_DEEPEST} levels and {_MOST:,} values."
    )


class _Walk:
    """Turns nodes of YAML into plain values, and notes their lines."""

    def __init__(self, name: str) -> None:
        self.name, self.lines = name, dict[Trail, int]()

    def value(self, node: yaml.Node, trail: Trail) -> Any:
        """Read a node; all scalars are text, so that `no` is a word and `2` a place."""
        line = node.start_mark.line + 1
        self.lines[trail] = line
        if len(trail) > _DEEPEST or len(self.lines) > _MOST:
            raise _too_deep(self.name, line)
        if isinstance(node, yaml.ScalarNode):
            return str(node.value)
        if isinstance(node, yaml.SequenceNode):
            return [self.value(one, (*trail, i)) for i, one in enumerate(node.value)]
        assert isinstance(node, yaml.MappingNode)
        found: dict[str, Any] = {}
        for key, inner in node.value:
            place = key.start_mark.line + 1
            if not isinstance(key, yaml.ScalarNode):
                raise RecipeError(f"{self.name}, line {place}: a key that is no text.")
            name = str(key.value)
            if name in found:
                first = self.lines[(*trail, name)]
                raise RecipeError(
                    f"{self.name}, line {place}: '{name}' stands twice; it is in line {first} too."
                    " Keep one."
                )
            found[name] = self.value(inner, (*trail, name))
            self.lines[(*trail, name)] = place
        return found
