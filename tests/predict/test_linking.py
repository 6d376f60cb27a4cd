"""Links of words by where a model looks: pieces are added up, and the empty word has a say."""

from pathlib import Path

import numpy as np
import pytest

from saccade.errors import DataError
from saccade.predict.linking import TextPair, _links, link_words, read_pairs
from tests.cli.test_align import trained


def test_pieces_are_added_up_and_rows_averaged() -> None:
    weights = np.array([[0.3, 0.3, 0.4, 0.0], [0.1, 0.2, 0.6, 0.1], [0.1, 0.0, 0.2, 0.7]])
    assert list(_links(weights, [[0, 1], [2]], [[0], [1]])) == [(0, 0), (1, 1)]
    assert list(_links(weights, [[0, 1], [2]], [[0, 1]])) == [(1, 0)]
    assert not list(_links(weights, [[0, 1], [2]], [[2]]))  # most of it looks at no word
    assert not list(_links(weights, [], [[0]]))


def test_pairs_alone_are_as_in_the_file(tmp_path: Path) -> None:
    opened = trained(tmp_path)
    pairs = [TextPair("un chat", "a cat", "x:1"), TextPair("deux chats", "two cats", "x:2")]
    whole = link_words(opened, pairs)
    for n, pair in enumerate(pairs):
        alone = link_words(opened, [pair])
        np.testing.assert_array_equal(alone[:, 1:], whole[whole[:, 0] == n][:, 1:])


def test_what_is_wrong_is_told(tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_text("a\tb\nc\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"pairs.tsv:2: 1 columns, or an empty one; expected a so"):
        read_pairs(path)
    path.write_text("a\tb\nc\t \n", encoding="utf-8")
    with pytest.raises(DataError, match=r"pairs.tsv:2: 2 columns, or an empty one"):
        read_pairs(path)
