"""Sentences of one clause of the English-French grammar, drawn with dice."""

from dataclasses import replace

from saccade.corpora import _lexicon as lexicon
from saccade.corpora._dice import Dice
from saccade.corpora._grammar import (
    HE,
    IT,
    SHE,
    THEY,
    Phrase,
    Pronoun,
    Tense,
    Words,
    after,
    noun_phrase,
    under_negation,
)
from saccade.corpora._lexicon import AFTER, BEFORE, MASS, NOUNS, Adjective, Noun
from saccade.corpora._sentences import (
    Clause,
    Sides,
    circumstances,
    join,
    name,
    other_people,
    place,
    some_noun,
    some_number,
    some_phrase,
    somebody,
    timed,
    transitive,
    with_pronoun,
)
from saccade.corpora._verbs import ACTIVITIES, ADDRESSING, BARE, GIVING, OTHERS, STAYING, TRANSITIVE

THINGS = ("thing", "furniture", "clothes")
HANDLING = [verb for verb in TRANSITIVE[THINGS] if not verb.state]
HAVE_AS_BE = replace(OTHERS["avoir"], english="be")
_NEED = replace(OTHERS["avoir"], english="need", english_s="needs", english_past="needed")
SIMPLE_TENSES: tuple[Tense, ...] = ("present", "present", "past", "past", "future")


def say_transitive(dice: Dice) -> tuple[Sides, str]:
    """Draw *the girl sees the dog*."""
    return timed(dice, transitive(dice)), "."


def intransitive(dice: Dice, subject: Phrase | None = None) -> Clause:
    """Draw *the old dog sleeps in the garden*, *she got up*."""
    subject = subject or somebody(dice, animals=True)
    if dice.chance(0.25):
        return circumstances(dice, subject, dice.pick(BARE))
    if dice.chance(0.35):
        clause = circumstances(dice, subject, dice.pick(STAYING))
        return replace(clause, tail=place(dice))
    clause = circumstances(dice, subject, dice.pick(ACTIVITIES))
    if dice.chance(0.2) and not clause.adverb[0]:
        english, french = dice.pick(lexicon.DEGREES)
        return replace(clause, adverb=("", french), tail=((english,), ()))
    if dice.chance(0.2):
        return clause.on(*dice.pick(lexicon.MANNERS))
    return replace(clause, tail=place(dice)) if dice.chance(0.7) else clause


def say_intransitive(dice: Dice) -> tuple[Sides, str]:
    """Draw *the dog slept in the garden*."""
    return timed(dice, intransitive(dice)), "."


def giving(clause: Clause, pronoun: Pronoun, thing: Phrase) -> Clause:
    """Write *gives him a book*, *lui donne un livre*."""
    thing = under_negation(thing) if clause.negation else thing
    tail = ((pronoun.english, *thing.english), thing.french)
    return replace(clause, clitics=(pronoun.indirect,), tail=tail)


def giving_both(clause: Clause, thing: Pronoun, receiver: Pronoun) -> Clause:
    """Write *gives it to him*, *le lui donne*; *gives it to me*, *me le donne*."""
    order = (thing.direct, receiver.indirect)
    clitics = order if receiver.indirect in ("lui", "leur") else order[::-1]
    tail: Sides = ((thing.english, "to", receiver.english), ())
    return replace(clause, clitics=clitics, agreement=thing.subject.agreement, tail=tail)


def say_giving(dice: Dice) -> tuple[Sides, str]:
    """Draw *he gives it to her*."""
    subject = somebody(dice)
    clause = circumstances(dice, subject, dice.pick(GIVING))
    thing = some_phrase(dice, ("thing", "text", "clothes"))
    if dice.chance(0.45):
        return giving(clause, dice.pick(other_people(subject)), thing).statement(), "."
    if dice.chance(0.3):
        return giving_both(
            clause, dice.pick((IT, THEY)), dice.pick(other_people(subject))
        ).statement(), "."
    receiver = some_phrase(dice, ("person", "kin"), definite=True)
    if dice.chance(0.4):
        return with_pronoun(clause, dice.pick((IT, THEY))).on(
            "to " + " ".join(receiver.english), " ".join(after("à", receiver.french))
        ).statement(), "."
    thing = under_negation(thing) if clause.negation else thing
    english = (*thing.english, "to", *receiver.english)
    if dice.chance(0.5):
        english = (*receiver.english, *thing.english)
    tail = (english, (*thing.french, *after("à", receiver.french)))
    return timed(dice, replace(clause, tail=tail)), "."


