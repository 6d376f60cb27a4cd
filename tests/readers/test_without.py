from pathlib import Path
from typing import Literal

import pytest

from saccade.errors import DataError
from saccade.parts import Part
from saccade.readers.base import Reader
from saccade.readers.without import Without

CORPUS = [["a", "x"], ["b", "y"], ["a", "z"], ["c", "x"]]
OTHER = [["a", "x"], ["q", "y"]]


def reader(same: Literal["source", "target", "pair"], other: list[list[str]] = OTHER) -> Without:
    parts = [Part(Reader, "pairs", {"pairs": pairs}) for pairs in (CORPUS, other)]
    return Without(Path(), corpus=parts[0], others=parts[1:], same=same)


@pytest.mark.parametrize(
    ("same", "left"),
    [("source", ["by", "cx"]), ("target", ["az"]), ("pair", ["by", "az", "cx"])],
)
def test_what_others_hold_is_left_out(
    same: Literal["source", "target", "pair"], left: list[str]
) -> None:
    assert [e.source + e.target for e in reader(same).read()] == left


def test_the_fingerprint_knows_all_that_matters() -> None:
    found = {reader("source"), reader("target"), reader("source", [["p", "q"]])}
    assert len({one.fingerprint() for one in found}) == 3


def test_nothing_left() -> None:
    with pytest.raises(DataError, match="without: nothing is left: every pair of the corpus is in"):
        list(reader("pair", CORPUS).read())
