"""Wrong bits, counted by hand."""

import numpy as np
import pytest

from saccade.errors import DataError
from saccade.metrics.bit_error import BitError


def test_by_hand() -> None:
    found = BitError().corpus(["01 11", "00 10"], ["01 10", "00 10"])
    assert found.value == pytest.approx(100 / 8)
    assert found.detail == {"wrong": 1, "bits": 8, "wrong_sequences": 1, "sequences": 2}
    assert (found.signature, found.higher_is_better) == ("bits", False)


def test_places_that_only_one_has_are_wrong() -> None:
    metric = BitError()
    assert metric.corpus(["01"], ["01 00 11"]).detail["wrong"] == 4
    assert metric.corpus(["01 00 11"], ["01"]).value == pytest.approx(200)
    assert metric.corpus([""], ["01"]).value == pytest.approx(100)


def test_it_is_a_sum_and_the_nearest_counts() -> None:
    metric, found, truth = BitError(), ["01 11", "00", "11"], ["01 10", "01", "11"]
    rows = metric.matrix(found, truth)
    assert metric.corpus(found, truth) == metric.score(np.stack(list(rows)).sum(axis=0))
    assert metric.corpus(truth, truth).value == 0
    assert metric.corpus(["01"], [["10", "01"]]).value == 0
    assert metric.corpus([np.array([[0, 1]])], ["01"]).value == 0


def test_another_width_is_refused() -> None:
    with pytest.raises(DataError, match=r"an output has 3 bits a place but its reference 2; exp"):
        BitError().corpus(["010"], ["01"])
