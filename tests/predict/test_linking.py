"""Links of words by where a model looks: pieces are added up, and the empty word has a say."""

from pathlib import Path

import numpy as np
import pytest

from saccade.errors import DataError
from saccade.predict.linking import (
    TextPair,
    _links,
    _of_words,
    link_by_posteriors,
    link_words,
    look_at_words,
    read_pairs,
)
from tests.cli.test_align import trained


def test_pieces_are_added_up_and_rows_averaged() -> None:
    weights = np.array([[0.3, 0.3, 0.4, 0.0], [0.1, 0.2, 0.6, 0.1], [0.1, 0.0, 0.2, 0.7]])
    parted = [[0, 1], [2]]
    np.testing.assert_allclose(_of_words(weights, parted, [[0, 1]]), [[0.45, 0.5]])
    assert list(_links(_of_words(weights, parted, [[0], [1]]))) == [(0, 0), (1, 1)]
    assert list(_links(_of_words(weights, parted, [[0, 1]]))) == [(1, 0)]
    assert not list(_links(_of_words(weights, parted, [[2]])))  # most of it looks at no word
    assert not list(_links(_of_words(weights, [], [[0]])))


def test_pairs_alone_are_as_in_the_file(tmp_path: Path) -> None:
    opened = trained(tmp_path)
    pairs = [TextPair("un chat", "a cat", "x:1"), TextPair("deux chats", "two cats", "x:2")]
    whole = link_words(opened, pairs)
    for n, pair in enumerate(pairs):
        alone = link_words(opened, [pair])
        np.testing.assert_array_equal(alone[:, 1:], whole[whole[:, 0] == n][:, 1:])


def test_posteriors_above_a_threshold_are_links(tmp_path: Path) -> None:
    """Of one direction; of two, by the geometric mean of both, found cell by cell."""
    forward, back = trained(tmp_path), trained(tmp_path, back=True)
    texts = [("deux chats", "two cats"), ("un", "a cat"), ("un chien deux chats", "a dog two cats")]
    pairs = [TextPair(*one, f"x:{n}") for n, one in enumerate(texts)]
    ours = dict(look_at_words(forward, pairs))
    theirs = dict(look_at_words(back, [one.turned() for one in pairs]))
    for threshold in (0.05, 0.3, 0.6):
        alone, both = set(), set()
        for n, (source, target) in enumerate(texts):
            for i in range(len(source.split())):
                for j in range(len(target.split())):
                    mean = (ours[n][j, i] * theirs[n][i, j]) ** 0.5
                    alone |= {(n, i, j)} if ours[n][j, i] > threshold else set()
                    both |= {(n, i, j)} if mean > threshold else set()
        found = link_by_posteriors(forward, pairs, threshold)
        assert {tuple(row) for row in found.tolist()} == alone
        found = link_by_posteriors(forward, pairs, threshold, back)
        assert {tuple(row) for row in found.tolist()} == both
        assert both
    assert len(link_by_posteriors(forward, pairs, 1.0)) == 0


def test_what_is_wrong_is_told(tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_text("a\tb\nc\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"pairs.tsv:2: 1 columns, or an empty one; expected a so"):
        read_pairs(path)
    path.write_text("a\tb\nc\t \n", encoding="utf-8")
    with pytest.raises(DataError, match=r"pairs.tsv:2: 2 columns, or an empty one"):
        read_pairs(path)
