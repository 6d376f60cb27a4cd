"""Conditions, patterns and what is written mean what they say."""

import pytest

from saccade.models._rule_terms import RuleUnit, condition, pattern, written


def test_conditions() -> None:
    one = condition("gender=f|m number!=plural")
    assert one.holds({"gender": "m"})
    assert not one.holds({"gender": "m", "number": "plural"})
    assert not one.holds({})
    assert one.sets() == {"gender": "f"}
    for text in ("gender", "=f", "gender=", "gender!="):
        with pytest.raises(ValueError, match="is no feature=value"):
            condition(text)


def test_patterns() -> None:
    one = pattern("(verb|be tense=past)")
    assert one.optional
    assert one.fits({"class": "be", "tense": "past"})
    assert not one.fits({"class": "noun", "tense": "past"})
    assert pattern("*").fits({"class": "anything"})
    with pytest.raises(ValueError, match="an empty pattern; expected a class"):
        pattern("()")


def test_what_is_written() -> None:
    assert written("=que", 1).literal == "que"
    assert written("@go_out tense=1.tense", 1).entry == "go out"
    assert written("2 tense=past", 2).place == 1
    for text in ("0", "3", "x", "", "1 a=4.b"):
        with pytest.raises(ValueError, match="is no place of the pattern, which has 2"):
            written(text, 2)


def test_a_group_agrees_by_its_head() -> None:
    verb, clitic, noun = (RuleUnit({"class": name}) for name in ("verb", "reflexive", "noun"))
    clitic.features["agrees"] = "yes"
    group = RuleUnit({"class": "group"}, children=[clitic, verb, noun], head=verb)
    group.agree(RuleUnit({"person": "nous", "tense": "past"}), ("person",))
    assert [one.features.get("person") for one in (verb, clitic, noun)] == ["nous", "nous", None]
    assert "tense" not in verb.features
    group.set("denied", "yes")
    assert all(one.features["denied"] == "yes" for one in group.words())
