import re
from typing import get_args

import pytest

from saccade.corpora.base import Split
from saccade.corpora.counting import CountedLetters
from saccade.errors import RecipeError

SPLITS: tuple[Split, ...] = get_args(Split)


def test_as_many_marks_as_letters() -> None:
    for source, target in CountedLetters(size=300, letters=3, longest=20).pairs("train"):
        assert re.fullmatch("[acd]{1,20}", source)
        assert target == "b" * len(source)


def test_lengths_are_options() -> None:
    lengths = {len(t) for _, t in CountedLetters(size=300, shortest=31, longest=33).pairs("test")}
    assert lengths == {31, 32, 33}


def test_of_one_letter_every_length_is_in_one_split() -> None:
    corpus = CountedLetters(letters=1, longest=100)
    pairs = [pair for split in SPLITS for pair in corpus.pairs(split)]
    assert all(source == "a" * len(target) for source, target in pairs)
    assert sorted(len(target) for _, target in pairs) == list(range(1, 101))


@pytest.mark.parametrize(
    ("letters", "shortest", "longest"), [(0, 1, 30), (26, 1, 30), (2, 0, 30), (2, 9, 8), (2, 1, 11)]
)
def test_what_cannot_be_is_refused(letters: int, shortest: int, longest: int) -> None:
    message = (
        rf"counting: letters {letters}, shortest {shortest}, longest {longest}; expected 1 to 25"
        r" letters, lengths from 1 to 2000 .* of several letters 4096 texts"
    )
    with pytest.raises(RecipeError, match=message):
        CountedLetters(letters=letters, shortest=shortest, longest=longest)
