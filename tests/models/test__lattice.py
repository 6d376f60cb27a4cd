import itertools
import math
from collections.abc import Iterator, Sequence

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from saccade.models._lattice import frames_needed, lattice
from saccade.search._frames import BLANK
from tests.samples import randn

N, V = 5, 6  # frames and symbols


def spelt(path: Sequence[int]) -> tuple[int, ...]:
    """Write repeats once, then leave out blanks."""
    return tuple(symbol for symbol, _ in itertools.groupby(path) if symbol != BLANK)


def every_path(frames: Tensor) -> Iterator[tuple[tuple[int, ...], float]]:
    """All paths of `frames [S, V]` with their log-probabilities."""
    rows = frames.tolist()
    for path in itertools.product(range(frames.shape[1]), repeat=len(rows)):
        yield path, sum(row[symbol] for row, symbol in zip(rows, path, strict=True))


def frames(n: int = 1, seed: int = 1) -> Tensor:
    return randn(n, N, V, seed=seed, dtype=torch.float64).log_softmax(dim=2)


TARGETS = [(), (4,), (4, 5), (4, 4), (5, 4, 4), (4, 5, 4), (4, 4, 4)]


@pytest.mark.parametrize("target", TARGETS, ids=str)
def test_sums_are_those_of_all_paths(target: tuple[int, ...]) -> None:
    said = frames()
    labels = torch.tensor([[*target, 1]])  # what stands behind the labels does not count
    found = lattice(said, labels, torch.tensor([len(target)]))
    own = [(path, p) for path, p in every_path(said[0]) if spelt(path) == target]
    total = torch.tensor([p for _, p in own]).double().logsumexp(dim=0)
    assert_close(found.total(found.forward_sums())[0], total)
    state, score = found.best_path()
    best, highest = max(own, key=lambda one: one[1])
    assert score.item() == pytest.approx(highest)
    symbols = torch.tensor([BLANK, *(s for one in target for s in (one, BLANK))])
    assert tuple(symbols[state[0]].tolist()) == best
    posterior = found.posteriors()[0]  # [S, E]
    assert_close(posterior.sum(dim=1), torch.ones(N).double())
    for t in range(N):
        blank = sum(math.exp(p - total.item()) for path, p in own if path[t] == BLANK)
        assert posterior[t, : 2 * len(target) + 1 : 2].sum().item() == pytest.approx(blank)


def test_padding_of_frames_and_labels_changes_nothing() -> None:
    said = frames(2)
    silence = torch.full((V,), -1e30).double()
    silence[BLANK] = 0.0
    said[1, 3:] = silence
    both = lattice(said, torch.tensor([[4, 5, 4], [5, 1, 1]]), torch.tensor([3, 1]))
    alone = lattice(said[1:, :3], torch.tensor([[5]]), torch.tensor([1]))
    assert_close(both.total(both.forward_sums())[1:], alone.total(alone.forward_sums()))
    assert_close(both.posteriors()[1, :3, :3], alone.posteriors()[0])


def test_what_needs_more_frames_has_no_posterior() -> None:
    labels, lengths = torch.tensor([[4, 4, 4, 5]]), torch.tensor([4])
    assert frames_needed(labels, lengths).tolist() == [6]
    found = lattice(frames(), labels, lengths)
    assert found.total(found.forward_sums()).item() < -1e20
    assert not found.posteriors().any()


def test_gradients() -> None:
    logits = randn(2, 4, V, dtype=torch.float64).requires_grad_()
    labels, lengths = torch.tensor([[4, 4], [5, 1]]), torch.tensor([2, 1])

    def total(logits: Tensor) -> Tensor:
        found = lattice(logits.log_softmax(dim=2), labels, lengths)
        return found.total(found.forward_sums())

    assert torch.autograd.gradcheck(total, (logits,))
