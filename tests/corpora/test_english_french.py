import re
from hashlib import sha256
from itertools import pairwise

import pytest

from saccade.corpora import _lexicon as lexicon
from saccade.corpora._compound import how_many, order, related, take_and_put
from saccade.corpora._dice import Dice
from saccade.corpora._grammar import (
    HE,
    ILS,
    IT,
    ME,
    SHE,
    THEY,
    WE,
    YOU,
    Phrase,
    Pronoun,
    after,
    both,
    noun_phrase,
    owned,
    spell_french,
)  # fmt: skip
from saccade.corpora._lexicon import AFTER, BEFORE, NOUNS, Adjective, Noun
from saccade.corpora._sentences import Clause, Sides, pronoun_for, with_noun, with_pronoun
from saccade.corpora._simple import HANDLING, compared, giving, giving_both
from saccade.corpora._templates import finish, sentence
from saccade.corpora._verbs import (
    ACTIVITIES,
    ADDRESSING,
    BARE,
    GIVING,
    OTHERS,
    STAYING,
    TRANSITIVE,
    Verb,
)  # fmt: skip
from saccade.corpora.english_french import EnglishFrench

ALL_NOUNS = {noun.english: noun for nouns in NOUNS.values() for noun in nouns}
ALL_VERBS: dict[str, Verb] = {
    verb.english: verb
    for verbs in (
        BARE,
        ACTIVITIES,
        STAYING,
        ADDRESSING,
        GIVING,
        OTHERS.values(),
        *TRANSITIVE.values(),
    )
    for verb in verbs
}
BOOK, LETTER, KEY, MAN, GIRL = (ALL_NOUNS[w] for w in ("book", "letter", "key", "man", "girl"))
PAUL, ANNE = Phrase(("Paul",), ("Paul",)), Phrase(("Anne",), ("Anne",), feminine=True)


def adjective(word: str, kind: str = "thing") -> Adjective:
    words = [*BEFORE[kind], *AFTER[kind], *AFTER["person"], *BEFORE["animal"], *BEFORE["food"]]
    return next(found for found in words if found.english == word)


def verb(word: str) -> Verb:
    return ALL_VERBS[word]


def the(noun: Noun) -> Phrase:
    return noun_phrase("the", noun)


def french(phrase: Phrase) -> str:
    return spell_french(phrase.french)


@pytest.mark.parametrize(
    ("determiner", "noun", "before", "behind", "many", "text"),
    [
        ("the", "man", None, None, False, "l'homme"),
        ("a", "man", "beautiful", None, False, "un bel homme"),
        ("the", "friend", "old", None, False, "le vieil ami"),
        ("the", "friend", "old", None, True, "les vieux amis"),
        ("a", "computer", "new", None, False, "un nouvel ordinateur"),
        ("some", "computer", "new", None, True, "de nouveaux ordinateurs"),
        ("this", "tool", None, None, False, "cet outil"),
        ("this", "tool", "small", None, False, "ce petit outil"),
        ("this", "scarf", None, "green", False, "cette écharpe verte"),
        ("her", "story", None, None, False, "son histoire"),
        (
            "my",
            "aunt",
            None,
            None,
            False,
            "ma tante",
        ),
        ("his", "clock", "old", "white", False, "sa vieille horloge blanche"),
        ("some", "water", None, "cold", False, "de l'eau froide"),
        ("some", "bread", "good", None, False, "du bon pain"),
        ("some", "orange", "excellent", None, True, "d'excellentes oranges"),
        ("many", "child", None, "tired", True, "beaucoup d'enfants fatigués"),
        ("all", "key", None, None, True, "toutes les clés"),
        ("two=deux", "horse", "small", "brown", True, "deux petits chevaux bruns"),
    ],
)
def test_noun_phrases(
    determiner: str, noun: str, before: str | None, behind: str | None, many: bool, text: str
) -> None:
    front = adjective(before) if before else None
    back = adjective(behind, "food" if behind == "cold" else "thing") if behind else None
    assert french(noun_phrase(determiner, ALL_NOUNS[noun], front, back, many=many)) == text


def test_english_articles() -> None:
    for noun, words in {"uniform": "a uniform", "umbrella": "an umbrella", "egg": "an egg"}.items():
        assert " ".join(noun_phrase("a", ALL_NOUNS[noun]).english) == words
    honest = noun_phrase("a", MAN, None, adjective("honest"))
    assert " ".join(honest.english) == "an honest man"


def test_contractions() -> None:
    market, hotel = the(ALL_NOUNS["market"]), the(ALL_NOUNS["hotel"])
    lakes = noun_phrase("the", ALL_NOUNS["lake"], many=True)
    assert spell_french(after("à", market.french)) == "au marché"
    assert spell_french(after("de", market.french)) == "du marché"
    assert spell_french(after("à", hotel.french)) == "à l'hôtel"
    assert spell_french(after("près de", hotel.french)) == "près de l'hôtel"
    assert spell_french(after("en face de", lakes.french)) == "en face des lacs"
    assert spell_french(after("à", lakes.french)) == "aux lacs"


