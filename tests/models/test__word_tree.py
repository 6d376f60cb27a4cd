"""Texts of the training data as a tree."""

import numpy as np
import pytest
import torch
from torch import Tensor

from saccade.errors import CheckpointError
from saccade.models._word_tree import LONGEST, Descent, WordTree
from tests.models.edits import SIZE, channel, listed

WORDS = [[4, 5], [4, 5, 6], [4, 5], [7], [6, 6, 6, 4], [5, 4, 7], [7, 7], [4], [4, 5], [7]]


def tree(words: list[list[int]] = WORDS) -> WordTree:
    made = WordTree(SIZE)
    lengths = np.array([len(word) for word in words])
    made.learn(np.array([symbol for word in words for symbol in word]), lengths)
    return made


def by_listing(x: list[int], weight: float) -> list[tuple[float, list[int]]]:
    """Score every text by itself."""
    model = channel()
    found = []
    for word in {tuple(word) for word in WORDS}:
        share = WORDS.count(list(word)) / len(WORDS)
        found.append((listed(model, x, word) + weight * np.log(share), list(word)))
    return sorted(found, reverse=True)


@pytest.mark.parametrize("weight", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("x", [[4, 5, 6], [7], [], [6, 4, 4, 4, 5]])
@pytest.mark.parametrize("n", [2, 50])
def test_the_likeliest_texts_are_found(x: list[int], weight: float, n: int) -> None:
    found = Descent(tree(), channel(), weight, n)(np.array(x, dtype=np.int64))
    expected = by_listing(x, weight)[:n]
    np.testing.assert_allclose(found.scores, [score for score, _ in expected], atol=1e-9)
    assert found.texts[:2] == [word for _, word in expected[:2]]


def test_none_is_missed_where_few_nodes_are_kept_at_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("saccade.models._word_tree._FIRST", 1)
    found = Descent(tree(), channel(), 1.0, 3)(np.array([6, 4]))
    assert found.texts == [word for _, word in by_listing([6, 4], 1.0)[:3]]


def test_long_sources_have_no_candidates() -> None:
    found = Descent(tree(), channel(), 1.0, 3)(np.full(LONGEST + 1, 4))
    assert found.texts == []


def test_counts_are_those_of_the_texts() -> None:
    made = tree()
    assert int(made.counts.sum()) == len(WORDS)
    assert int((made.counts > 0).sum()) == 7
    assert int(made.most[0]) == 3


def test_damaged_trees_are_refused() -> None:
    whole = {name: one.detach().clone() for name, one in tree().state_dict().items()}
    tree().accept(whole, "x")

    def changed(name: str, place: int, value: int) -> dict[str, Tensor]:
        table = whole[name].clone()
        table[place] = value
        return {**whole, name: table}

    faults = [
        ({k: v for k, v in whole.items() if k != "counts"}, "counts of texts is missing"),
        (changed("symbols", 2, 99), "a symbol is out of range"),
        (changed("parents", 2, 9), "a node stands before its parent"),
        (changed("symbols", 1, 7), "the nodes are not in order"),
        (changed("counts", 1, -1), "a count is negative"),
        (changed("begins", 1, 3), "the children or the largest counts are not those"),
        (changed("most", 0, 50), "the children or the largest counts are not those"),
        ({**whole, "most": whole["most"].float()}, "the numbers are not whole"),
        ({**whole, "most": whole["most"][:2]}, "the tables have other sizes"),
        ({**whole, "most": torch.zeros(2, 2)}, "the tables have other shapes"),
    ]
    for given, told in faults:
        with pytest.raises(CheckpointError, match=told):
            tree().accept(given, "x")
