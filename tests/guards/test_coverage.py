import numpy as np
import pytest

from saccade.guards.coverage import coverage, fair_shares

WORDS = [f"▁word{i}" for i in range(8)]


def looks(n_target: int, n_source: int) -> "np.ndarray[tuple[int, int], np.dtype[np.float32]]":
    """Everybody looks at his own place, and END at its own."""
    return np.eye(n_target, n_source, dtype=np.float32)


def test_a_half_left_out_is_told() -> None:
    (flag,) = coverage(WORDS, range(8), looks(4, 9))
    assert flag.message == "The output may leave out 'word4 word5 word6 word7'."
    assert (flag.places, flag.side) == ((4, 5, 6, 7), "source")


def test_all_seen() -> None:
    assert coverage(WORDS, range(8), looks(8, 9)) == ()


def test_a_skipped_word_or_two_pass() -> None:
    weights = looks(8, 9)
    weights[2:4] = weights[1]
    assert coverage(WORDS, range(8), weights) == ()


def test_pieces_of_a_word_count_together() -> None:
    pieces = ["▁sl", "eep", "ing", "▁dog", "s"]
    shares = fair_shares([0, 0, 0, 1, 1], looks(5, 6))
    assert shares == pytest.approx([1.0, 1.0])
    assert coverage(pieces, [0, 0, 0, 1, 1], looks(2, 6)) == ()


def test_scripts_without_spaces_go_by_pieces() -> None:
    pieces = list("我们明天早上一起去北京看朋友")
    numbers = [0] * len(pieces)
    assert coverage(pieces, numbers, looks(len(pieces), len(pieces) + 1)) == ()
    (flag,) = coverage(pieces, numbers, looks(4, len(pieces) + 1))
    assert flag.message == "The output may leave out '早上一起去北京看朋友'."


def test_punctuation_may_be_left_out() -> None:
    pieces = ["▁yes", *"....!!"]
    assert coverage(pieces, range(7), looks(1, 8)) == ()


@pytest.mark.parametrize("weights", [None, np.zeros((0, 9), np.float32)], ids=["none", "empty"])
def test_no_attention_or_no_output(
    weights: "np.ndarray[tuple[int, int], np.dtype[np.float32]] | None",
) -> None:
    assert coverage(WORDS, range(8), weights) == ()
    assert coverage([], [], looks(2, 1)) == ()


def test_all_looks_at_end() -> None:
    weights = np.zeros((4, 9), np.float32)
    weights[:, -1] = 1
    (flag,) = coverage(WORDS, range(8), weights)
    assert "word0" in flag.message
