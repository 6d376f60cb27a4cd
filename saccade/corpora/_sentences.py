"""The sentences of the English-French grammar: what is said, by templates drawn with dice.

A `Clause` is a subject, a verb and what follows; it can be said as a statement, asked as a question
or hung on a noun. Nouns are drawn by kind, so that people read books and drink water.
"""

from dataclasses import dataclass, replace

from saccade.corpora import _lexicon as lexicon
from saccade.corpora._dice import Dice
from saccade.corpora._grammar import (
    HE,
    ILS,
    IT,
    JE,
    ME,
    NOUS,
    POSSESSIVES,
    SHE,
    THEY,
    VOUS,
    WE,
    YOU,
    Negation,
    Phrase,
    Pronoun,
    Tense,
    Words,
    after,
    both,
    english_verb,
    french_verb,
    noun_phrase,
    owned,
    under_negation,
)
from saccade.corpora._lexicon import AFTER, BEFORE, MASS, NOUNS, Noun
from saccade.corpora._verbs import TRANSITIVE, Verb

Sides = tuple[Words, Words]
EMPTY: Sides = ((), ())

PERSONAL = (ME, HE, SHE, WE, YOU, THEY)
_TENSES: list[tuple[float, Tense]] = [
    (36, "present"), (30, "past"), (14, "future"),
    (5, "going"), (6, "want"), (5, "can"), (4, "must"),
]  # fmt: skip
_DETERMINERS = [(46, "the"), (22, "a"), (8, "this"), (20, "possessive"), (4, "every")]
_PLURALS = [
    (40, "the"), (18, "some"), (8, "these"), (14, "possessive"), (10, "number"), (3, "several"),
    (4, "many"), (3, "all"),
]  # fmt: skip
_MASSES = [(40, "the"), (40, "some"), (20, "possessive")]
_NEAR = [
    ("in front of", "devant"), ("behind", "derrière"), ("near", "près de"),
    ("next to", "à côté de"), ("opposite", "en face de"),
]  # fmt: skip


@dataclass(frozen=True)
class Clause:
    """A subject, a verb and what follows it, in both languages."""

    subject: Phrase
    verb: Verb
    tense: Tense = "present"
    negation: Negation = ""
    adverb: tuple[str, str] = ("", "")
    clitics: Words = ()
    agreement: int = 0
    tail: Sides = EMPTY

    def _predicate(self) -> Words:
        return (
            *french_verb(
                self.subject,
                self.verb,
                self.tense,
                self.negation,
                self.adverb[1],
                clitics=self.clitics,
                agreement=self.agreement,
            ),
            *self.tail[1],
        )

    def statement(self) -> Sides:
        """Say it."""
        english = english_verb(self.subject, self.verb, self.tense, self.negation, self.adverb[0])
        return (*english, *self.tail[0]), (*self.subject.french, *self._predicate())

    def question(self) -> Sides:
        """Ask it: *does she see the dog*, *est-ce qu'elle voit le chien*."""
        english = english_verb(
            self.subject, self.verb, self.tense, self.negation, self.adverb[0], question=True
        )
        french = ("est-ce", "que", *self.subject.french, *self._predicate())
        return (*english, *self.tail[0]), french

    def on(self, words: str, mots: str) -> "Clause":
        """Add words at the end."""
        english, french = self.tail
        return replace(self, tail=((*english, words), (*french, *mots.split())))


def join(*sides: Sides) -> Sides:
    """Put pieces one after another in both languages."""
    return tuple(w for s in sides for w in s[0]), tuple(w for s in sides for w in s[1])


def some_noun(dice: Dice, kinds: tuple[str, ...]) -> Noun:
    """Draw a noun of one of the kinds, all nouns equally likely."""
    return dice.pick([noun for kind in kinds for noun in NOUNS[kind]])


def some_number(dice: Dice, noun: Noun) -> bool:
    """Draw whether there is more than one."""
    return dice.chance(0.3) and noun.kind not in MASS and noun.english not in lexicon.SINGLE


def _determiner(dice: Dice, noun: Noun, *, many: bool) -> str:
    table = _MASSES if noun.kind in MASS else _PLURALS if many else _DETERMINERS
    word = "possessive" if noun.kind == "kin" else dice.weighted(table)
    if word == "possessive":
        return dice.pick(POSSESSIVES)
    return "=".join(dice.pick(lexicon.NUMBERS)) if word == "number" else word


def some_phrase(
    dice: Dice, kinds: tuple[str, ...], *, definite: bool = False, plain: bool = False
) -> Phrase:
    """Draw a noun phrase; `definite` keeps to *the* and possessives, `plain` to no adjective."""
    noun = some_noun(dice, kinds)
    many = some_number(dice, noun)
    rare = plain or dice.chance(0.5)
    before = dice.pick(BEFORE[noun.kind]) if not rare and dice.chance(0.5) else None
    behind = None
    if not rare and (before is None or dice.chance(0.12)):
        behind = dice.pick(AFTER[noun.kind])
    if noun.kind != "kin" and dice.chance(0.07):
        return owned(owner(dice), noun, before, many=many)
    word = _determiner(dice, noun, many=many)
    if definite and word not in POSSESSIVES:
        word = "the"
    return noun_phrase(word, noun, before, behind, many=many)


def name(dice: Dice) -> Phrase:
    """Draw a proper name."""
    women = dice.chance(0.5)
    word = dice.pick(lexicon.WOMEN if women else lexicon.MEN)
    return Phrase((word,), (word,), feminine=women)


