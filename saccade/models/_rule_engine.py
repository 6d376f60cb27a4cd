"""Applying a book of rules to sentences: look up, choose, reorder, inflect, spell."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from saccade.models._rule_book import LONGEST, OrderRule, RuleBook, SpellingRule
from saccade.models._rule_terms import Features, Pattern, RuleUnit, Written, ended

_MOST_WORDS = 500  # of a sentence; what comes behind is left out
_WIDEST = 16  # units that one rule may match
_TOKENS = re.compile(r"'s\b|\w+(?:-\w+)*|[^\w\s]")


class Spoken(NamedTuple):
    """A word of the output: text, whether a space stands before it, and where it came from."""

    text: str
    spaced: bool
    sources: tuple[int, ...]


class RuleEngine:
    """Translates by a book: every step is a pass over the sentence, so that nothing can loop."""

    def __init__(self, book: RuleBook) -> None:
        self.book = book

    def translate(self, text: str) -> list[Spoken]:
        """Translate a text; sources are numbers of the words that `tokens` gives."""
        words = tokens(text)[:_MOST_WORDS]
        units = [RuleUnit({"class": "start"}), *self._chosen(self._looked_up(words))]
        for rule in self.book.order:
            units = self._applied(rule, units)
        spoken = [one for unit in units for word in unit.words() for one in self._formed(word)]
        return _joined(self._spelt(spoken), capital=text.strip()[:1].isupper())

    def _looked_up(self, words: Sequence[str]) -> list[list[RuleUnit]]:
        """Find the readings of words, longest phrases first; unknown ones pass through."""
        found, at = list[list[RuleUnit]](), 0
        while at < len(words):
            readings: list[RuleUnit] | None = None
            for n in range(min(LONGEST, len(words) - at), 0, -1):
                phrase = tuple(words[at : at + n])
                lower = (phrase[0][:1].lower() + phrase[0][1:], *phrase[1:])
                readings = self.book.forms.get(phrase) or self.book.forms.get(lower)
                if readings or n == 1:
                    break
            places = tuple(range(at, at + n))
            if not readings:
                name = words[at]
                kind = "mark" if not name[0].isalnum() else "unknown"
                readings = [RuleUnit({"class": kind, "word": name}, name)]
            found.append(
                [RuleUnit(dict(one.features), one.to, one.forms, places) for one in readings]
            )
            at += n
        return found

    def _chosen(self, readings: list[list[RuleUnit]]) -> list[RuleUnit]:
        """Choose one reading of every word: by what stands beside it, or else the first."""
        for rule in self.book.choose:
            for at in range(len(readings)):
                places = _match(rule, [[u.features for u in one] for one in readings], at)
                for i, place in enumerate(places or ()):
                    if place is not None:
                        fitting = [u for u in readings[place] if rule[i].fits(u.features)]
                        readings[place] = fitting
        return [one[0] for one in readings]

    def _applied(self, rule: OrderRule, units: list[RuleUnit]) -> list[RuleUnit]:
        at = 0
        while at < len(units):
            places = _match(rule.when, [[u.features] for u in units[at : at + _WIDEST]], 0)
            if places is None:
                at += 1
                continue
            used = [place for place in places if place is not None]
            made = self._written(rule, [None if p is None else units[at + p] for p in places])
            units = [*units[:at], *made, *units[at + len(used) :]]
            at += max(len(made), 1) if made else 0
        return units

    def _written(self, rule: OrderRule, found: list[RuleUnit | None]) -> list[RuleUnit]:
        for one, other in rule.agree:
            learner, teacher = found[one], found[other]
            if learner is not None and teacher is not None:
                learner.agree(teacher, self.book.agreement)
        made = []
        for item in rule.write:
            unit = self._made(item) if item.place is None else found[item.place]
            if unit is None:
                continue
            for feature, value, place in item.sets:
                there = None if place is None else found[place]
                told = value if place is None else there.features.get(value, "") if there else ""
                unit.set(feature, told)
            made.append(unit)
        if not rule.group:
            return made
        head = found[rule.head] if rule.head is not None else made[0]
        assert head is not None
        places = tuple(sorted({p for unit in made for p in unit.sources}))
        features = {**head.features, "class": rule.group, **rule.sets}
        return [RuleUnit(features, "", {}, places, made, head)]

    def _made(self, item: Written) -> RuleUnit:
        if item.entry:
            one = self.book.words[item.entry][0]
            return RuleUnit(dict(one.features), one.to, one.forms)
        return RuleUnit({"class": "literal"}, item.literal)

    def _formed(self, unit: RuleUnit) -> list[RuleUnit]:
        """Inflect a word of the target; one of several words becomes several units."""
        word = unit.to
        for step in self.book.target.get(unit.features.get("class", ""), ()):
            if step.when.holds(unit.features):
                known = unit.forms.get(step.text)
                word = ended(word, step.endings) if known is None else known
        return [RuleUnit(unit.features, one, {}, unit.sources) for one in word.split()]

    def _spelt(self, words: list[RuleUnit]) -> list[RuleUnit]:
        for rule in self.book.spelling:
            if rule.become is not None and not rule.before and len(rule.words) > 1:
                words = _contracted(rule, words)
                continue
            for one, after in zip(words, [*words[1:], RuleUnit({}, ".")], strict=False):
                fits = one.to in rule.words and rule.condition.holds(one.features)
                near = after.to[:1].lower() in rule.before if rule.before else True
                if fits and near and (not rule.behind or after.to in rule.behind):
                    stem = one.to[: len(one.to) - rule.drop] if rule.drop else one.to
                    one.to = stem + (rule.become or "") if rule.drop else (rule.become or one.to)
        return words


def tokens(text: str) -> list[str]:
    """Cut a text into words, marks and `'s`.

    >>> tokens("Marc's cat-like dog, please!")
    ['Marc', "'s", 'cat-like', 'dog', ',', 'please', '!']
    """
    return _TOKENS.findall(text)


def spans(text: str) -> list[tuple[int, int]]:
    """Return where `tokens` stand in a text."""
    return [one.span() for one in _TOKENS.finditer(text)]


def _match(
    rule: Sequence[Pattern], readings: Sequence[Sequence[Features]], at: int, i: int = 0
) -> list[int | None] | None:
    """Return the place of every pattern, None for one that is missing; nothing if none fits."""
    if i == len(rule):
        return []
    here = at < len(readings) and any(rule[i].fits(one) for one in readings[at])
    rest = _match(rule, readings, at + 1, i + 1) if here else None
    if rest is not None:
        return [at, *rest]
    if rule[i].optional:
        rest = _match(rule, readings, at, i + 1)
        if rest is not None:
            return [None, *rest]
    return None


def _contracted(rule: SpellingRule, words: list[RuleUnit]) -> list[RuleUnit]:
    """Make one word of several that follow each other."""
    n, made, at = len(rule.words), list[RuleUnit](), 0
    while at < len(words):
        here = tuple(one.to for one in words[at : at + n])
        if here == rule.words and rule.condition.holds(words[at].features):
            places = tuple(p for one in words[at : at + n] for p in one.sources)
            made.append(RuleUnit(words[at].features, rule.become or "", {}, places))
            at += n
        else:
            made.append(words[at])
            at += 1
    return made


def _joined(words: list[RuleUnit], *, capital: bool) -> list[Spoken]:
    """Decide where spaces stand: none behind an apostrophe, none before marks unless asked for."""
    made = list[Spoken]()
    for word in words:
        tight = word.features.get("class") == "mark" and word.features.get("space") != "before"
        spaced = bool(made) and not made[-1].text.endswith("'") and not tight
        joined = word.to.startswith("-")
        text = word.to[:1].upper() + word.to[1:] if capital and not made else word.to
        made.append(Spoken(text, spaced and not joined, word.sources))
    return made
