"""The tree that a search grew."""

from saccade.nouns import Branch, Hypothesis
from saccade.search._rules import NEVER
from saccade.search._tree import level, paths

END = 3


def test_hypotheses_that_begin_alike_share_their_first_branches() -> None:
    tree = paths(
        [
            Hypothesis((5, 6), -3.0, (-1.0, -1.0, -1.0)),
            Hypothesis((5, 7), -2.0, (-1.0, -1.0), finished=False),
            Hypothesis((), -4.0, (-4.0,)),
        ],
        END,
    )
    assert tree == (
        (Branch(1, 5, -1, -1.0, "kept"), Branch(1, END, -1, -4.0, "completed")),
        (Branch(2, 6, 0, -2.0, "kept"), Branch(2, 7, 0, -2.0, "kept")),
        (Branch(3, END, 0, -3.0, "completed"),),
    )
    assert paths([], END) == ()


def test_what_a_beam_keeps_stands_first_and_in_its_order() -> None:
    found = level(
        2, [-1.0, -2.0, NEVER, -3.0, -4.0], [9, 8, 7, 6, END], [0, 1, 0, 1, 0], [2, 0, 0, 0, 1]
    )
    assert [(one.token, one.fate) for one in found] == [
        (8, "kept"),
        (6, "kept"),
        (END, "completed"),
        (9, "pruned"),
    ]
    assert [one.parent for one in found] == [1, 1, 0, 0]
    (root,) = level(1, [-1.0], [9], [4], [0])
    assert root.parent == -1, "the first step has no branch before it"
