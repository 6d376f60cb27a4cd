"""Frequencies of symbols and lengths, by hand."""

import math

import numpy as np
import pytest

from saccade.predict.frequencies import Frequencies


def test_by_hand() -> None:
    ids, lengths = np.array([4, 4, 5]), np.array([2, 1])
    found = Frequencies.of([ids], [lengths], 6)
    assert found.symbols.tolist() == [0, 0, 0, 0, 2, 1]
    assert found.lengths.tolist() == [0, 1, 1]
    symbols = -math.log(3 / 9) * 2 - math.log(2 / 9)  # one is added to each of 6 counts
    ends = -math.log(2 / 6) * 2  # and to each of 4: lengths 0 to 2, and longer
    assert found.nats(ids, lengths) == pytest.approx(symbols + ends)
    assert found.nats_per_place(ids, lengths) == pytest.approx((symbols + ends) / 5)


def test_what_was_never_seen_is_unlikely_not_impossible() -> None:
    found = Frequencies.of([np.array([1] * 98)], [np.array([98])], 2)
    assert found.nats(np.array([0]), np.array([1])) == pytest.approx(math.log(100) + math.log(101))
    longer = found.nats(np.array([1] * 500), np.array([500]))
    assert math.isfinite(longer)


def test_where_all_have_one_length_the_end_costs_little() -> None:
    lengths = np.ones(10_000, np.int64)
    found = Frequencies.of([lengths], [lengths], 2)
    assert found.nats_per_place(lengths, lengths) < 0.001


def test_several_stores_are_counted_together() -> None:
    parts = [np.array([1, 2], np.uint16), np.array([2], np.uint16)]
    found = Frequencies.of(parts, [np.array([2], np.int32), np.array([1], np.int32)], 4)
    assert (found.symbols.tolist(), found.lengths.tolist()) == ([0, 1, 2, 0], [0, 1, 1])
