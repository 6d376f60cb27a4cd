"""Sentences of more than one clause, questions and orders of the English-French grammar."""

from dataclasses import replace

from saccade.corpora import _lexicon as lexicon
from saccade.corpora._dice import Dice
from saccade.corpora._grammar import (
    HE,
    ILS,
    IT,
    ME,
    SHE,
    THEY,
    VOUS,
    WE,
    Phrase,
    Pronoun,
    Tense,
    noun_phrase,
)
from saccade.corpora._lexicon import MASS, NOUNS, Adjective, Noun
from saccade.corpora._sentences import (
    Clause,
    Sides,
    circumstances,
    join,
    pronoun_for,
    some_noun,
    some_phrase,
    somebody,
    transitive,
    with_noun,
)
from saccade.corpora._simple import (
    HANDLING,
    HAVE_AS_BE,
    SIMPLE_TENSES,
    THINGS,
    copula,
    intransitive,
    on_furniture,
    some_adjective,
    some_description,
)
from saccade.corpora._verbs import GIVING, OTHERS, TRANSITIVE

_ASKED = [(60, ("", "")), (15, ("why", "pourquoi")), (15, ("when", "quand")), (10, ("where", "où"))]
_NOBODY = Phrase((), ())


def say_question(dice: Dice) -> tuple[Sides, str]:
    """Draw *does she often eat the apple*."""
    asked = dice.weighted(_ASKED)
    clause = _asked(dice, asked[0])
    while clause.tense == "must" or clause.negation:
        clause = _asked(dice, asked[0])
    english, french = clause.question()
    if not asked[0]:
        return (english, french), "?"
    return ((asked[0], *english), (asked[1], *french)), "?"


def _asked(dice: Dice, word: str) -> Clause:
    return transitive(dice) if word == "where" or dice.chance(0.5) else intransitive(dice)


def how_many(subject: Phrase, noun: Noun, tense: Tense, verb_index: int) -> Sides:
    """Ask *how many keys did she buy*, *combien de clés est-ce qu'elle a achetées*."""
    agreement = 2 + noun.feminine
    clause = Clause(subject, HANDLING[verb_index], tense, agreement=agreement)
    front: Sides = (("how many", noun.english_plural), ("combien", "de", noun.french_plural))
    return join(front, clause.question())


def say_how_many(dice: Dice) -> tuple[Sides, str]:
    """Draw *how many keys did she buy*."""
    noun = some_noun(dice, THINGS)
    return how_many(somebody(dice), noun, dice.pick(SIMPLE_TENSES), dice.below(len(HANDLING))), "?"


def related(thing: Phrase, clause: Clause) -> Phrase:
    """Hang a clause without an object on a noun: *the letter that he wrote*."""
    clause = replace(clause, agreement=thing.agreement)
    english, french = clause.statement()
    return replace(
        thing, english=(*thing.english, "that", *english), french=(*thing.french, "que", *french)
    )


def _related(dice: Dice) -> Phrase:
    """Draw a noun phrase with a relative clause."""
    if dice.chance(0.5):
        kinds = dice.pick(tuple(TRANSITIVE))
        thing = noun_phrase(
            "the", some_noun(dice, (kinds[0],)), many=kinds[0] not in MASS and dice.chance(0.3)
        )
        verb = dice.pick(TRANSITIVE[kinds])
        clause = circumstances(dice, somebody(dice, pronouns=0.6), verb)
        return related(thing, clause)
    noun = some_noun(dice, ("person", "person", "animal"))
    who = noun_phrase("the", noun, many=dice.chance(0.3))
    word = "who" if noun.kind == "person" else "that"
    subject = replace(who, english=(word,), french=("qui",))
    clause = transitive(dice, subject) if dice.chance(0.6) else intransitive(dice, subject)
    english, french = clause.statement()
    return replace(who, english=who.english + english, french=who.french + french)


def say_relative(dice: Dice) -> tuple[Sides, str]:
    """Draw *the letter that he wrote is long*."""
    phrase = _related(dice)
    if dice.chance(0.4):
        return copula(dice, phrase, _fitting(dice, phrase)).statement(), "."
    verb = dice.pick(TRANSITIVE["person", "kin", "animal", "thing", "vehicle", "site"])
    return with_noun(circumstances(dice, somebody(dice), verb), phrase).statement(), "."


def _fitting(dice: Dice, phrase: Phrase) -> Adjective:
    """Draw an adjective for the noun that comes second in a phrase."""
    word = phrase.english[1]
    noun = next(n for ns in NOUNS.values() for n in ns if word in (n.english, n.english_plural))
    return some_adjective(dice, noun)


def say_that(dice: Dice) -> tuple[Sides, str]:
    """Draw *we think that she sleeps*."""
    verb = OTHERS[dice.pick(("penser", "dire", "espérer"))]
    inner = transitive(dice) if dice.chance(0.6) else intransitive(dice)
    outer = Clause(_unlike(somebody(dice), inner.subject), verb)
    return join(outer.statement(), (("that",), ("que",)), inner.statement()), "."


