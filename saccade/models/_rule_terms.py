"""The small language inside a file of rules: conditions, patterns, and what is written.

gender=f number!=plural        a condition: features that a word must have or not have
verb|be tense=past?           a pattern: classes, a condition, and whether it may be missing
2 tense=past number=1.number   what is written: the second word of a match, with features set
=que                           ... a word of the target as it stands
@have tense=1.tense            ... a word of the word list
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from saccade.intake.numbers import whole

Features = dict[str, str]


class FeatureTest(NamedTuple):
    """A feature, the values that it may have, and whether it must not have them."""

    feature: str
    values: tuple[str, ...]
    negated: bool


class Condition(NamedTuple):
    """Tests that must all hold."""

    tests: tuple[FeatureTest, ...]

    def holds(self, features: Mapping[str, str]) -> bool:
        """Tell whether they do."""
        return all((features.get(t.feature, "") in t.values) != t.negated for t in self.tests)

    def sets(self) -> Features:
        """Return the features that make it hold."""
        return {t.feature: t.values[0] for t in self.tests if not t.negated}


class Pattern(NamedTuple):
    """One place of a rule: classes (none are any), a condition, and whether it may be missing."""

    classes: tuple[str, ...]
    condition: Condition
    optional: bool

    def fits(self, features: Mapping[str, str]) -> bool:
        """Tell whether a word fits."""
        known = not self.classes or features.get("class", "") in self.classes
        return known and self.condition.holds(features)


class Written(NamedTuple):
    """One place of what a rule writes: a place of the match from 0, or a word of its own."""

    place: int | None
    literal: str
    entry: str
    sets: tuple[tuple[str, str, int | None], ...]  # feature, value or feature there, place or None


@dataclass(slots=True)
class RuleUnit:
    """A word or a group of words on its way from source to target."""

    features: Features
    to: str = ""
    forms: Mapping[str, str] = field(default_factory=dict)  # irregular ones, by condition
    sources: tuple[int, ...] = ()  # numbers of the words of the source
    children: list["RuleUnit"] = field(default_factory=list)
    head: "RuleUnit | None" = None

    def set(self, feature: str, value: str) -> None:
        """Set a feature of it and of all in it."""
        self.features[feature] = value
        for child in self.children:
            child.set(feature, value)

    def agree(self, other: "RuleUnit", names: tuple[str, ...]) -> None:
        """Take features of another; in a group, its head does and all that have `agrees: yes`."""
        for name in names:
            if name in other.features:
                self.features[name] = other.features[name]
        for child in self.children:
            if child is self.head or child.features.get("agrees") == "yes":
                child.agree(other, names)

    def words(self) -> list["RuleUnit"]:
        """Return the words in it, in order."""
        return [w for child in self.children for w in child.words()] if self.children else [self]


def condition(text: str) -> Condition:
    """Read a condition; ValueError says what is wrong.

    >>> condition("gender=f number!=plural").holds({"gender": "f"})
    True
    """
    tests = []
    for word in text.split():
        name, negated, values = word.partition("!=")
        if not negated:
            name, equals, values = word.partition("=")
            if not equals:
                raise ValueError(f"'{word}' is no feature=value")
        if not name or not values:
            raise ValueError(f"'{word}' is no feature=value")
        tests.append(FeatureTest(name, tuple(values.split("|")), bool(negated)))
    return Condition(tuple(tests))


def pattern(text: str) -> Pattern:
    """Read a pattern.

    >>> pattern("(verb|be tense=past)").classes
    ('verb', 'be')
    """
    optional = text.startswith("(") and text.endswith(")")
    words = (text[1:-1] if optional else text).split()
    if not words:
        raise ValueError("an empty pattern; expected a class, or * for any")
    classes = () if words[0] == "*" else tuple(words[0].split("|"))
    return Pattern(classes, condition(" ".join(words[1:])), optional)


def written(text: str, n_places: int) -> Written:
    """Read what a rule writes at one place; `n_places` is how many its pattern has.

    >>> written("2 number=1.number", 2).sets
    (('number', 'number', 0),)
    """
    first, *rest = text.split() or [""]
    sets = list[tuple[str, str, int | None]]()
    for word in rest:
        name, equals, value = word.partition("=")
        there, dot, other = value.partition(".")
        if not equals or not value:
            raise ValueError(f"'{word}' is no feature=value")
        if dot and there.isdigit():
            sets.append((name, other, _place(there, n_places)))
        else:
            sets.append((name, value, None))
    if first.startswith("="):
        return Written(None, first[1:], "", tuple(sets))
    if first.startswith("@"):
        return Written(None, "", first[1:].replace("_", " "), tuple(sets))
    return Written(_place(first, n_places), "", "", tuple(sets))


def _place(text: str, n_places: int) -> int:
    number = whole(text)
    if number is None or not 1 <= number <= n_places:
        raise ValueError(f"'{text[:40]}' is no place of the pattern, which has {n_places}")
    return number - 1


def ended(word: str, endings: Mapping[str, str]) -> str:
    """Change the longest ending of a word that is listed.

    >>> [ended(word, {"y": "ies", "ay": "ays", "": "s"}) for word in ("city", "day", "cat")]
    ['cities', 'days', 'cats']
    """
    found = max((e for e in endings if word.endswith(e)), key=len, default=None)
    return word if found is None else word[: len(word) - len(found)] + endings[found]


def entries(value: Any) -> list[Any]:
    """Return the readings of a word: one, or a list of them."""
    return value if isinstance(value, list) else [value]
