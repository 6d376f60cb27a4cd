"""Rules look up, choose, reorder, inflect and spell."""

from pathlib import Path

import pytest

from saccade.corpora.english_french import EnglishFrench
from saccade.models._rule_book import RuleBook
from saccade.models._rule_engine import RuleEngine, spans, tokens
from saccade.models._rule_file import parse_rules, read_rules

FRENCH = Path(__file__).parents[2] / "recipes" / "classical" / "rules" / "english-french.yaml"
SMALL = """
classes:
  noun: {number: singular}
  adjective: {gender: m, number: singular}
  determiner: {gender: m, number: singular}
  verb: {}
agreement: [gender, number]
letters: {vowel: aeiou}
source: {noun: {number=plural: {'': s}}}
target:
  noun: {number=plural: {al: aux, '': s}}
  adjective: {gender=f: {'': e}, number=plural: {'': s}}
  determiner: {gender=f: {}, number=plural: {}}
choose:
  - [determiner, noun]
order:
  - {when: [(determiner), (adjective), noun], write: [1, 3, 2], agree: {1: 3, 2: 3}}
spelling:
  - {words: [le, la], before: vowel, drop: 1, become: "'"}
  - {words: [de, le], become: du}
words:
  the: {to: le, class: determiner, target: {gender=f: la, number=plural: les}}
  of: de
  black: {to: noir, class: adjective}
  horse: {to: cheval, class: noun, gender: m}
  island: {to: ile, class: noun, gender: f}
  sea: {to: mer, class: noun, gender: f}
  play: [{to: jouer, class: verb}, {to: drame, class: noun, gender: m}]
  look at: {to: regarder, class: verb}
"""


def engine() -> RuleEngine:
    return RuleEngine(RuleBook(parse_rules(SMALL, "small.yaml")))


def said(text: str, by: RuleEngine | None = None) -> str:
    return "".join(" " * w.spaced + w.text for w in (by or engine()).translate(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the black horse", "le cheval noir"),
        ("the black horses", "les chevaux noirs"),
        ("the black sea", "la mer noire"),
        ("the island", "l'ile"),
        ("of the horse", "du cheval"),
        ("of the island", "de l'ile"),
        ("play the play", "jouer le drame"),
        ("look at the sea", "regarder la mer"),
        ("The Zorglub, of Zog!", "Le Zorglub, de Zog!"),
        ("", ""),
        ("...", "..."),
    ],
)
def test_sentences(text: str, expected: str) -> None:
    assert said(text) == expected


def test_words_say_where_they_come_from() -> None:
    found = {w.text: w.sources for w in engine().translate("look at the black sea")}
    assert found == {"regarder": (0, 1), "la": (2,), "mer": (4,), "noire": (3,)}
    assert {w.text: w.sources for w in engine().translate("of the horse")}["du"] == (0, 1)


def test_tokens_stand_where_spans_say() -> None:
    text = " Marc's cat-like dog, please! "
    assert [text[a:b] for a, b in spans(text)] == tokens(text)


def test_a_long_text_ends() -> None:
    assert len(engine().translate("the black horse " * 1000)) <= 500


def test_the_shipped_rules_get_far_in_the_embedded_corpus() -> None:
    french = RuleEngine(RuleBook(read_rules(FRENCH)))
    pairs = [pair for pair, _ in zip(EnglishFrench().pairs("test"), range(200), strict=False)]
    right = sum(said(source, french) == target for source, target in pairs)
    assert right > 190
    assert said("He never gave it to me.", french) == "Il ne me l'a jamais donné."
    assert (
        said("The old castles are not beautiful.", french)
        == "Les vieux châteaux ne sont pas beaux."
    )
