"""A book of rules says in which line a rule is wrong."""

import pytest

from saccade.errors import RecipeError
from saccade.models._rule_book import RuleBook
from saccade.models._rule_file import parse_rules

CLASSES = "classes: {noun: {number: singular}, adjective: {}}\n"


def refused(text: str) -> str:
    with pytest.raises(RecipeError) as caught:
        RuleBook(parse_rules(CLASSES + text, "r.yaml"))
    return str(caught.value)


def test_words_have_their_forms() -> None:
    book = RuleBook(
        parse_rules(
            CLASSES + "source: {noun: {number=plural: {y: ies, '': s}}}\n"
            "words:\n  city: {to: ville, class: noun}\n"
            "  mouse: {to: souris, class: noun, source: {number=plural: mice}}\n"
            "  town: {like: city}\n",
            "r.yaml",
        )
    )
    assert book.forms["cities",][0].features["number"] == "plural"
    assert book.forms["city",][0].features["number"] == "singular"
    assert ("mouses",) not in book.forms
    assert book.forms["mice",][0].to == "souris"
    assert book.forms["towns",][0].to == "ville"


def test_a_loop_names_its_words() -> None:
    said = refused("words:\n  a: {like: b}\n  b: {like: c}\n  c: {like: a}\n")
    assert "r.yaml, line 3: words.a: 'a' is like 'b' is like 'c' is like 'a': a loop." in said


def test_unknown_things_are_named_with_their_line() -> None:
    assert refused("wrods: {}\n").startswith(
        "r.yaml, line 2: wrods: no key 'wrods'. Did you mean 'words'? Keys: classes, words,"
    )
    assert refused("words:\n  cat: {to: chat, class: nuon}\n").startswith(
        "r.yaml, line 3: words.cat.class: no class 'nuon'. Did you mean 'noun'? Name it in classes"
    )
    assert refused("order:\n  - {when: [adjectiv, noun], write: [2, 1]}\n").startswith(
        "r.yaml, line 3: order.0.when.0: no class 'adjectiv'. Did you mean 'adjective'?"
    )
    assert "order.0: '3' is no place of the pattern, which has 2" in refused(
        "order:\n  - {when: [adjective, noun], write: [3]}\n"
    )
    assert "order.0.write: there is no word 'have'" in refused(
        "order:\n  - {when: [noun], write: ['@have']}\n"
    )
    assert "order.0.wen: no key 'wen'" in refused("order:\n  - {wen: [noun], write: []}\n")
    assert "order.0: expected when and write" in refused("order:\n  - {when: [noun]}\n")
    assert "words.a.like: there is no word 'b'" in refused("words: {a: {like: b}}\n")
    assert "every place may be missing" in refused("order:\n  - {when: [(noun)], write: ['1']}\n")
    assert "'plural' is no feature=value; expected such as number=plural" in refused(
        "target: {noun: {plural: {'': s}}}\n"
    )
    assert "expected words: [...], and before: one of letters" in refused(
        "spelling:\n  - {words: [a], before: vowel, become: an}\n"
    )
    assert "words.a: found ['b']; expected" in refused("words: {a: [[b]]}\n")
    assert "choose.0: found 'noun'; expected a list of patterns" in refused("choose: [noun]\n")
