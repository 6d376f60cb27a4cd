"""The edit-distance table."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from saccade.errors import ShapeError
from saccade.views import edit_table
from saccade.views.edit_table import edits
from tests.views.pictures import BAD, anything, parts, sound, tips, words

pieces = st.lists(st.sampled_from("abc"), max_size=8)


@settings(deadline=None, max_examples=60)
@given(pieces, pieces, st.sampled_from([1, 2]))
def test_the_distance_is_that_of_rapidfuzz(a: list[str], b: list[str], substitution: int) -> None:
    found = edits(a, b, substitution=substitution)
    assert found.distance == Levenshtein.distance(a, b, weights=(1, 1, substitution))
    assert found.costs.shape == (len(a) + 1, len(b) + 1)


@settings(deadline=None, max_examples=60)
@given(pieces, pieces, st.sampled_from([1, 2]))
def test_the_path_turns_one_into_the_other(a: list[str], b: list[str], substitution: int) -> None:
    found = edits(a, b, substitution=substitution)
    written = [b[s.j - 1] for s in found.path if s.kind != "delete"]
    read = [a[s.i - 1] for s in found.path if s.kind != "insert"]
    price = {"keep": 0, "substitute": substitution, "delete": 1, "insert": 1}
    assert (read, written) == (a, b)
    assert sum(price[s.kind] for s in found.path) == found.distance
    assert all(a[s.i - 1] == b[s.j - 1] for s in found.path if s.kind == "keep")


def test_the_path_is_shaded_and_tells_its_operations() -> None:
    drawn = edit_table.to_svg(["a", "b"], ["a", "c", "d"], title="edits")
    assert tips(drawn) == ["start", "keep a", "insert c", "substitute b by d"]
    assert "distance 2: 1 substituted, 0 deleted, 1 inserted, 1 kept" in drawn


def test_the_terminal_reads_as_expected() -> None:
    drawn = edit_table.to_terminal(["a", "b"], ["a"])
    assert drawn.split("\n") == [
        "   ∅  a",
        "∅ [0] 1",
        "a  1 [0]",
        "b  2 [1]",
        "",
        "  0 keep a",
        "  1 delete b",
        "distance 1: 0 substituted, 1 deleted, 0 inserted, 1 kept",
        "",
    ]


def test_a_strange_price_is_refused() -> None:
    with pytest.raises(ShapeError, match="a substitution costs 3; expected 1, or 2"):
        edits("a", "b", substitution=3)


def test_script_in_a_word_is_only_text() -> None:
    drawn = edit_table.to_svg([BAD], ["x", BAD], title=BAD)
    assert "<script" not in drawn
    assert parts(drawn, "svg")


@settings(deadline=None, max_examples=25)
@given(words, words, anything)
def test_any_words_give_sound_pictures(source: list[str], target: list[str], title: str) -> None:
    drawn = edit_table.to_svg(source, target, title=title)
    assert parts(drawn, "svg")
    assert drawn == edit_table.to_svg(source, target, title=title)
    sound(edit_table.to_terminal(source, target, width=24), 24)
