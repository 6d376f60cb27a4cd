"""Hypotheses of many sentences as arrays."""

import numpy as np

from saccade.search._lines import Lines, empty
from saccade.search._rules import NEVER

END = 3


def lines(*scores: float, first: int = 10) -> Lines:
    """Make lines of one sentence: one symbol each, numbered from `first`, then END."""
    made = empty(1, len(scores), 3)
    made.tokens[0, :, 0] = first + np.arange(len(scores))
    made.tokens[0, :, 1] = END
    made.token_scores[0, :, :2] = -0.5
    return made._replace(
        score=np.array([scores], dtype=np.float32), length=np.full((1, len(scores)), 2)
    )


def symbols(found: Lines) -> list[int]:
    (row,) = found.read(END)
    return [one.tokens[0] for one in row]


def test_the_best_of_both_are_kept_and_equals_stay_in_order() -> None:
    ours, theirs = lines(-1.0, -3.0), lines(-1.0, -2.0, first=20)
    assert symbols(ours.merge(theirs, 3)) == [10, 20, 21]
    assert symbols(theirs.merge(ours, 9)) == [20, 10, 21, 11]


def test_empty_places_are_not_read() -> None:
    assert empty(2, 3, 4).read(END) == [[], []]
    found = lines(-1.0).merge(empty(1, 2, 3), 3)
    assert found.score.tolist() == [[-1.0, NEVER, NEVER]]
    ((one,),) = found.read(END)
    assert (one.tokens, one.finished, one.token_scores) == ((10,), True, (-0.5, -0.5))


def test_lines_grow_by_a_symbol_and_are_picked() -> None:
    grown = lines(-1.0, -2.0)._replace(length=np.ones((1, 2), dtype=np.int64))
    grown = grown.append(
        np.array([[-1.5, -2.5]]), np.array([[7, END]]), np.array([[-0.1, -0.2]]), 1
    )
    ((first, second),) = grown.read(END)
    assert (first.tokens, first.score, first.finished) == ((10, 7), -1.5, False)
    assert (second.tokens, second.score, second.finished) == ((11,), -2.5, True)
    assert symbols(grown.take(np.array([[1, 0]]))) == [11, 10]
    assert len(grown.sentences(np.array([0, 0])).read(END)) == 2
