"""A file of probes: a YAML list of entries, each with its place for messages."""

from collections.abc import Callable, Iterator
from typing import Any

from saccade.errors import DataError
from saccade.intake.yaml_text import parse_yaml


def read_entries(
    text: str, where: str, *, known: Callable[[set[Any]], bool], begins: str, expected: str
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the place and the names of each entry.

    Args:
        text: YAML.
        where: its name in messages.
        known: whether these names make an entry.
        begins: how entries begin.
        expected: the names that an entry may have, in words.
    """
    try:
        entries = parse_yaml(text)
    except ValueError as error:
        raise DataError(f"{where}: not YAML: {error}. Write a list of probes.") from None
    if not isinstance(entries, list) or not entries:
        raise DataError(
            f"{where}: holds no list of probes; expected entries that begin with {begins}. See"
            " docs/guards.md."
        )
    for i, entry in enumerate(entries, 1):
        place = f"{where}: probe {i}"
        if not isinstance(entry, dict) or not known(set(entry)):
            raise DataError(
                f"{place}: found {entry!r:.200}; expected {expected}. Correct its names."
            )
        yield place, entry
