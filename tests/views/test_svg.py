"""The frame that all pictures share."""

from xml.etree import ElementTree

import pytest

from saccade.views import svg


def test_a_document_is_well_formed_and_fetches_nothing() -> None:
    drawn = svg.document(10, 20, svg.text(1, 2, "<&>", turn=-50), name='"quoted" & <named>')
    root = ElementTree.fromstring(drawn)
    assert root.get("viewBox") == "0 0 10 20"
    assert root.get("aria-label") == '"quoted" & <named>'
    assert "url(" not in drawn
    assert "@import" not in drawn
    assert "<script" not in drawn


def test_light_and_dark_are_both_styled() -> None:
    assert "prefers-color-scheme:dark" in svg.STYLE
    assert "currentColor" in svg.STYLE


@pytest.mark.parametrize(
    ("value", "written"), [(3.0, "3"), (0.126, "0.13"), (-0.001, "0"), (100, "100")]
)
def test_numbers_are_short(value: float, written: str) -> None:
    assert svg.number(value) == written


def test_only_the_outer_svg_is_made_elastic() -> None:
    drawn = svg.elastic(svg.document(1, 1, "<g/>", name=""))
    assert drawn.count("max-width:100%") == 1
    ElementTree.fromstring(drawn)
    ElementTree.fromstring(svg.scroller(drawn))


def test_broad_letters_are_given_more_room() -> None:
    assert svg.pixels("iii") == svg.pixels("aaa") < svg.pixels("AAA") < svg.pixels("WWW")
    assert svg.pixels("日") == svg.pixels("ab")
