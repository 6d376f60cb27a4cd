from pathlib import Path
from typing import Any

import pytest

from saccade.errors import DataError, RecipeError
from saccade.parts import Part
from saccade.readers.base import Reader
from saccade.readers.lengths import Lengths

PAIRS = [["a", "x y z"], ["a b", "x"], ["a b c d", "x y"]]


def reader(pairs: list[list[Any]] = PAIRS, **options: Any) -> Lengths:
    return Lengths(Path(), corpus=Part(Reader, "pairs", {"pairs": pairs}), **options)


@pytest.mark.parametrize(
    ("options", "left"),
    [
        ({}, ["a", "a b", "a b c d"]),
        ({"most": 3}, ["a", "a b"]),
        ({"most": 3, "least": 3}, ["a"]),
        ({"least": 2, "side": "source"}, ["a b", "a b c d"]),
        ({"most": 2, "side": "target"}, ["a b", "a b c d"]),
    ],
)
def test_lengths_are_kept_in_order(options: dict[str, Any], left: list[str]) -> None:
    assert [one.source for one in reader(**options).read()] == left


def test_the_fingerprint_knows_all_that_matters() -> None:
    found = [reader(), reader(least=1), reader(most=1), reader(side="source"), reader(PAIRS[:2])]
    assert len({one.fingerprint() for one in found}) == 5


def test_nothing_left() -> None:
    with pytest.raises(DataError, match="no pair of the corpus has 9 to any number of words"):
        list(reader(least=9).read())


def test_limits_that_cannot_be() -> None:
    with pytest.raises(RecipeError, match="lengths: least is 5 and most 3; expected 0 or more"):
        reader(least=5, most=3)
