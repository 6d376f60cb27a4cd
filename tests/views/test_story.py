"""A story with its hops, in characters and as SVG."""

from xml.etree import ElementTree

import numpy as np
import pytest

from saccade.errors import ShapeError
from saccade.views.story import StoryMaps, draw_story, to_svg, to_terminal

MAPS = {"hop 1": np.array([0.02, 0.98]), "hop 2": np.array([0.6, 0.4])}
ONE = StoryMaps(("Ida <slept>", "Ben went home"), MAPS, "Where is Ben?", "home", 7, (8,))


def test_lines_have_marks_numbers_and_weights() -> None:
    title, heads, first, second, below = to_terminal(ONE).splitlines()
    assert title == "Where is Ben? → home"
    assert heads.split() == ["hop", "1", "hop", "2"]
    assert first.split() == ["7", "Ida", "<slept>", "·", "▓", "0.60"]
    assert second.split() == ["*", "8", "Ben", "went", "home", "█", "0.98", "▒", "0.40"]
    assert below == "* the answer follows from these"


def test_width_is_kept() -> None:
    long = StoryMaps(("word " * 60,) * 2, MAPS)
    assert max(map(len, to_terminal(long, width=60).splitlines())) <= 60


def test_svg_is_well_formed_and_marks_sentences() -> None:
    picture = to_svg(ONE)
    ElementTree.fromstring(picture)
    assert picture.count("supports the answer") == 1
    assert "Ida &lt;slept&gt;" in picture
    assert picture.count('class="hue"') == 4
    unmarked = StoryMaps(ONE.sentences, MAPS)
    assert "follows" not in to_svg(unmarked)
    assert "follows" not in to_terminal(unmarked)


def test_a_drawing_has_every_form() -> None:
    drawing = draw_story(ONE, said="a story")
    assert drawing.terminal(80) == to_terminal(ONE, width=80)
    assert drawing.svg == to_svg(ONE)
    assert "a story" in drawing.encoded(".html").decode()


def test_weights_of_another_story_are_refused() -> None:
    message = r"story: hop 1 has weights of shape \(3,\); expected \(2,\), one for each sentence"
    with pytest.raises(ShapeError, match=message):
        StoryMaps(("a", "b"), {"hop 1": np.zeros(3)})
