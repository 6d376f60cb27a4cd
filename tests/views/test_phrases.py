"""Phrases, their order and the stacks."""

from xml.etree import ElementTree

import pytest

from saccade.errors import ShapeError
from saccade.views import phrases
from saccade.views.phrases import PhraseStep, StackRow

SOURCE = ["das", "habe", "ich", "<gesehen>"]
PATH = [
    PhraseStep(2, 3, "i"),
    PhraseStep(1, 2, "have"),
    PhraseStep(3, 4, "seen"),
    PhraseStep(0, 1, ""),
]
STACKS = [StackRow(1, 0, 0, 0), StackRow(4, 2, 1, 9), StackRow(4, 0, 3, 0)]
NAME = "{http://www.w3.org/2000/svg}"


def test_every_phrase_is_a_band_between_its_words_and_what_they_became() -> None:
    drawn = phrases.to_svg(SOURCE, PATH, STACKS, title="Phrases")
    root = ElementTree.fromstring(drawn)
    bands = [one.attrib["points"].split() for one in root.iter(f"{NAME}polygon")]
    tops = [float(points[0].partition(",")[0]) for points in bands]
    bottoms = [float(points[3].partition(",")[0]) for points in bands]
    assert bottoms == sorted(bottoms)  # as they were written
    assert sorted(range(4), key=lambda n: tops[n]) == [3, 1, 0, 2]  # as they stand in the source
    assert "<gesehen>" not in drawn
    assert "2 dropped" in drawn


def test_a_terminal_shows_what_is_covered_behind_each_phrase() -> None:
    lines = phrases.to_terminal(SOURCE, PATH, STACKS).splitlines()
    assert [line.split()[0] for line in lines[1:5]] == ["··█·", "·██·", "·███", "████"]
    assert lines[4].split() == ["████", "das", "∅"]
    assert lines[-2].split() == ["1", "4", "2", "1", "9"]


def test_phrases_of_words_that_are_not_there_are_refused() -> None:
    for path in ([], [PhraseStep(0, 5, "x")], [PhraseStep(2, 2, "x")]):
        with pytest.raises(ShapeError, match="expected one or more, each of words that are there"):
            phrases.to_svg(SOURCE, path, STACKS)
