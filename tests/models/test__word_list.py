"""A word list is induced from pairs."""

import numpy as np

from saccade.models._word_list import induced_words
from saccade.models.base import LaidSide

PIECES = ("<pad>", "<unk>", "<s>", "</s>", "▁hund", "▁katze", "▁der", ".")
TARGET = ("<pad>", "<unk>", "<s>", "</s>", "▁dog", "▁cat", "▁the", ".")


def test_words_that_stand_together_are_listed() -> None:
    rows = [[6, 4, 7], [6, 5, 7], [4, 7], [5], [6, 4], [6, 5, 7]] * 4
    side = LaidSide(np.array([i for row in rows for i in row]), np.array([len(r) for r in rows]))
    found = induced_words(side, side, PIECES, TARGET)
    assert found == {"hund": "dog", "katze": "cat", "der": "the"}


def test_of_two_pieces_of_one_spelling_the_commoner_counts() -> None:
    """A word behind a hyphen has no mark before it, and is another piece."""
    rows = [[6, 4, 7], [4, 7], [6, 4]] * 6 + [[6, 5, 7], [5, 7]] * 3
    side = LaidSide(np.array([i for row in rows for i in row]), np.array([len(r) for r in rows]))
    pieces = (*PIECES[:5], "hund", *PIECES[6:])
    assert induced_words(side, side, pieces, TARGET) == {"hund": "dog", "der": "the"}


def test_nothing_is_induced_from_nothing() -> None:
    nothing = LaidSide(np.zeros(0, np.int64), np.zeros(0, np.int64))
    assert induced_words(nothing, nothing, PIECES, TARGET) == {}
