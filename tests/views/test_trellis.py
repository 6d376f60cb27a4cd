"""The trellis of CTC."""

import numpy as np
import pytest

from saccade.errors import ShapeError
from saccade.views import trellis
from tests.views.pictures import BAD, parts, tips

POSTERIORS = np.array([[0.75, 0.25, 0.0], [0.0, 1.0, 0.0], [0.0, 0.125, 0.875]])


def test_every_cell_that_can_be_has_its_tooltip() -> None:
    drawn = trellis.to_svg(POSTERIORS, ["a"], [0, 1, 2])
    assert tips(drawn) == [
        "frame 1, –: 0.750",
        "frame 1, a: 0.250",
        "frame 2, a: 1.000",
        "frame 3, a: 0.125",
        "frame 3, –: 0.875",
    ]
    (path,) = parts(drawn, "polyline")
    heights = [float(point.split(",")[1]) for point in path.get("points", "").split()]
    assert np.diff(heights).tolist() == [22.0, 22.0]


def test_the_terminal_reads_as_expected() -> None:
    lines = trellis.to_terminal(POSTERIORS, ["a"], [0, 1, 2]).split("\n")
    assert lines == ["– x", "a ·x·", "–   x", ""]
    narrow = trellis.to_terminal(np.tile(POSTERIORS, (30, 1)), ["a"], [0, 1, 2] * 30, width=40)
    assert max(map(len, narrow.split("\n"))) <= 40
    assert narrow.count("x") == 90


def test_spikes_stand_where_labels_are() -> None:
    drawn = trellis.spikes_svg(POSTERIORS, ["a"], title="one")
    assert tips(drawn) == ["blank", "a"]
    blank, label = (line.get("points", "").split() for line in parts(drawn, "polyline"))
    heights = [float(point.split(",")[1]) for point in label]
    assert heights.index(min(heights)) == 1
    assert len(blank) == 3


def test_script_in_a_label_is_only_text() -> None:
    for drawn in (
        trellis.to_svg(POSTERIORS, [BAD], [0, 1, 2], title=BAD),
        trellis.spikes_svg(POSTERIORS, [BAD], title=BAD),
    ):
        assert "<script" not in drawn
        assert parts(drawn, "svg")


def test_shapes_that_do_not_fit_are_refused() -> None:
    told = r"trellis: found posteriors of shape \(3, 3\) for 2 labels and a path of 3 frames"
    with pytest.raises(ShapeError, match=told):
        trellis.to_svg(POSTERIORS, ["a", "b"], [0, 1, 2])


WORDS, TAGS = ["▁the", "▁cat", "▁sat"], ["D", "N", "V", "X"]
TAGGED = np.array([[0.9, 0.1, 0.0, 0.001], [0.0, 1.0, 0.0, 0.0], [0.0, 0.25, 0.75, 0.0]])


def test_tags_stand_above_their_words() -> None:
    drawn = trellis.states_svg(TAGGED, TAGS, WORDS, [0, 1, 2], title="tags")
    assert tips(drawn) == [
        *("the, D: 0.900", "the, N: 0.100", "cat, N: 1.000", "sat, N: 0.250", "sat, V: 0.750"),
    ]
    texts = [one.text for one in parts(drawn, "text")]
    assert texts == ["tags", "D", "N", "V", "the", "cat", "sat"]  # X is likely nowhere
    assert trellis.states_terminal(TAGGED, TAGS, WORDS, [0, 1, 2]).split("\n") == [
        "   the  cat  sat",
        "D  90*",
        "N  10  100*  25",
        "V            75*",
        "",
    ]


def test_long_sentences_are_written_in_panels() -> None:
    many = trellis.states_terminal(
        np.tile(TAGGED, (9, 1)), TAGS, WORDS * 9, [0, 1, 2] * 9, width=40
    )
    assert max(map(len, many.split("\n"))) <= 40
    assert many.count("*") == 27


def test_words_that_do_not_fit_are_refused() -> None:
    told = r"trellis: found posteriors of shape \(3, 4\) and a path of 2 for 4 states and 3 words"
    with pytest.raises(ShapeError, match=told):
        trellis.states_svg(TAGGED, TAGS, WORDS, [0, 1])
