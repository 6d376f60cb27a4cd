"""A book of rules: a file of them, checked and compiled."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from saccade.errors import suggest
from saccade.models._rule_file import RuleFile, Trail
from saccade.models._rule_terms import (
    Condition,
    Features,
    Pattern,
    RuleUnit,
    Written,
    condition,
    ended,
    entries,
    pattern,
    written,
)

_SECTIONS = ("classes", "words", "source", "target", "choose", "order", "agreement", "letters")
_SPELLING = "spelling"
_RULE = ("name", "when", "write", "as", "head", "agree", "set")
_BUILT_IN = ("start", "mark", "unknown", "literal")  # classes that every book has
_SPELL = ("words", "before", "after", "if", "drop", "become")
_OWN = ("to", "class", "like", "source", "target")  # of an entry, beside features
LONGEST = 8  # words of a phrase


class OrderRule(NamedTuple):
    """What is matched and written, the class of a group, its head and features, and who agrees."""

    name: str
    when: tuple[Pattern, ...]
    write: tuple[Written, ...]
    group: str
    head: int | None
    agree: tuple[tuple[int, int], ...]
    sets: Features


class SpellingRule(NamedTuple):
    """Words that change before some letters, or two words that become one."""

    words: tuple[str, ...]
    before: str
    behind: tuple[str, ...]
    condition: Condition
    drop: int
    become: str | None


@dataclass(frozen=True, slots=True)
class Ending:
    """A step of inflection: where it applies, by its text and as read, and what it does."""

    text: str
    when: Condition
    endings: Mapping[str, str]


class RuleBook:
    """All rules of a file, ready to use; errors say where in the file."""

    def __init__(self, file: RuleFile) -> None:
        self._file, self.plain = file, file.plain
        self._check_keys(file.plain, (*_SECTIONS, _SPELLING), ())
        self.agreement = tuple(self._list("agreement")) or ("gender", "number", "person")
        self.classes = self._classes()
        self.source, self.target = self._endings("source"), self._endings("target")
        self.words: dict[str, list[RuleUnit]] = {}
        self.forms: dict[tuple[str, ...], list[RuleUnit]] = {}
        self._read_words()
        self.choose = [self._patterns(("choose", i), one) for i, one in self._each("choose")]
        self.order = [self._rule(i, one) for i, one in self._each("order")]
        self.spelling = [self._spelling(i, one) for i, one in self._each(_SPELLING)]

    def _check_keys(self, found: Any, known: Sequence[str], trail: Trail) -> None:
        if not isinstance(found, dict):
            raise self._file.error(trail, f"found {found!r:.80}; expected {', '.join(known)}.")
        for key in found:
            if key not in known:
                told = f"no key '{key}'.{suggest(key, list(known))} Keys: {', '.join(known)}."
                raise self._file.error((*trail, key), told)

    def _mapping(self, *trail: str | int) -> dict[str, Any]:
        found: Any = self._file.plain
        for key in trail:
            found = found.get(key, {})
        if not isinstance(found, dict):
            raise self._file.error(trail, f"found {found!r:.80}; expected names and values.")
        return found

    def _list(self, name: str) -> list[Any]:
        found = self._file.plain.get(name, [])
        if not isinstance(found, list):
            raise self._file.error((name,), f"found {found!r:.80}; expected a list.")
        return found

    def _each(self, name: str) -> list[tuple[int, Any]]:
        return list(enumerate(self._list(name)))

    def _text(self, trail: Trail, found: Any) -> str:
        if not isinstance(found, str):
            raise self._file.error(trail, f"found {found!r:.80}; expected text.")
        return found

    def _classes(self) -> dict[str, Features]:
        found = self._mapping("classes")
        made: dict[str, Features] = {name: {} for name in _BUILT_IN}
        for name, given in found.items():
            pairs = given if isinstance(given, dict) else {} if given == "" else None
            if pairs is None:
                raise self._file.error(
                    ("classes", name), f"found {given!r:.80}; expected features."
                )
            made[name] = {k: self._text(("classes", name, k), v) for k, v in pairs.items()}
        return made

    def _known(self, trail: Trail, names: Sequence[str]) -> None:
        for name in names:
            if name not in self.classes:
                known = sorted(self.classes)
                raise self._file.error(
                    trail,
                    f"no class '{name}'.{suggest(name, known)} Name it in classes; it has"
                    f" {', '.join(known) or 'none'}.",
                )

    def _condition(self, trail: Trail, text: Any) -> Condition:
        try:
            return condition(self._text(trail, text))
        except ValueError as error:
            raise self._file.error(trail, f"{error}; expected such as number=plural.") from None

    def _endings(self, section: str) -> dict[str, list[Ending]]:
        found: dict[str, list[Ending]] = {}
        for name in self._mapping(section):
            self._known((section, name), [name])
            found[name] = []
            for text in self._mapping(section, name):
                trail = (section, name, text)
                given = self._mapping(*trail)
                pairs = {e: self._text((*trail, e), to) for e, to in given.items()}
                found[name].append(Ending(text, self._condition(trail, text), pairs))
        return found

    def _read_words(self) -> None:
        for key in self._mapping("words"):
            readings = entries(self._file.plain["words"][key])
            self.words[key] = [self._entry(key, i, ()) for i in range(len(readings))]
        for key, units in self.words.items():
            for unit in units:
                self._inflect(key, unit)

    def _raw(self, key: str, number: int) -> Any:
        return entries(self._file.plain["words"][key])[number]

    def _entry(self, key: str, number: int, chain: tuple[str, ...]) -> RuleUnit:
        """Read a word; `like` takes all that another says, and a chain of them must end."""
        trail: Trail = ("words", key)
        raw = self._raw(key, number)
        raw = {"to": raw} if isinstance(raw, str) else raw
        if not isinstance(raw, dict):
            raise self._file.error(trail, f"found {raw!r:.80}; expected to, class and features.")
        if key in chain:
            loop = " is like ".join(f"'{one}'" for one in (*chain[chain.index(key) :], key))
            raise self._file.error(trail, f"{loop}: a loop. Write one of them out.")
        base = RuleUnit({}, "", {})
        other = raw.get("like")
        if other is not None:
            if other not in self._file.plain["words"]:
                raise self._file.error((*trail, "like"), f"there is no word '{other}'.")
            base = self._entry(other, 0, (*chain, key))
        name = self._text(trail, raw.get("class", base.features.get("class", "")))
        self._known((*trail, "class"), [name] if name else [])
        own = {k: self._text((*trail, k), v) for k, v in raw.items() if k not in _OWN}
        features = {**self.classes.get(name, {}), **base.features, **own, "class": name}
        forms = {**base.forms, **self._forms(trail, raw, "target")}
        to = self._text((*trail, "to"), raw.get("to", base.to))
        return RuleUnit({**features, "word": key}, to, forms)

    def _forms(self, trail: Trail, raw: Mapping[str, Any], side: str) -> dict[str, str]:
        given = raw.get(side, {})
        if not isinstance(given, dict):
            raise self._file.error((*trail, side), f"found {given!r:.80}; expected forms.")
        for text in given:
            self._condition((*trail, side, text), text)
        return {k: self._text((*trail, side, k), v) for k, v in given.items()}

    def _inflect(self, key: str, unit: RuleUnit) -> None:
        """List the forms of a word of the source; of a phrase the first word changes."""
        number = self.words[key].index(unit)
        raw = self._raw(key, number)
        forms = {} if isinstance(raw, str) else self._forms(("words", key), raw, "source")
        first, *rest = key.split()
        if len(rest) >= LONGEST:
            raise self._file.error(("words", key), f"expected at most {LONGEST} words.")
        self._add((first, *rest), unit, {})
        steps = self.source.get(unit.features["class"], [])
        regular = {step.text: ended(first, step.endings) for step in steps if step.endings}
        for text, form in {**regular, **forms}.items():
            self._add((*form.split(), *rest), unit, condition(text).sets())

    def _add(self, words: tuple[str, ...], unit: RuleUnit, sets: Features) -> None:
        made = RuleUnit({**unit.features, **sets}, unit.to, unit.forms)
        self.forms.setdefault(words, []).append(made)

    def _patterns(self, trail: Trail, texts: Any) -> tuple[Pattern, ...]:
        if not isinstance(texts, list) or not texts:
            raise self._file.error(trail, f"found {texts!r:.80}; expected a list of patterns.")
        found = []
        for i, text in enumerate(texts):
            try:
                found.append(pattern(self._text((*trail, i), text)))
            except ValueError as error:
                raise self._file.error((*trail, i), f"{error}.") from None
            self._known((*trail, i), found[-1].classes)
        if all(one.optional for one in found):
            raise self._file.error(trail, "every place may be missing; expected one that may not.")
        return tuple(found)

    def _rule(self, i: int, raw: Any) -> OrderRule:
        trail: Trail = ("order", i)
        self._check_keys(raw, _RULE, trail)
        if "when" not in raw or "write" not in raw:
            raise self._file.error(trail, "expected when and write.")
        when = self._patterns((*trail, "when"), raw["when"])
        items = raw["write"]
        if not isinstance(items, list):
            raise self._file.error((*trail, "write"), f"found {items!r}; expected a list.")
        group = self._text((*trail, "as"), raw.get("as", ""))
        self._known((*trail, "as"), [group] if group else [])
        try:
            write = tuple(written(self._text((*trail, "write"), one), len(when)) for one in items)
            head = written(raw["head"], len(when)).place if "head" in raw else None
            pairs = self._mapping("agree") if "agree" not in raw else raw["agree"]
            agree = tuple(
                (written(a, len(when)).place or 0, written(b, len(when)).place or 0)
                for a, b in pairs.items()
            )
        except (ValueError, AttributeError) as error:
            raise self._file.error(trail, f"{error}.") from None
        for item in write:
            if item.entry and item.entry not in self.words:
                raise self._file.error((*trail, "write"), f"there is no word '{item.entry}'.")
        sets = self._condition((*trail, "set"), raw.get("set", "")).sets()
        return OrderRule(str(raw.get("name", i + 1)), when, write, group, head, agree, sets)

    def _spelling(self, i: int, raw: Any) -> SpellingRule:
        trail: Trail = (_SPELLING, i)
        self._check_keys(raw, _SPELL, trail)
        words = raw.get("words")
        letters = self._mapping("letters")
        before = self._text((*trail, "before"), raw.get("before", ""))
        if not isinstance(words, list) or not words or (before and before not in letters):
            told = "expected words: [...], and before: one of letters."
            raise self._file.error(trail, told)
        behind = raw.get("after", [])
        drop = self._text((*trail, "drop"), raw.get("drop", "0"))
        if not isinstance(behind, list) or not drop.isdigit():
            raise self._file.error(trail, "expected after: [words] and drop: a number.")
        become = raw.get("become")
        if become is not None:
            become = self._text((*trail, "become"), become)
        when = self._condition((*trail, "if"), raw.get("if", ""))
        named = str(letters.get(before, ""))
        return SpellingRule(tuple(words), named, tuple(behind), when, int(drop), become)
