import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.errors import ShapeError
from saccade.views import confusion
from tests.views.pictures import BAD, anything, parts, sound, tips

COUNTS = np.array([[3, 1, 0], [0, 2, 1], [0, 0, 0]])
LABELS = ["no", BAD, "(other)"]


def test_every_cell_has_its_count() -> None:
    drawn = confusion.to_svg(LABELS, COUNTS, title="t")
    assert [cell.get("data-count") for cell in parts(drawn, "rect")[1:]] == list("310021000")
    assert "wanted no, written no: 3 (75 %)" in tips(drawn)
    assert "<script>" not in drawn


def test_an_empty_rest_is_left_out() -> None:
    names, table = confusion.fitted(
        ["a", "b", "(other)"], np.array([[1, 0, 0], [2, 1, 0], [0] * 3]), 9
    )
    assert names == ["a", "b"]
    assert table.tolist() == [[1, 0], [2, 1]]


def test_rare_labels_join_the_rest() -> None:
    counts = np.diag([5, 1, 7, 1, 0])
    counts[1, 2] = 2
    names, table = confusion.fitted(["a", "b", "c", "d", "(other)"], counts, 3)
    assert names == ["a", "c", "(other)"]
    assert table.tolist() == [[5, 0, 0], [0, 7, 0], [0, 2, 2]]
    assert table.sum() == counts.sum()


def test_shapes_are_checked() -> None:
    with pytest.raises(ShapeError, match=r"confusion: 3 labels but counts of shape \(2, 2\)"):
        confusion.to_svg(LABELS, COUNTS[:2, :2])
    with pytest.raises(ShapeError, match=r"confusion\.to_terminal: width is 5 columns"):
        confusion.to_terminal(LABELS, COUNTS, width=5)


@settings(deadline=None, max_examples=40)
@given(st.lists(anything, max_size=30), st.integers(20, 120), st.integers(0, 3000))
def test_any_table_fits(labels: list[str], width: int, seed: int) -> None:
    size = len(labels) + 1
    counts = np.random.default_rng(seed).integers(0, seed + 1, (size, size))
    sound(confusion.to_terminal([*labels, "(other)"], counts, width=width), width)
    drawn = parts(confusion.to_svg([*labels, "(other)"], counts), "rect")
    assert sum(int(cell.get("data-count", 0)) for cell in drawn) == counts.sum()


def test_the_most_confused_come_first() -> None:
    counts = np.array([[3, 1, 0], [0, 8, 2], [1, 0, 0]])
    listed = confusion.most_confused(["a", "b", "(none)"], counts, most=2).splitlines()
    assert [line.split() for line in listed] == [
        ["wanted", "written", "times"],
        ["b", "(none)", "2", "20", "%", "of", "10"],
        ["a", "b", "1", "25", "%", "of", "4"],
        ["and", "1", "others"],
    ]
    assert confusion.most_confused(["(none)"], np.zeros((1, 1), np.int64)).count("\n") == 1
    with pytest.raises(ShapeError, match=r"confusion: 3 labels but counts of shape \(2, 2\)"):
        confusion.most_confused(LABELS, COUNTS[:2, :2])
