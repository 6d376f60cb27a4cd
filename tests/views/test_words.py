"""Cleaning, escaping and measuring of words."""

from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.views.words import clean, clusters, columns, escape, label, pad, sentence, shorten

anything = st.text(st.characters(codec=None, exclude_categories=()))


@settings(deadline=None)
@given(anything)
def test_escaped_text_is_well_formed_xml(text: str) -> None:
    element = ElementTree.fromstring(f'<a b="{escape(text)}">{escape(text)}</a>')
    assert (element.text or "") == clean(text)


@settings(deadline=None)
@given(anything)
def test_cleaning_twice_is_cleaning_once(text: str) -> None:
    assert clean(clean(text)) == clean(text)
    assert clean(clean(text, breaks=True), breaks=True) == clean(text, breaks=True)


@pytest.mark.parametrize("bad", ["\x00", "\x1b", "\x9b", "\ud800", "\uffff", "\u202e", "\x7f"])
def test_dangerous_characters_are_dropped(bad: str) -> None:
    assert clean(f"a{bad}b") == "ab"


def test_line_breaks_become_spaces_unless_kept() -> None:
    assert clean("a\nb\u2028c") == "a b c"
    assert clean("a\nb\tc", breaks=True) == "a\nb\tc"


@settings(deadline=None)
@given(anything, st.integers(1, 30))
def test_padding_is_exact(text: str, width: int) -> None:
    assert columns(pad(clean(text), width)) == width
    assert columns(pad(clean(text), width, right=True)) == width
    assert columns(shorten(clean(text), width)) <= width


@settings(deadline=None)
@given(anything)
def test_a_label_always_takes_room_and_has_no_space(text: str) -> None:
    assert columns(label(text)) >= 1
    assert " " not in label(text)


def test_wide_and_combining_characters_are_measured() -> None:
    assert columns("日本") == 4
    assert columns("e\u0301") == 1
    assert clusters("e\u0301日") == ["e\u0301", "日"]
    assert shorten("日本語", 5) == "日本…"


def test_white_space_is_made_visible() -> None:
    assert label("a b\u2028\n\t") == "a␣b⏎⏎⇥"


def test_a_lone_mark_stands_on_a_circle() -> None:
    assert label("\u0301") == "◌\u0301"


def test_pieces_of_one_character_are_joined_closely() -> None:
    assert sentence(list("1999-01")) == "1999-01"
    assert sentence(["the", "cat"]) == "the cat"
