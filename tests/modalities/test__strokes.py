"""Strokes and their text. What cannot be read is refused by name, whatever it is."""

import json
import time
from contextlib import suppress
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.errors import DataError
from saccade.modalities._strokes import Strokes, as_strokes, from_text, path_data, to_text

SHAPE: list[list[tuple[float, float]]] = [[(5, 5), (6.25, 5), (7, 9)], [(1, 1), (2, 2)]]


def lists(strokes: Strokes) -> list[list[list[float]]]:
    return [stroke.tolist() for stroke in strokes]


def test_the_first_point_is_the_origin_and_the_pen_is_lifted_at_the_end() -> None:
    one = Strokes.of(SHAPE)
    assert lists(one) == [[[0, 0], [1.25, 0], [2, 4]], [[-4, -4], [-3, -3]]]
    assert one.points[:, 2].tolist() == [0, 0, 1, 0, 1]
    assert list(one.box) == [-4, -4, 2, 4]
    assert len(one) == 5


def test_a_dot_is_a_point_that_stands_twice() -> None:
    assert lists(Strokes.of([[(1, 1)], [], [(3, 1), (4, 1)]])) == [
        [[0, 0], [0, 0]],
        [[2, 0], [3, 0]],
    ]


def test_as_text_they_are_svg() -> None:
    one = Strokes.of(SHAPE)
    root = ElementTree.fromstring(to_text(one))
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert root[0].get("d") == path_data(one) == "M0 0L1.25 0 2 4M-4 -4L-3 -3"
    assert root.get("viewBox") == "-12.0 -12.0 22.0 24.0"
    assert "\n" not in to_text(one)


@pytest.mark.parametrize(
    "text",
    [
        "M5 5L6.25 5L7 9M1 1L2 2",
        "m5,5 1.25,0 .75,4 m-6-8 l1 1",
        "M5 5H6.25L7 9M1 1l1,1",
        '<svg><path fill="none" d="M5 5L6.25 5 7 9"/><path d=\'M1 1 L2 2\'/></svg>',
        json.dumps(SHAPE),
        json.dumps([[[x, y, 17.5] for x, y in stroke] for stroke in SHAPE]),
        " [[[5, 5], [6.25, 5], [7, 9]], [[1, 1], [2, 2]]]\n",
    ],
)
def test_texts_that_say_the_same(text: str) -> None:
    assert lists(from_text(text)) == lists(Strokes.of(SHAPE))
    assert lists(as_strokes(text)) == lists(as_strokes(SHAPE)) == lists(as_strokes(from_text(text)))


def test_a_closed_path_goes_back_to_its_beginning() -> None:
    assert lists(from_text("M0 0L1 0 1 1z")) == [[[0, 0], [1, 0], [1, 1], [0, 0]]]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", "no point at all"),
        ("some words", "found 'some words'"),
        ("M0 0C1 1 2 2 3 3", "found 'C1 1 2 2 3 3'"),
        ("1 2 3", "found '1 2 3'"),
        ("M0 0L1", "the path ends with half a point"),
        ("M0 0L1 M2 2", "found 'M2 2'"),
        ("M0 0Z5", "found '5'"),
        ("<svg></svg>", "no point at all"),
        ("[1, 2]", "found 1 for a stroke"),
        ("[[1, 2]]", "for a stroke"),
        ('[["ab", "cd"]]', "for a stroke"),
        ("[[[1, NaN]]]", "for a stroke"),
        ("[[[1, 1e300]]]", "for a stroke"),
        ("[[[1]]]", "for a stroke"),
        ("[" * 100_000, "found '[[[["),
        ("[[[1, 2], [3]]]", "for a stroke"),
    ],
)
def test_what_cannot_be_read_is_named(text: str, found: str) -> None:
    with pytest.raises(DataError) as caught:
        from_text(text, "line 7")
    assert str(caught.value).startswith("line 7: ")
    assert found in str(caught.value)
    assert "expected an SVG path of M and L, or JSON such as" in str(caught.value)


def test_too_much_is_refused() -> None:
    with pytest.raises(DataError, match=r"input: more than 100,000 points; expected fewer. Cut"):
        from_text("M0 0" + "l1 1" * 100_000)
    with pytest.raises(DataError, match=r"input: 8,000,001 characters; expected at most"):
        from_text(" " * 8_000_001)


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="MmLlHhVvZzCc0123456789.,-+eE <>path=d'\"[]{}:/", max_size=60))
def test_no_text_does_harm(text: str) -> None:
    try:
        found = from_text(text)
    except DataError:
        return
    assert np.isfinite(found.points).all()
    assert lists(from_text(to_text(found))) == lists(found)


@pytest.mark.parametrize(
    "text", ["<path " * 16_000, "M0 0" + " " * 90_000 + "!", "M0 0L1 1" * 9_000 + " " * 20_000]
)
def test_a_long_text_is_read_or_refused_at_once(text: str) -> None:
    begun = time.process_time()
    with suppress(DataError):
        from_text(text)
    assert time.process_time() - begun < 1  # the first two took 6 seconds, and minutes
