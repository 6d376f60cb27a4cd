"""How phrases and clauses are written in English and in French at once.

A `Phrase` holds the words of both languages; `spell_french` puts elisions in at the very end, when
every neighbour is known. Persons are counted je, il, nous, vous, ils. Fixed choices, so that a
source has one target: *you* is *vous*, polite and singular; *I* and *we* are masculine; *they*
without a noun before it is *ils*; the English past is the compound past, but the imperfect for
states (*be*, *have*, *know*); questions are made with *est-ce que*.
"""

from dataclasses import dataclass, replace
from typing import Literal

from saccade.corpora._lexicon import VOWELS, Adjective, Noun, plural
from saccade.corpora._verbs import OTHERS, Verb

Tense = Literal["present", "past", "future", "going", "want", "can", "must"]
Negation = Literal["", "not", "never", "no longer"]
Words = tuple[str, ...]

JE, IL, NOUS, VOUS, ILS = range(5)
_NEGATIONS = {"not": "pas", "never": "jamais", "no longer": "plus"}
_MODALS = {"going": "aller", "want": "vouloir", "can": "pouvoir", "must": "devoir"}
_REFLEXIVE = ("me", "se", "nous", "vous", "se")
_ELIDED = frozenset(("le", "la", "je", "me", "se", "ne", "de", "que"))


@dataclass(frozen=True)
class Phrase:
    """A noun phrase or pronoun in both languages, with what verbs and adjectives must know."""

    english: Words
    french: Words
    person: int = IL
    feminine: bool = False
    indefinite: bool = False
    """Begins with an article that becomes *de* under a negation."""

    @property
    def plural(self) -> bool:
        """Whether it is more than one; the polite *vous* is one."""
        return self.person in (NOUS, ILS)

    @property
    def agreement(self) -> int:
        """Index of the agreeing form: `2 * plural + feminine`."""
        return 2 * self.plural + self.feminine


@dataclass(frozen=True)
class Pronoun:
    """A personal pronoun: as subject, as object, and the French clitics of the object."""

    subject: Phrase
    english: str
    direct: str
    indirect: str

    @property
    def tonic(self) -> str:
        """The French form after an imperative."""
        return "moi" if self.direct == "me" else self.direct


ME, HE, SHE, WE, YOU, THEY, IT = PRONOUNS = (
    Pronoun(Phrase(("I",), ("je",), JE), "me", "me", "me"),
    Pronoun(Phrase(("he",), ("il",)), "him", "le", "lui"),
    Pronoun(Phrase(("she",), ("elle",), feminine=True), "her", "la", "lui"),
    Pronoun(Phrase(("we",), ("nous",), NOUS), "us", "nous", "nous"),
    Pronoun(Phrase(("you",), ("vous",), VOUS), "you", "vous", "vous"),
    Pronoun(Phrase(("they",), ("ils",), ILS), "them", "les", "leur"),
    Pronoun(Phrase(("it",), ("il",)), "it", "le", "lui"),
)

_POSSESSIVES = {  # masculine, feminine, plural
    "my": ("mon", "ma", "mes"),
    "his": ("son", "sa", "ses"),
    "her": ("son", "sa", "ses"),
    "our": ("notre", "notre", "nos"),
    "your": ("votre", "votre", "vos"),
    "their": ("leur", "leur", "leurs"),
}
POSSESSIVES = tuple(_POSSESSIVES)


def starts_with_vowel(word: str) -> bool:
    """Tell whether a French word makes the one before it lose its vowel."""
    return word == "y" or word[0].lower() in VOWELS


def spell_french(words: Words) -> str:
    """Join words, with elision: *je aime* is *j'aime*, *si il* is *s'il*.

    >>> spell_french(("est-ce", "que", "elle", "ne", "a", "pas", "le", "outil"))
    "est-ce qu'elle n'a pas l'outil"
    """
    parts = []
    for word, after in zip(words, (*words[1:], "."), strict=True):
        if word in _ELIDED and starts_with_vowel(after):
            parts.append(word[:-1] + "'")
        elif word == "si" and after in ("il", "ils"):
            parts.append("s'")
        else:
            parts.append(word + " ")
    return "".join(parts).rstrip().replace(" ,", ",")