def test_owners() -> None:
    key = owned(ANNE, KEY)
    assert finish((key.english, key.french)) == ("Anne's key.", "La clé d'Anne.")
    doctors = noun_phrase("the", ALL_NOUNS["doctor"], many=True)
    phrase = owned(doctors, ALL_NOUNS["house"], adjective("old"))
    assert (phrase.english, french(phrase)) == (
        ("the", "doctors'", "old", "house"),
        "la vieille maison des médecins",
    )


def see(who: Pronoun | Phrase, whom: Pronoun, word: str = "see", **options: object) -> Sides:
    subject = who.subject if isinstance(who, Pronoun) else who
    clause = Clause(subject, verb(word), **options)  # type: ignore[arg-type]
    return with_pronoun(clause, whom).statement()


@pytest.mark.parametrize(
    ("sides", "pair"),
    [
        (see(ME, HE), ("I see him.", "Je le vois.")),
        (see(HE, WE, "look at"), ("He looks at us.", "Il nous regarde.")),
        (see(ME, HE, tense="past", negation="not"), ("I did not see him.", "Je ne l'ai pas vu.")),
        (see(ME, SHE, tense="past"), ("I saw her.", "Je l'ai vue.")),
        (see(THEY, WE, tense="past"), ("They saw us.", "Ils nous ont vus.")),
        (see(HE, THEY, "find", tense="future", negation="never"),
         ("He will never find them.", "Il ne les trouvera jamais.")),
        (see(SHE, ME, "invite", negation="no longer"),
         ("She no longer invites me.", "Elle ne m'invite plus.")),
        (see(WE, YOU, tense="want"), ("We want to see you.", "Nous voulons vous voir.")),
        (see(YOU, IT, "open", tense="going", negation="not"),
         ("You are not going to open it.", "Vous n'allez pas l'ouvrir.")),
        (see(SHE, HE, tense="can", negation="not"),
         ("She cannot see him.", "Elle ne peut pas le voir.")),
        (see(HE, HE, adverb=("often", "souvent"), tense="past"),
         ("He often saw him.", "Il l'a souvent vu.")),
        (see(HE, SHE, "know", tense="past"), ("He knew her.", "Il la connaissait.")),
    ],
)  # fmt: skip
def test_object_pronouns(sides: Sides, pair: tuple[str, str]) -> None:
    assert finish(sides) == pair


def test_giving() -> None:
    girl = noun_phrase("the", GIRL, adjective("little", "person"))
    book = noun_phrase("a", BOOK, None, adjective("red"))
    give = verb("give")
    assert finish(giving(Clause(girl, give), HE, book).statement()) == (
        "The little girl gives him a red book.",
        "La petite fille lui donne un livre rouge.",
    )
    assert finish(giving(Clause(PAUL, give, negation="not"), THEY, book).statement()) == (
        "Paul does not give them a red book.",
        "Paul ne leur donne pas de livre rouge.",
    )
    assert finish(giving_both(Clause(HE.subject, give), IT, SHE).statement()) == (
        "He gives it to her.",
        "Il le lui donne.",
    )
    clause = Clause(ANNE, give, "past", "not")
    assert finish(giving_both(clause, THEY, ME).statement()) == (
        "Anne did not give them to me.",
        "Anne ne me les a pas donnés.",
    )


def test_partitives_under_negation() -> None:
    for noun, text in {"bread": "de pain", "water": "d'eau", "meat": "de viande"}.items():
        thing = noun_phrase("some", ALL_NOUNS[noun])
        clause = with_noun(Clause(ME.subject, verb("eat"), negation="not"), thing)
        assert finish(clause.statement()) == (
            f"I do not eat any {noun}.",
            f"Je ne mange pas {text}.",
        )


@pytest.mark.parametrize(
    ("subject", "word", "text"),
    [
        (ANNE, "arrive", "Anne est arrivée."),
        (THEY.subject, "leave", "Ils sont partis."),
        (both(ANNE, SHE.subject), "go out", "Anne et elle sont sorties."),
        (both(ANNE, PAUL), "go out", "Anne et Paul sont sortis."),
        (SHE.subject, "get up", "Elle s'est levée."),
        (WE.subject, "get dressed", "Nous nous sommes habillés."),
        (ME.subject, "have fun", "Je me suis amusé."),
        (YOU.subject, "fall", "Vous êtes tombé."),
        (SHE.subject, "laugh", "Elle a ri."),
    ],
)  # fmt: skip
def test_compound_past(subject: Phrase, word: str, text: str) -> None:
    verbs = {found.english: found for found in (*BARE, *ACTIVITIES, *STAYING)}
    assert finish(Clause(subject, verbs[word], "past").statement())[1] == text