def say_addressing(dice: Dice) -> tuple[Sides, str]:
    """Draw *she answered them*."""
    subject = somebody(dice)
    clause = circumstances(dice, subject, dice.pick(ADDRESSING))
    if dice.chance(0.6):
        receiver = dice.pick(other_people(subject))
        clause = replace(clause, clitics=(receiver.indirect,), tail=((receiver.english,), ()))
    else:
        person = (
            some_phrase(dice, ("person", "kin"), definite=True) if dice.chance(0.7) else name(dice)
        )
        clause = replace(clause, tail=(person.english, after("à", person.french)))
    return timed(dice, clause), "."


def some_adjective(dice: Dice, noun: Noun) -> Adjective:
    words = [*BEFORE[noun.kind], *AFTER[noun.kind]]
    return dice.pick([word for word in words if word.english != "little"])


def some_description(dice: Dice) -> tuple[Phrase, Noun]:
    """Draw a definite subject without adjectives, and the noun in it."""
    noun = some_noun(dice, tuple(NOUNS))
    word = dice.pick(("my", "his", "her", "our", "your", "their", "the", "the", "the", "the"))
    if noun.kind == "kin" and word == "the":
        word = "my"
    return noun_phrase(word, noun, many=some_number(dice, noun)), noun


def copula(dice: Dice, subject: Phrase, adjective: Adjective) -> Clause:
    """Write *the house is old*, *la maison est vieille*."""
    clause = circumstances(dice, subject, OTHERS["être"])
    if clause.tense not in ("present", "past", "future"):
        clause = replace(clause, tense="present")
    return replace(clause, tail=((adjective.english,), (adjective.forms[subject.agreement],)))


def say_copula(dice: Dice) -> tuple[Sides, str]:
    """Draw *the house is old*."""
    if dice.chance(0.4):
        subject, noun = somebody(dice, pronouns=0.8), NOUNS["person"][0]
    else:
        subject, noun = some_description(dice)
    return copula(dice, subject, some_adjective(dice, noun)).statement(), "."


def compared(
    subject: Phrase, adjective: Adjective, other: Phrase, how: str, tense: Tense
) -> Clause:
    """Write *is bigger than*, *est plus grand que*; `how` is more, less or as."""
    word = {"more": "plus", "less": "moins", "as": "aussi"}[how]
    plain = {"more": (adjective.comparative, "than"), "less": ("less", adjective.english, "than")}
    english = plain.get(how, ("as", adjective.english, "as"))
    french = (word, adjective.forms[subject.agreement], "que", *other.french)
    return Clause(subject, OTHERS["être"], tense, tail=((*english, *other.english), french))


def say_compared(dice: Dice) -> tuple[Sides, str]:
    """Draw *the house is bigger than the garden*."""
    subject, noun = some_description(dice)
    rival = dice.pick([other for other in NOUNS[noun.kind] if other != noun])
    other = noun_phrase("my" if noun.kind == "kin" else "the", rival)
    adjectives = [
        word
        for word in BEFORE[noun.kind] + AFTER[noun.kind]
        if word.english not in ("good", "bad", "little", "excellent")
    ]
    how = dice.pick(("more", "more", "less", "as"))
    return compared(
        subject, dice.pick(adjectives), other, how, dice.pick(SIMPLE_TENSES)
    ).statement(), "."


def say_profession(dice: Dice) -> tuple[Sides, str]:
    """Draw *Marie is a nurse*."""
    subject = dice.pick((name(dice), name(dice), HE.subject, SHE.subject))
    job = dice.pick(lexicon.PROFESSIONS[subject.feminine])
    noun = next(noun for noun in NOUNS["person"] if noun.english == job)
    english = noun_phrase("a", noun).english
    clause = Clause(
        subject, OTHERS["être"], dice.pick(SIMPLE_TENSES), tail=(english, (noun.french,))
    )
    return clause.statement(), "."