def spell_english(words: Words) -> str:
    """Join words, with the comma against the word before it."""
    return " ".join(words).replace(" ,", ",").replace("can not", "cannot")


def after(preposition: str, words: Words) -> Words:
    """Put a French preposition before words: *de le* is *du* unless the article is elided.

    >>> after("à", ("le", "jardin")), after("près de", ("les", "lacs")), after("de", ("la", "rue"))
    (('au', 'jardin'), ('près', 'des', 'lacs'), ('de', 'la', 'rue'))
    """
    *front, last = preposition.split()
    forms = {"de": {"le": "du", "les": "des"}, "à": {"le": "au", "les": "aux"}}.get(last, {})
    if words[0] == "le" and starts_with_vowel(words[1]):
        return (*front, last, *words)
    if words[0] in forms:
        return (*front, forms[words[0]], *words[1:])
    return (*front, last, *words)


def article(word: str) -> str:
    """Choose *a* or *an*."""
    spoken = word[0] in "aeiou" and not word.startswith(("uni", "use"))
    return "an" if spoken or word.startswith("honest") else "a"


def nominal(
    noun: Noun, before: Adjective | None = None, behind: Adjective | None = None, *, many: bool
) -> tuple[Words, Words]:
    """Write a noun with its adjectives, without a determiner, in both languages."""
    english = [word.english for word in (before, behind) if word]
    english.append(noun.english_plural if many else noun.english)
    french = [noun.french_plural if many else noun.french]
    index = 2 * many + noun.feminine
    if before:
        vowel = index == 0 and starts_with_vowel(french[0])
        french.insert(0, before.before_vowel if vowel else before.forms[index])
    if behind:
        french.append(behind.forms[index])
    return tuple(english), tuple(french)


def noun_phrase(
    determiner: str,
    noun: Noun,
    before: Adjective | None = None,
    behind: Adjective | None = None,
    *,
    many: bool = False,
) -> Phrase:
    """Put a determiner before a noun and its adjectives.

    The determiner is the English word: the, a, some, this, these, a possessive, every, several,
    many, all, or a pair `english=french` for a number.
    """
    english, french = nominal(noun, before, behind, many=many)
    feminine, vowel = noun.feminine, starts_with_vowel(french[0])
    articles: Words
    if determiner in _POSSESSIVES:
        forms = _POSSESSIVES[determiner]
        articles = (forms[2 if many else 1 if feminine and not vowel else 0],)
    elif determiner == "some":
        articles = _some(french, feminine=feminine, adjective=before is not None, many=many)
    elif "=" in determiner:
        determiner, number = determiner.split("=")
        articles = (number,)
    else:
        articles = _plain_article(determiner, feminine=feminine, vowel=vowel, many=many)
    if determiner == "a":
        determiner = article(english[0])
    words = ("all", "the") if determiner == "all" else (determiner,)
    person = ILS if many else IL
    indefinite = determiner in ("a", "an", "some")
    return Phrase(words + english, articles + french, person, feminine, indefinite)


def _some(french: Words, *, feminine: bool, adjective: bool, many: bool) -> Words:
    if many:
        return ("de",) if adjective else ("des",)
    return after("de", ("la" if feminine else "le", french[0]))[:-1]


def _plain_article(determiner: str, *, feminine: bool, vowel: bool, many: bool) -> Words:
    if determiner == "the":
        return ("les",) if many else ("la",) if feminine else ("le",)
    if determiner == "a":
        return ("une",) if feminine else ("un",)
    if determiner == "this":
        return ("cette",) if feminine else ("cet",) if vowel else ("ce",)
    if determiner == "all":
        return ("toutes" if feminine else "tous", "les")
    fixed = {"these": ("ces",), "every": ("chaque",), "several": ("plusieurs",)}
    return {**fixed, "many": ("beaucoup", "de")}[determiner]


