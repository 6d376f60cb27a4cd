"""Score by length."""

import math
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.errors import ShapeError
from saccade.views import by_length
from saccade.views.by_length import Bucket, buckets_of, lengths_of
from tests.views.pictures import BAD, anything, parts, sound, tips

BUCKETS = [Bucket(1, 5, 10, 40.0, 35.0, 44.5), Bucket(6, 10, 1200, 30.0, 28.0, 32.0)]
buckets = st.builds(
    Bucket, st.integers(0, 99), st.integers(0, 999), st.integers(0), *[st.floats()] * 3
)


def test_every_bucket_has_its_point_and_interval() -> None:
    drawn = by_length.to_svg(BUCKETS, metric="BLEU", title="t")
    assert tips(drawn)[0] == "1–5: BLEU 40.00, 35.00 to 44.50, 10 sentences"
    points = parts(drawn, "circle")
    assert [p.get("data-value") for p in points] == ["40", "30"]
    assert float(points[0].get("cy", "")) < float(points[1].get("cy", ""))
    assert "1,200" in drawn


def test_the_last_bucket_takes_the_few_long_ones() -> None:
    found = buckets_of([*range(1, 101), 900])
    assert found[-1][:2] == (81, 900)
    assert sum(len(members) for *_, members in found) == 101


def test_words_are_counted_unless_all_have_as_many() -> None:
    assert lengths_of(["a b c", "d"]) == ([3, 1], "words")
    assert lengths_of(["cat", "horses", "no"]) == ([3, 6, 2], "characters")
    assert lengths_of(["a b", "ccc d"]) == ([3, 5], "characters")
    assert lengths_of([[1, 2, 3], [4]]) == ([3, 1], "places")
    assert lengths_of([]) == ([], "characters")


@given(st.lists(st.integers(0, 500), max_size=60), st.integers(1, 9))
def test_every_sentence_is_in_the_bucket_of_its_length(lengths: list[int], n: int) -> None:
    found = buckets_of(lengths, n_buckets=n)
    assert sorted(i for *_, members in found for i in members) == list(range(len(lengths)))
    for first, last, members in found:
        assert all(first <= lengths[i] <= last for i in members)
    assert all(a[1] < b[0] for a, b in zip(found, found[1:], strict=False))  # noqa: RUF007
    assert len(found) <= n + 1


def test_a_narrow_terminal_is_refused() -> None:
    with pytest.raises(ShapeError, match="width is 29 columns; at least 30 are needed"):
        by_length.to_terminal(BUCKETS, metric="BLEU", width=29)


def test_nothing_and_markup() -> None:
    ElementTree.fromstring(by_length.to_svg([], metric="BLEU"))
    assert by_length.to_terminal([], metric="BLEU") == "length   n BLEU\n"
    assert "<script" not in by_length.to_svg(BUCKETS, metric=BAD, title=BAD)
    assert "nan" not in by_length.to_svg([Bucket(1, 1, 1, math.nan, 0, 1)], metric="x")


@settings(deadline=None, max_examples=40)
@given(st.lists(buckets, max_size=5), anything, st.integers(30, 90))
def test_any_buckets_give_sound_pictures(found: list[Bucket], name: str, width: int) -> None:
    ElementTree.fromstring(by_length.to_svg(found, metric=name, title=name))
    sound(by_length.to_terminal(found, metric=name, width=width), width)
