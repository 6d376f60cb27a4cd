"""Words that somebody names are found, or it is said that they are not there."""

import pytest

from saccade.look.spoken import Spot, find_word, unknown_word

PIECES = ["▁it", "▁s", "ees", "▁It", "▁it", ".", "</s>"]
NUMBERS = [0, 1, 1, 2, 3, 3, 4]


@pytest.mark.parametrize(
    ("word", "spot"),
    [
        ("sees", Spot(1, 2)),
        ("ees", Spot(2)),
        ("it", Spot(0)),
        ("It", Spot(3)),
        ("it.", Spot(4, 2)),
        ("SEES", Spot(1, 2)),
        ("</s>", Spot(6)),
        ("it:1", Spot(0)),
        ("it:3", None),
        ("it:0", None),
        ("its", None),
        ("", None),
    ],
)
def test_a_word_is_found(word: str, spot: Spot | None) -> None:
    assert find_word(word, PIECES, NUMBERS) == spot


def test_a_colon_may_be_in_a_word() -> None:
    pieces = ["at", "3:2", "or", "3:2"]
    assert find_word("3:2", pieces, range(4)) == Spot(1)
    assert find_word("3:2:2", pieces, range(4)) == Spot(3)


def test_a_word_that_is_nowhere() -> None:
    message = str(unknown_word("cast", [*(f"w{i}" for i in range(30)), "▁cats", "▁cats"]))
    assert message.startswith("--word: 'cast' is not there, or not that often. Did you mean 'cats'")
    assert "Expected one of: w0, w1" in message
    assert message.endswith("and 7 more. Name one, the second of its kind as it:2.")
