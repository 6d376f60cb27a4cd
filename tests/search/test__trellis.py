"""Sums and best paths of a trellis equal those over all paths, listed one by one."""

from itertools import product
from math import log

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch.testing import assert_close

from saccade.errors import RecipeError
from saccade.search._trellis import Trellis, heard, likely, scaled, trellis_of

Path = tuple[int, ...]


def noise(
    order: int, seed: int = 1, lengths: tuple[int, ...] = (3, 1, 0, 4), width: int = 3
) -> Trellis:
    """Make a trellis of noise, some candidates missing."""
    chance = np.random.Generator(np.random.PCG64(seed))
    n_places, first = max(lengths) + 1, width if order == 2 else 1
    tables = torch.from_numpy(chance.random((5, first, width, width)))
    index = torch.from_numpy(chance.integers(0, 5, (len(lengths), n_places)))
    scores = torch.from_numpy(chance.random((len(lengths), n_places, width)))
    scores[:, :, -1] *= torch.from_numpy(chance.random((len(lengths), n_places)) > 0.4)
    for row, n in enumerate(lengths):
        scores[row, n:] = 0.0
        scores[row, n:, 0] = 1.0
    symbols = torch.arange(4, 4 + width).expand_as(scores)
    return Trellis(tables, index, scores, symbols, torch.tensor(lengths))


def weights_of(trellis: Trellis, row: int) -> dict[Path, float]:
    """List all paths of a row up to and with END, and how much each weighs."""
    n, width = int(trellis.lengths[row]), trellis.scores.shape[2]
    found = {}
    for path in product(range(width), repeat=n):
        whole, weight = (0, 0, *path, 0), 1.0
        for t in range(n + 1):
            a, b, c = whole[t : t + 3]
            table = trellis.tables[trellis.leads[row, t]]
            weight *= float(table[a if len(table) > 1 else 0, b, c] * trellis.scores[row, t, c])
        found[path] = weight
    return found


each_order = pytest.mark.parametrize("order", [1, 2])


@each_order
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_sums_are_those_over_all_paths(order: int, seed: int) -> None:
    trellis = noise(order, seed)
    total, posteriors = trellis.forward_sums()[1], trellis.posteriors()
    for row, n in enumerate(trellis.lengths.tolist()):
        every = weights_of(trellis, row)
        whole = sum(every.values())
        assert float(total[row]) == pytest.approx(log(whole))
        for t, c in product(range(n), range(3)):
            through = sum(weight for path, weight in every.items() if path[t] == c)
            assert float(posteriors[row, t, c]) == pytest.approx(through / whole)


@each_order
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_best_path_is_the_heaviest(order: int, seed: int) -> None:
    trellis = noise(order, seed)
    found = trellis.best_path()
    for row, n in enumerate(trellis.lengths.tolist()):
        every = weights_of(trellis, row)
        assert tuple(found[row, :n].tolist()) == max(every, key=lambda path: every[path])
        assert not found[row, n:].any()


@each_order
def test_symbols_are_as_likely_as_the_paths_that_write_them(order: int) -> None:
    """Two of three candidates write the same symbol."""
    trellis = noise(order)
    trellis = trellis._replace(symbols=torch.tensor([4, 5, 4]).expand_as(trellis.scores))
    for row, n in enumerate(trellis.lengths.tolist()):
        every = dict[Path, float]()
        for path, weight in weights_of(trellis, row).items():
            written = tuple((4, 5, 4)[c] for c in path)
            every[written] = every.get(written, 0.0) + weight
        whole = sum(every.values())
        for written, weight in every.items():
            tokens = torch.full_like(trellis.leads, 4)
            tokens[row, :n] = torch.tensor(written, dtype=torch.long)
            gains = trellis.gains(tokens)[row, : n + 1]
            assert float(gains.sum()) == pytest.approx(log(weight / whole))


@each_order
def test_long_rows_stay_finite_and_know_nothing_of_others(order: int) -> None:
    trellis = noise(order, lengths=(400, 2), width=4)
    assert trellis.forward_sums()[1].isfinite().all()
    assert trellis.posteriors().isfinite().all()
    index, scores, symbols, lengths = (one[1:] for one in trellis[1:])
    alone = Trellis(trellis.tables, index[:, :3], scores[:, :3], symbols[:, :3], lengths)
    assert torch.equal(alone.best_path()[0], trellis.best_path()[1, :3])
    assert_close(alone.posteriors()[0], trellis.posteriors()[1, :3])


def test_what_cannot_be_is_passed_over() -> None:
    message = torch.tensor([[[0.5, 0.0]], [[0.0, 0.25]]])
    written = torch.tensor([[False, True], [False, True]])
    assert torch.equal(heard(message, written), message)
    assert heard(message.flip(2), written)[0].tolist() == [[0.0, 0.5]]
    assert scaled(message).tolist() == [[[1.0, 0.0]], [[0.0, 1.0]]]
    assert not scaled(torch.zeros(1, 1, 2)).any()
    scores = torch.tensor([[3.0, 1.0]])
    assert likely(torch.zeros(1, 1, 2), torch.ones(1, 1, 2), scores).tolist() == [[0.75, 0.25]]


def test_a_state_without_one_is_refused() -> None:
    with pytest.raises(RecipeError, match="viterbi: the model has no trellis to search; expected"):
        trellis_of({"h": torch.zeros(1)}, "viterbi")


def hmmlearn_world() -> tuple[NDArray[np.float64], ...]:
    chance = np.random.Generator(np.random.PCG64(5))
    return tuple(chance.dirichlet(np.ones(n), size) for n, size in ((4, 1), (4, 4), (7, 4)))


def test_hmmlearn_agrees() -> None:
    """It has no END; one that is as likely everywhere changes neither paths nor posteriors."""
    hmm = pytest.importorskip("hmmlearn.hmm", reason="needs hmmlearn: pip install -e .[oracles]")
    (start,), follow, emit = hmmlearn_world()
    oracle = hmm.CategoricalHMM(4)
    oracle.startprob_, oracle.transmat_, oracle.emissionprob_ = start, follow, emit
    words = np.random.Generator(np.random.PCG64(6)).integers(0, 7, 25)
    first, between, last = np.zeros((3, 1, 4, 4))
    first[0, 0], between[0], last[0, :, 0] = start, follow, 1.0
    index = torch.tensor([[0, *([1] * 24), 2]])
    scores = torch.zeros(1, 26, 4, dtype=torch.double)
    scores[0, :25], scores[0, 25, 0] = torch.from_numpy(emit[:, words].T), 1.0
    tables = torch.from_numpy(np.stack([first, between, last]))
    trellis = Trellis(tables, index, scores, torch.zeros_like(scores).long(), torch.tensor([25]))
    score, path = oracle.decode(words[:, None])
    assert trellis.best_path()[0, :25].tolist() == path.tolist()
    assert float(trellis.forward_sums()[1]) == pytest.approx(oracle.score(words[:, None]))
    np.testing.assert_allclose(trellis.posteriors()[0, :25], oracle.predict_proba(words[:, None]))
    assert score < oracle.score(words[:, None])
