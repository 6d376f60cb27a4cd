"""Probes of sense: is it known what is meant, is the sentence before used, is nonsense noticed?

The file is a YAML list of three kinds of entries. A sentence whose words have several meanings, of
which the world allows one:

    - source: "The light bag is red."
      right: "Le sac léger est rouge."
      wrong: "Le sac clair est rouge."

A sentence that the one before it decides: one that makes the first reading right, one the second,
each with its translation:

    - source: "They are red."
      readings: ["Ils sont rouges.", "Elles sont rouges."]
      before:
        - ["The hats are new.", "Les chapeaux sont neufs."]
        - ["The cars are new.", "Les voitures sont neuves."]

And a sentence that means nothing:

    - nonsense: "Colourless green ideas sleep furiously."
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from saccade.errors import DataError
from saccade.guards.entries import read_entries

_FORMS = ({"source", "right", "wrong"}, {"source", "readings", "before"}, {"nonsense"})


@dataclass(frozen=True, slots=True)
class Meaning:
    """A sentence, and two translations of which one makes sense."""

    source: str
    right: str
    wrong: str


@dataclass(frozen=True, slots=True)
class InContext:
    """A sentence with two readings, and for each a sentence before it with its translation."""

    source: str
    readings: tuple[str, str]
    before: tuple[tuple[str, str], tuple[str, str]]

    def joined(self, context: int, reading: int) -> tuple[str, str]:
        """Return source and target of one context with one reading, both from 0.

        >>> one = InContext("b", ("B", "C"), (("a", "A"), ("d", "D")))
        >>> one.joined(1, 0)
        ('d b', 'D B')
        """
        source, target = self.before[context]
        return f"{source} {self.source}", f"{target} {self.readings[reading]}"


@dataclass(frozen=True, slots=True)
class SenseProbes:
    """All that a file of probes asks."""

    meanings: tuple[Meaning, ...] = ()
    contexts: tuple[InContext, ...] = ()
    nonsense: tuple[str, ...] = ()


def parse(text: str, where: str) -> SenseProbes:
    """Read a file of probes; `where` is its name in messages.

    >>> parse("- {source: a, right: b, wrong: c}", "x").meanings[0].wrong
    'c'
    """
    entries = read_entries(
        text,
        where,
        known=lambda names: names in _FORMS,
        begins="`- source:` or `- nonsense:`",
        expected="source, right and wrong, or source, readings and before, or nonsense",
    )
    meanings, contexts, nonsense = [], [], []
    for place, entry in entries:
        if "nonsense" in entry:
            nonsense.append(_text(entry, "nonsense", place))
        elif "right" in entry:
            meanings.append(
                Meaning(*(_text(entry, name, place) for name in ("source", "right", "wrong")))
            )
        else:
            contexts.append(_in_context(entry, place))
    return SenseProbes(tuple(meanings), tuple(contexts), tuple(nonsense))


def _in_context(entry: Mapping[str, Any], place: str) -> InContext:
    readings, before = entry["readings"], entry["before"]
    if not _two_texts(readings):
        raise DataError(
            f"{place}: found readings {readings!r:.90}; expected two texts. Correct them."
        )
    if not (isinstance(before, list) and len(before) == 2 and all(map(_two_texts, before))):
        raise DataError(
            f"{place}: found before {before!r:.90}; expected two pairs of a sentence and its"
            " translation, one for each reading. Correct them."
        )
    pairs = tuple((source, target) for source, target in before)
    return InContext(
        _text(entry, "source", place), (readings[0], readings[1]), (pairs[0], pairs[1])
    )


def _two_texts(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(isinstance(v, str) for v in value)


def _text(entry: Mapping[str, Any], name: str, place: str) -> str:
    value = entry[name]
    if not isinstance(value, str) or not value.strip():
        raise DataError(
            f"{place}: found {name} {value!r:.90}; expected a text. Put words that YAML reads"
            " otherwise, as no, between quotation marks."
        )
    return value