def test_relative_clause_agrees() -> None:
    letters = noun_phrase("the", LETTER, many=True)
    phrase = related(letters, Clause(HE.subject, verb("write"), "past"))
    assert " ".join(phrase.english) == "the letters that he wrote"
    assert french(phrase) == "les lettres qu'il a écrites"


def test_questions() -> None:
    clause = with_noun(Clause(SHE.subject, verb("have")), noun_phrase("a", KEY))
    assert finish(clause.question(), "?") == ("Does she have a key?", "Est-ce qu'elle a une clé ?")
    buy = next(i for i, found in enumerate(HANDLING) if found.english == "buy")
    assert finish(how_many(THEY.subject, KEY, "past", buy), "?") == (
        "How many keys did they buy?",
        "Combien de clés est-ce qu'ils ont achetées ?",
    )


def test_references_take_the_gender_of_the_noun() -> None:
    take, put = Clause(PAUL, verb("take"), "past"), OTHERS["mettre"]
    then = Clause(PAUL, put, "past", tail=(("on", "the", "table"), ("sur", "la", "table")))
    assert finish(take_and_put(take, the(KEY), KEY, then)) == (
        "Paul took the key and put it on the table.",
        "Paul a pris la clé et l'a mise sur la table.",
    )
    assert pronoun_for(the(KEY), KEY).french == ("elle",)
    assert pronoun_for(the(KEY), KEY).english == ("it",)
    many = noun_phrase("the", BOOK, many=True)
    assert pronoun_for(many, BOOK).french == ("ils",)
    assert pronoun_for(many, BOOK).person == ILS


def test_orders_and_comparisons() -> None:
    watch = ("look at", "regardez")
    assert finish(order(watch, THEY, ((), ()), negative=False), "!") == (
        "Look at them!",
        "Regardez-les !",
    )
    assert finish(order(watch, ME, ((), ()), negative=True), "!") == (
        "Do not look at me!",
        "Ne me regardez pas !",
    )
    house, hotel = ALL_NOUNS["house"], ALL_NOUNS["hotel"]
    sides = compared(the(house), adjective("old"), the(hotel), "more", "past").statement()
    assert finish(sides) == (
        "The house was older than the hotel.",
        "La maison était plus vieille que l'hôtel.",
    )


def test_elision_of_if() -> None:
    assert spell_french(("si", "il", "a", "faim")) == "s'il a faim"
    assert spell_french(("si", "elle", "a", "faim")) == "si elle a faim"


@pytest.fixture(scope="module")
def train() -> list[tuple[str, str]]:
    return list(EnglishFrench().pairs("train"))


def test_the_corpus_does_not_drift(train: list[tuple[str, str]]) -> None:
    digest = sha256("\n".join("\t".join(pair) for pair in train).encode()).hexdigest()
    assert (len(train), digest[:12]) == (30000, "95d3c0897637")


def test_one_source_has_one_target() -> None:
    dice, known = Dice(5), dict[str, str]()
    for _ in range(15000):
        english, french = sentence(dice)
        assert known.setdefault(english, french) == french


def test_every_word_of_the_lexicon_appears(train: list[tuple[str, str]]) -> None:
    english = " " + " ".join(source for source, _ in train).lower().replace(".", " ") + " "
    spoken = set(english.replace("?", " ").replace("!", " ").replace(",", " ").split())
    nouns = {word for noun in ALL_NOUNS.values() for word in (noun.english,)}
    words = {found.english for table in (BEFORE, AFTER) for row in table.values() for found in row}
    names = {name.lower() for name in (*lexicon.MEN, *lexicon.WOMEN)}
    assert not (nouns | words | names) - spoken
    assert not [word for word in ALL_VERBS if f" {word} " not in english and word != "be"]


def test_shape_of_the_text(train: list[tuple[str, str]]) -> None:
    lengths = [len(source.split()) for source, _ in train]
    assert min(lengths) == 3
    assert 15 <= max(lengths) <= 25
    for source, target in train:
        assert source[-1] in ".?!"
        assert target[-1] == source[-1]
        assert source[0].isupper()
        assert target[0].isupper()


def test_french_never_leaves_a_vowel_unelided(train: list[tuple[str, str]]) -> None:
    for _, target in train:
        words = target.lower().split()
        for word, following in pairwise(words):
            if word in ("je", "ne", "que", "le", "la", "de", "me", "se"):
                assert following[0] not in lexicon.VOWELS, target
            assert (word, following) not in {("de", "le"), ("à", "le"), ("de", "les"), ("à", "les")}


def test_vocabulary_is_small(train: list[tuple[str, str]]) -> None:
    for side, most in ((0, 1000), (1, 2400)):
        words = {word for pair in train for word in re.findall(r"[\w-]+", pair[side].lower())}
        assert 600 < len(words) < most
    assert len(ALL_NOUNS) >= 80
    assert len(ALL_VERBS) >= 50
    assert (
        len({found for table in (BEFORE, AFTER) for row in table.values() for found in row}) >= 40
    )
