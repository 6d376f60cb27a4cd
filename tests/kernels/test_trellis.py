"""Viterbi search in C finds the path of the clear form bit for bit, and its sums to rounding."""

from itertools import product

import pytest
import torch
from torch.testing import assert_close

from saccade.kernels.library import found
from saccade.kernels.trellis import best_path, followers, gains
from saccade.models._hmm_tables import HmmTables
from saccade.search._trellis import Trellis
from tests.models.test_hmm import counted
from tests.samples import kernels_off
from tests.search.test__trellis import noise

by_kernels_only = pytest.mark.skipif(found().kernels is None, reason=f"no kernels: {found().told}")
each_order = pytest.mark.parametrize("order", [1, 2])
LENGTHS = (30, 1, 0, 17, 2, 29)


def rounded(trellis: Trellis, steps: int) -> Trellis:
    """Let many paths be equally good, and many impossible."""
    rough = [(one * steps).floor() / steps for one in (trellis.tables, trellis.scores)]
    tables, scores = rough[0].clamp(min=0), torch.where(trellis.scores > 0, rough[1], 0.0)
    scores[:, :, 0] += 1 / steps
    tables[:, 0, :, :] += 1 / steps
    return trellis._replace(tables=tables, scores=scores)


@by_kernels_only
@each_order
@pytest.mark.parametrize("width", [2, 3, 20])
@pytest.mark.parametrize("steps", [0, 3])
def test_the_path_is_that_of_the_clear_form(order: int, width: int, steps: int) -> None:
    for seed in range(4):
        trellis = noise(order, seed, LENGTHS, width)
        trellis = rounded(trellis, steps) if steps else trellis
        fast = best_path(trellis.tables, trellis.leads, trellis.scores, trellis.lengths)
        assert fast is not None
        with kernels_off():
            assert torch.equal(fast, trellis.best_path())


@by_kernels_only
@each_order
def test_gains_are_those_of_the_clear_form(order: int) -> None:
    for seed in range(4):
        trellis = noise(order, seed, LENGTHS, 6)
        trellis = trellis._replace(symbols=trellis.symbols // 2)  # pairs of states write the same
        tokens = trellis.symbols.gather(2, trellis.best_path()[:, :, None])[:, :, 0]
        tokens[3, 5] = 99  # nothing writes it
        fast = trellis.gains(tokens)
        with kernels_off():
            slow = trellis.gains(tokens)
        for row, n in enumerate(LENGTHS):
            assert_close(fast[row, : n + 1], slow[row, : n + 1], rtol=1e-12, atol=1e-12)


@by_kernels_only
@each_order
def test_states_follow_each_other_as_in_the_clear_form(order: int) -> None:
    tables = counted(order=order)[0].tables
    n = len(tables.candidates)
    outer = range(n) if order == 2 else range(1)
    names = torch.tensor([(a * n + b) * n + c for a, b, c in product(outer, range(n), range(n))])
    fast = followers(names, tables.candidates, order, dict(tables.named_parameters()))
    assert fast is not None
    assert_close(fast, tables._followers(names, tables.candidates), rtol=1e-14, atol=0)
    assert (fast > 0).any()


@by_kernels_only
def test_a_row_without_a_path_is_left_to_the_clear_form() -> None:
    trellis = noise(1, 1, (3, 2), 3)
    scores = trellis.scores.clone()
    scores[0, 1] = 0.0
    assert best_path(trellis.tables, trellis.leads, scores, trellis.lengths) is None


def test_what_kernels_cannot_read_is_left_to_others() -> None:
    trellis = noise(1, 1, (3,), 3)
    leads, lengths, tokens = trellis.leads, trellis.lengths, trellis.symbols[:, :, 0]
    tables, scores = trellis.tables.float(), trellis.scores.float()
    written = (trellis.symbols, tokens)
    assert best_path(tables, leads, scores, lengths) is None
    assert gains(tables, leads, scores, lengths, written) is None
    counts = dict(HmmTables(5, 6, 1).named_parameters())
    candidates = torch.tensor([[0], [1]])
    with kernels_off():
        assert best_path(trellis.tables, leads, trellis.scores, lengths) is None
        assert followers(torch.tensor([0]), candidates, 1, counts) is None