def owner(dice: Dice) -> Phrase:
    """Draw somebody to whom things belong."""
    if dice.chance(0.5):
        return name(dice)
    noun = some_noun(dice, ("person", "kin"))
    word = dice.pick(POSSESSIVES) if noun.kind == "kin" else "the"
    return noun_phrase(word, noun, many=some_number(dice, noun))


def somebody(dice: Dice, *, animals: bool = False, pronouns: float = 0.42) -> Phrase:
    """Draw a subject."""
    if dice.chance(pronouns):
        return dice.pick(PERSONAL).subject
    if dice.chance(0.25):
        one, other = name(dice), name(dice)
        return both(one, other) if dice.chance(0.2) and one != other else one
    if dice.chance(0.05):
        kinds = ("person",)
        one = some_phrase(dice, kinds, definite=True, plain=True)
        other = some_phrase(dice, kinds, definite=True, plain=True)
        return both(one, other) if one != other else one
    return some_phrase(dice, ("person", "kin", "animal") if animals else ("person", "kin"))


def circumstances(dice: Dice, subject: Phrase, verb: Verb) -> Clause:
    """Draw tense, negation and adverb for a subject and a verb, in ways that can be understood."""
    tense = dice.weighted(_TENSES)
    if tense == "want" and verb.infinitive == "vouloir":
        tense = "present"
    negation: Negation = ""
    if dice.chance(0.2):
        choices: list[Negation] = ["not", "not", "never"]
        negation = dice.pick([*choices, "no longer"] if tense in ("present", "future") else choices)
    if ambiguous(subject, verb, tense, negation):
        tense = "present"
    adverb = ("", "")
    if not negation and tense in ("present", "past") and dice.chance(0.12):
        adverb = dice.pick(lexicon.FREQUENCIES)
    return Clause(subject, verb, tense, negation, adverb)


def ambiguous(subject: Phrase, verb: Verb, tense: Tense, negation: Negation) -> bool:
    """Tell whether an English past looks like a present: *they read*."""
    same = verb.english == verb.english_past
    return same and tense == "past" and negation != "not" and subject.person != 1


def place(dice: Dice) -> Sides:
    """Draw where something happens."""
    if dice.chance(0.15):
        english, french, _ = dice.pick(lexicon.PLACES)
        return ("in", english), tuple(french.split())
    if dice.chance(0.3):
        where = some_phrase(dice, ("site",), definite=True)
        return ("at", *where.english), after("à", where.french)
    if dice.chance(0.5):
        where = some_phrase(dice, ("site",), definite=True)
        return ("in", *where.english), ("dans", *where.french)
    where = some_phrase(dice, ("site", "spot", "vehicle"), definite=True)
    english, french = dice.pick(_NEAR)
    return (english, *where.english), after(french, where.french)


def timed(dice: Dice, clause: Clause) -> Sides:
    """Say a clause with, at times, a word on when, first or last."""
    sides = clause.statement()
    free = not clause.adverb[0] and clause.negation in ("", "not") and not clause.verb.state
    if not free or clause.tense not in lexicon.TIMES or not dice.chance(0.25):
        return sides
    english, french = dice.pick(lexicon.TIMES[clause.tense])
    if dice.chance(0.5):
        return join(((english, ","), (*french.split(), ",")), sides)
    return join(sides, ((english,), tuple(french.split())))


def with_object(dice: Dice, clause: Clause, kinds: tuple[str, ...]) -> Clause:
    """Give a clause a direct object: a noun phrase after the verb or a pronoun before it."""
    if dice.chance(0.27):
        animate = kinds[0] == "person"
        others = other_people(clause.subject) if animate else [IT, IT, THEY]
        return with_pronoun(clause, dice.pick(others))
    thing = some_phrase(dice, kinds)
    return with_noun(clause, thing)


def other_people(subject: Phrase) -> list[Pronoun]:
    """List the pronouns that can be an object of the subject without being itself."""
    self = {JE: (ME, WE), NOUS: (ME, WE), VOUS: (YOU,)}.get(subject.person, ())
    return [pronoun for pronoun in PERSONAL if pronoun not in self]


def with_noun(clause: Clause, thing: Phrase) -> Clause:
    """Put a noun phrase after the verb."""
    if clause.negation:
        thing = under_negation(thing)
    return replace(clause, tail=(thing.english, thing.french))


def with_pronoun(clause: Clause, pronoun: Pronoun) -> Clause:
    """Put a pronoun before the French verb; the participle agrees with it."""
    return replace(
        clause,
        clitics=(pronoun.direct,),
        agreement=pronoun.subject.agreement,
        tail=((pronoun.english,), ()),
    )


def transitive(dice: Dice, subject: Phrase | None = None) -> Clause:
    """Draw *the girl sees the dog*, *she sees him*."""
    kinds = dice.pick(tuple(TRANSITIVE))
    verb = dice.pick(TRANSITIVE[kinds])
    subject = subject or somebody(dice)
    return with_object(dice, circumstances(dice, subject, verb), kinds)


def pronoun_for(phrase: Phrase, noun: Noun) -> Phrase:
    """Refer back to a noun phrase: *it*, *he* or *she* in English, by gender in French."""
    if phrase.person == ILS:
        word = "they"
    elif noun.kind in ("person", "kin"):
        word = "she" if noun.feminine else "he"
    else:
        word = "it"
    mot = ("elle" if noun.feminine else "il") + ("s" if phrase.person == ILS else "")
    return Phrase((word,), (mot,), phrase.person, noun.feminine)