def _unlike(subject: Phrase, other: Phrase) -> Phrase:
    """Keep *they* from meaning women or not: with a feminine plural about, say *he*."""
    pair = (subject, other)
    women = any(phrase.feminine and phrase.plural for phrase in pair)
    return HE.subject if women and THEY.subject in pair else subject


def say_because(dice: Dice) -> tuple[Sides, str]:
    """Draw *she drinks water because she is thirsty*."""
    word = dice.pick([("because", "parce que"), ("when", "quand"), ("if", "si"), ("but", ", mais")])
    tense: Tense = "present" if word[0] in ("when", "if") else dice.pick(SIMPLE_TENSES)
    first = replace(transitive(dice), tense=tense, adverb=("", ""))
    if tense == "past" and first.verb.english == first.verb.english_past:
        first = replace(first, tense="present")
    other = somebody(dice, pronouns=0.7)
    second = Clause(_unlike(other, first.subject), HAVE_AS_BE, first.tense)
    second = second.on(*dice.pick(lexicon.FEELINGS))
    english = (",", "but") if word[0] == "but" else (word[0],)
    link: Sides = (english, tuple(word[1].split()))
    return join(first.statement(), link, second.statement()), "."


def say_referring(dice: Dice) -> tuple[Sides, str]:
    """Draw *the house is old, but it is beautiful*."""
    subject, noun = some_description(dice)
    first, second = some_adjective(dice, noun), some_adjective(dice, noun)
    if first == second:
        return copula(dice, subject, first).statement(), "."
    clause = replace(copula(dice, subject, first), negation="", adverb=("", ""))
    again = pronoun_for(subject, noun)
    other = replace(
        clause, subject=again, tail=((second.english,), (second.forms[again.agreement],))
    )
    english, french = dice.pick([("but", "mais"), ("and", "et")])
    return join(clause.statement(), ((",", english), (",", french)), other.statement()), "."


def take_and_put(clause: Clause, thing: Phrase, noun: Noun, then: Clause) -> Sides:
    """Write *takes the key and puts it on the table*, *prend la clé et la met sur la table*."""
    pronoun = THEY if thing.person == ILS else SHE if noun.feminine else HE
    clitics = (pronoun.direct,)
    again = replace(clause.subject, english=(), french=())
    object_word = "them" if thing.person == ILS else "it"
    tail: Sides = ((object_word, *then.tail[0]), then.tail[1])
    then = replace(then, subject=again, clitics=clitics, agreement=thing.agreement, tail=tail)
    return join(with_noun(clause, thing).statement(), (("and",), ("et",)), then.statement())


def say_take_and_put(dice: Dice) -> tuple[Sides, str]:
    """Draw *she took the key and put it on the table*."""
    noun = some_noun(dice, THINGS)
    thing = (
        noun_phrase(dice.pick(("the", "this", "his", "my")), noun)
        if dice.chance(0.7)
        else (noun_phrase("the", noun, many=True))
    )
    first, second = dice.pick(HANDLING), dice.pick(HANDLING)
    clause = Clause(somebody(dice), first, dice.pick(SIMPLE_TENSES))
    then = Clause(_NOBODY, second, clause.tense)
    if first == second or dice.chance(0.5):
        then = Clause(_NOBODY, OTHERS["mettre"], clause.tense, tail=on_furniture(dice))
    return take_and_put(clause, thing, noun, then), "."


def order(
    verb_words: tuple[str, str], pronoun: Pronoun | None, thing: Sides, *, negative: bool
) -> Sides:
    """Write an imperative: *fermez la porte*, *regardez-les*, *ne les regardez pas*."""
    english, french = verb_words
    said = (pronoun.english,) if pronoun else ()
    if negative:
        clitic = (pronoun.direct,) if pronoun else ()
        return ("do not", english, *said, *thing[0]), ("ne", *clitic, french, "pas", *thing[1])
    form = f"{french}-{pronoun.tonic}" if pronoun else french
    return (english, *said, *thing[0]), (form, *thing[1])


def say_order(dice: Dice) -> tuple[Sides, str]:
    """Draw *close the door, please*."""
    negative = dice.chance(0.35)
    pronoun: Pronoun | None = None
    thing: Sides = ((), ())
    if dice.chance(0.3):
        verb, pronoun = dice.pick(GIVING), dice.pick((ME, WE))
        phrase = some_phrase(dice, ("thing", "text"), definite=True)
        thing = (phrase.english, phrase.french)
    else:
        kinds = dice.pick(tuple(TRANSITIVE))
        verb = dice.pick([verb for verb in TRANSITIVE[kinds] if not verb.state])
        if dice.chance(0.35):
            pronoun = dice.pick((ME, WE, HE, THEY) if kinds[0] == "person" else (IT, THEY))
        else:
            phrase = some_phrase(dice, kinds, definite=True)
            thing = (phrase.english, phrase.french)
    sides = order((verb.english, verb.present[VOUS]), pronoun, thing, negative=negative)
    if dice.chance(0.5):
        return join(sides, ((",", "please"), (",", "s'il", "vous", "plaît"))), "."
    return sides, "!"
