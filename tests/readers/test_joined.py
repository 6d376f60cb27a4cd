from pathlib import Path

import pytest

from saccade.errors import RecipeError
from saccade.parts import Part
from saccade.readers.base import Reader
from saccade.readers.joined import Joined

CORPUS = Part(Reader, "pairs", {"pairs": [[x, x.upper()] for x in "abcdefgh"]})


def reader(least: int, most: int) -> Joined:
    return Joined(Path(), corpus=CORPUS, least=least, most=most)


@pytest.mark.parametrize(
    ("least", "most", "sources"),
    [
        (1, 3, ["a", "b c", "d e f", "g", "h"]),
        (2, 2, ["a b", "c d", "e f", "g h"]),
        (3, 3, ["a b c", "d e f", "g h"]),
    ],
)
def test_neighbours_are_read_as_one(least: int, most: int, sources: list[str]) -> None:
    examples = list(reader(least, most).read())
    assert [e.source for e in examples] == sources
    assert [e.target for e in examples] == [source.upper() for source in sources]


def test_the_origin_is_that_of_the_first() -> None:
    firsts = list(CORPUS.build(Path()).read())
    assert [e.origin for e in reader(2, 2).read()] == [e.origin for e in firsts[::2]]


def test_the_fingerprint_knows_all_that_matters() -> None:
    assert len({reader(a, b).fingerprint() for a, b in ((1, 2), (1, 3), (2, 2))}) == 3


def test_numbers_that_make_no_sense() -> None:
    with pytest.raises(RecipeError, match="joined: least 3 and most 2; expected 1 <= least <= mos"):
        reader(3, 2)