def say_feeling(dice: Dice) -> tuple[Sides, str]:
    """Draw *I am hungry*."""
    clause = circumstances(dice, somebody(dice), HAVE_AS_BE)
    if clause.tense not in ("present", "past", "future"):
        clause = replace(clause, tense="present")
    if dice.chance(0.4):
        fear = some_phrase(dice, ("animal",), definite=True)
        tail = (("afraid of", *fear.english), ("peur", *after("de", fear.french)))
        return replace(clause, tail=tail).statement(), "."
    english, french = dice.pick(lexicon.FEELINGS)
    return clause.on(english, french).statement(), "."


def say_age(dice: Dice) -> tuple[Sides, str]:
    """Draw *she is ten years old*."""
    english, french = dice.pick(lexicon.NUMBERS)
    clause = Clause(somebody(dice), HAVE_AS_BE, dice.pick(SIMPLE_TENSES))
    return clause.on(f"{english} years old", f"{french} ans").statement(), "."


def say_need(dice: Dice) -> tuple[Sides, str]:
    """Draw *we need a map*."""
    clause = circumstances(dice, somebody(dice), _NEED)
    if clause.tense not in ("present", "past", "future"):
        clause = replace(clause, tense="present")
    thing = some_phrase(dice, ("thing", "clothes", "text"), definite=dice.chance(0.5))
    if thing.english[0] == "some":
        bare = under_negation(thing)
        english = bare.english if clause.negation else thing.english
        tail = (english, ("besoin", *bare.french))
    else:
        tail = (thing.english, ("besoin", *after("de", thing.french)))
    return replace(clause, tail=tail).statement(), "."


def say_there_is(dice: Dice) -> tuple[Sides, str]:
    """Draw *there are two cats behind the house*."""
    noun = some_noun(dice, ("person", "animal", "thing", "furniture", "fruit", "drink", "food"))
    many = noun.kind not in MASS and dice.chance(0.5)
    choices = ("some", "many", "=".join(dice.pick(lexicon.NUMBERS)), "several")
    word = dice.pick(choices) if many else "some" if noun.kind in MASS else "a"
    before = dice.pick(BEFORE[noun.kind]) if dice.chance(0.4) else None
    thing = noun_phrase(word, noun, before, many=many)
    where = on_furniture(dice) if noun.kind in ("thing", "fruit", "drink", "food") else place(dice)
    be = "are" if many else "is"
    if thing.indefinite and dice.chance(0.25):
        bare: Sides = (("there", be, "no", *thing.english[1:]), ("il", "ne", "y", "a", "pas"))
        return join(bare, ((), under_negation(thing).french), where), "."
    return join((("there", be), ("il", "y", "a")), (thing.english, thing.french), where), "."


def on_furniture(dice: Dice) -> Sides:
    """Draw *on the table*, *sous le lit*."""
    where = some_phrase(dice, ("furniture",), definite=True)
    english, french = dice.pick([("on", "sur"), ("under", "sous"), ("next to", "à côté de")])
    return (english, *where.english), after(french, where.french)


def say_travel(dice: Dice) -> tuple[Sides, str]:
    """Draw *they went to the market*."""
    verb = OTHERS[dice.pick(("aller", "aller", "venir", "habiter"))]
    clause = circumstances(dice, somebody(dice), verb)
    if verb.infinitive == "aller" and clause.tense == "going":
        clause = replace(clause, tense="future")
    link = {"aller": "to", "venir": "from", "habiter": "in"}[verb.infinitive]
    if dice.chance(0.45):
        english, there, thence = dice.pick(lexicon.PLACES)
        words = thence if link == "from" else there
        return timed(dice, replace(clause, tail=((link, english), tuple(words.split())))), "."
    where = some_phrase(dice, ("site",), definite=True)
    words_there: Words = {
        "to": after("à", where.french),
        "from": after("de", where.french),
        "in": ("dans", *where.french),
    }[link]
    return timed(dice, replace(clause, tail=((link, *where.english), words_there))), "."
