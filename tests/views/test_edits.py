"""Edit distance: the table, and all the ways through it."""

from collections.abc import Iterator
from itertools import islice, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from saccade.errors import DataError, ShapeError
from saccade.views.edits import MOST, EditCosts, edits, shown_cost, unit_costs

pieces = st.lists(st.sampled_from("abc"), max_size=8)


@settings(deadline=None, max_examples=60)
@given(pieces, pieces, st.sampled_from([1, 2]))
def test_the_distance_is_that_of_rapidfuzz(a: list[str], b: list[str], substitution: int) -> None:
    found = edits(a, b, substitution=substitution)
    assert found.distance == Levenshtein.distance(a, b, weights=(1, 1, substitution))
    assert found.costs.shape == (len(a) + 1, len(b) + 1)


@settings(deadline=None, max_examples=60)
@given(pieces, pieces, st.sampled_from([1, 2]))
def test_the_path_turns_one_into_the_other(a: list[str], b: list[str], substitution: int) -> None:
    found = edits(a, b, substitution=substitution)
    written = [b[s.j - 1] for s in found.path if s.kind != "delete"]
    read = [a[s.i - 1] for s in found.path if s.kind != "insert"]
    price = {"keep": 0, "substitute": substitution, "delete": 1, "insert": 1}
    assert (read, written) == (a, b)
    assert sum(price[s.kind] for s in found.path) == found.distance
    assert all(a[s.i - 1] == b[s.j - 1] for s in found.path if s.kind == "keep")


def test_a_strange_price_is_refused() -> None:
    with pytest.raises(ShapeError, match="a substitution costs 3; expected 1, or 2"):
        edits("a", "b", substitution=3)


Path = tuple[tuple[int, int], ...]


def every_path(n: int, m: int) -> Iterator[Path]:
    """List all ways from the first cell to the last."""
    if n == m == 0:
        yield ((0, 0),)
    for i, j in ((n - 1, m - 1), (n - 1, m), (n, m - 1)):
        if i >= 0 and j >= 0:
            yield from ((*path, (n, m)) for path in every_path(i, j))


def price(path: Path, costs: EditCosts) -> float:
    """Add up what a path costs."""
    total = 0.0
    for (i, j), (k, l) in pairwise(path):  # noqa: E741 - after k
        if (k, l) == (i + 1, j + 1):
            total += costs.change[i, j]
        else:
            total += costs.delete[i, j] if k > i else costs.insert[i, j]
    return total


short = st.lists(st.sampled_from("ab"), max_size=4)


@settings(deadline=None, max_examples=40)
@given(short, short, st.sampled_from([1, 2]))
def test_the_paths_are_those_that_listing_finds(
    a: list[str], b: list[str], substitution: int
) -> None:
    costs = unit_costs(a, b, substitution)
    prices = {path: price(path, costs) for path in every_path(len(a), len(b))}
    least = min(prices.values())
    cheapest = {path for path, total in prices.items() if total == least}
    found = edits(a, b, substitution=substitution)
    assert (found.distance, found.n_paths) == (least, len(cheapest))
    assert {((0, 0), *((s.i, s.j) for s in path)) for path in found.paths()} == cheapest
    on = {cell for path in cheapest for cell in path}
    assert {tuple(cell) for cell in np.argwhere(found.optimal()).tolist()} == on


def test_costs_of_ones_own_are_taken() -> None:
    chance = np.random.Generator(np.random.PCG64(1))
    costs = EditCosts(chance.random((3, 4)), chance.random((3, 5)), chance.random((4, 4)))
    least = min(price(path, costs) for path in every_path(3, 4))
    assert edits("abc", "wxyz", costs=costs).distance == pytest.approx(least)


def test_paths_are_counted_without_being_listed() -> None:
    found = edits("a" * MOST, "b" * MOST, substitution=2)  # all paths but those over a match
    assert found.n_paths > 10**300
    assert len(list(islice(found.walk(), 5))) == 5
    with pytest.raises(DataError, match=r"paths cost 800; at most 10,000 can be listed. Ask for"):
        found.paths()


def test_long_sequences_are_refused() -> None:
    with pytest.raises(DataError, match=r"a sequence has 401 symbols; a table has room for 400"):
        edits("a" * (MOST + 1), "b")


def test_costs_are_written_briefly() -> None:
    assert [shown_cost(one) for one in (0.0, 12.0, 1.234)] == ["0", "12", "1.23"]