def owned(
    owner: Phrase, noun: Noun, before: Adjective | None = None, *, many: bool = False
) -> Phrase:
    """Write *the girl's old hat*, *le vieux chapeau de la fille*."""
    english, french = nominal(noun, before, many=many)
    *front, last = owner.english
    genitive = f"{last}'" if last.endswith("s") and owner.person == ILS else f"{last}'s"
    definite = "les" if many else "la" if noun.feminine else "le"
    person = ILS if many else IL
    words = (definite, *french, *after("de", owner.french))
    return Phrase((*front, genitive, *english), words, person, noun.feminine)


def under_negation(phrase: Phrase) -> Phrase:
    """Turn the article of an object that is denied into *de*: *pas de pain*, *no bread at all*."""
    if not phrase.indefinite:
        return phrase
    english = ("any", *phrase.english[1:]) if phrase.english[0] == "some" else phrase.english
    rest = phrase.french[1:]
    if phrase.french[0] == "de" and phrase.french[1] in ("la", "le"):
        rest = phrase.french[2:]
    return replace(phrase, english=english, french=("de", *rest))


def both(one: Phrase, other: Phrase, word: tuple[str, str] = ("and", "et")) -> Phrase:
    """Coordinate two phrases; the masculine wins."""
    english = (*one.english, word[0], *other.english)
    french = (*one.french, word[1], *other.french)
    return Phrase(english, french, ILS, one.feminine and other.feminine)


def agreed(participle: str, agreement: int) -> str:
    """Make a participle agree."""
    word = participle + "e" if agreement % 2 else participle
    return plural(word) if agreement >= 2 else word


def english_be(person: int, tense: Tense) -> str:
    """Conjugate *to be*."""
    if tense == "past":
        return "was" if person in (JE, IL) else "were"
    return ("am", "is", "are", "are", "are")[person]


def english_verb(
    subject: Phrase,
    verb: Verb,
    tense: Tense,
    negation: Negation = "",
    adverb: str = "",
    *,
    question: bool = False,
) -> Words:
    """Write subject and verb in English, the auxiliary first in a question."""
    third = subject.person == IL
    base, auxiliary = verb.english, ""
    if tense == "want":
        base = f"want to {base}"
    if base == "be" and tense in ("present", "past"):
        auxiliary, base = english_be(subject.person, tense), ""
    elif tense in ("future", "can", "must"):
        auxiliary = "will" if tense == "future" else tense
    elif tense == "going":
        auxiliary, base = english_be(subject.person, "present"), f"going to {base}"
    elif question or negation == "not":
        auxiliary = "did" if tense == "past" else "does" if third else "do"
    elif tense == "past":
        base = verb.english_past
    elif third:
        base = f"wants to {verb.english}" if tense == "want" else verb.english_s
    front = (auxiliary, *subject.english) if question else (*subject.english, auxiliary)
    return tuple(word for word in (*front, negation, adverb, base) if word)


def french_verb(
    subject: Phrase,
    verb: Verb,
    tense: Tense,
    negation: Negation = "",
    adverb: str = "",
    *,
    clitics: Words = (),
    agreement: int = 0,
) -> Words:
    """Write the French verb with its clitics, negation and adverb, without the subject.

        [ne] clitics verb [pas] [adverb]                     present, future, imperfect
        [ne] clitics avoir|être [pas] [adverb] participle    compound past
        [ne] modal [pas] [adverb] clitics infinitive         going to, want to, can, must

    `agreement` is that of a direct object before the verb (Grevisse, *Le Bon Usage*, on the past
    participle); with être the participle agrees with the subject.
    """
    person = subject.person
    ne = ("ne",) if negation else ()
    middle = tuple(word for word in (_NEGATIONS.get(negation, ""), adverb) if word)
    if verb.reflexive:
        clitics = (_REFLEXIVE[person], *clitics)
    if tense in _MODALS:
        modal = OTHERS[_MODALS[tense]].present[person]
        return (*ne, modal, *middle, *clitics, verb.infinitive)
    if tense == "past" and not verb.state:
        helper = OTHERS["être" if verb.etre else "avoir"].present[person]
        participle = agreed(verb.participle, subject.agreement if verb.etre else agreement)
        return (*ne, *clitics, helper, *middle, participle)
    forms = {"present": verb.present, "future": verb.future, "past": verb.imperfect}[tense]
    return (*ne, *clitics, forms[person], *middle)
