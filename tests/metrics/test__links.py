"""The alignment error rate by hand."""

import numpy as np
import pytest

from saccade.errors import DataError
from saccade.metrics._links import GoldLinks, link_score

SURE = np.array([[0, 0, 0], [0, 1, 1], [2, 0, 1]])
GOLD = GoldLinks(SURE, np.array([[0, 1, 2], [2, 0, 1]]))


def test_by_hand() -> None:
    links = np.array([[0, 0, 0], [0, 1, 2], [1, 0, 0], [1, 0, 0]])
    found = link_score(links, GOLD)  # A = 3, S = 3, one sure, two possible
    assert (found.links, found.sure) == (3, 3)
    assert found.aer == pytest.approx(1 - (1 + 2) / (3 + 3))
    assert found.precision == pytest.approx(2 / 3)
    assert found.recall == pytest.approx(1 / 3)


def test_the_gold_itself_is_without_error_and_nothing_is_all_wrong() -> None:
    assert link_score(SURE, GOLD).aer == 0
    assert link_score(np.concatenate([SURE, GOLD.possible]), GOLD).aer == 0
    none = np.zeros((0, 3))
    assert link_score(none, GOLD).aer == 1
    assert link_score(none, GoldLinks(none, none)).line().startswith("AER 0.0000  precision 1.0000")


def test_what_cannot_be_a_link_is_refused() -> None:
    with pytest.raises(DataError, match="links: a pair or place is below 0 or above"):
        link_score(np.array([[0, -1, 0]]), GOLD)
