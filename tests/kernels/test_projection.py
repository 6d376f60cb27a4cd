"""Blocks of scores by the kernels are what torch makes of them, gradients and all."""

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from saccade.kernels.cross_entropy import _loss_of_scores, _TorchProjection
from saccade.kernels.library import found
from saccade.kernels.projection import BlockLoss, ProjectionKernel, loss_of_scores
from tests.samples import kernels_off, randn

pytestmark = pytest.mark.skipif(found().kernels is None, reason=f"no kernels: {found().told}")


def same(one: BlockLoss | None, other: BlockLoss, *, learns: bool) -> None:
    """Compare; scores that nobody learns from may become anything."""
    assert one is not None
    assert_close(one[0 if learns else 1 :], other[0 if learns else 1 :], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("learns", [True, False])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize(("rows", "symbols"), [(1, 1), (5, 16), (23, 50), (30, 1001)])
def test_scores_become_their_gradient(
    rows: int, symbols: int, smoothing: float, learns: bool
) -> None:
    scores, gold = randn(rows, symbols) * 3, torch.arange(rows) * 7 % symbols
    biases: list[Tensor | None] = [torch.ones(symbols) if learns else None for _ in range(2)]
    made = loss_of_scores(scores.clone(), gold, smoothing, biases[0])
    same(made, _loss_of_scores(scores.clone(), gold, smoothing, biases[1]), learns=learns)
    assert_close(biases[0], biases[1], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("learns", [True, False])
@pytest.mark.parametrize(("rows", "width", "symbols"), [(1, 3, 7), (25, 16, 300), (40, 33, 257)])
def test_a_projection_is_that_of_torch(rows: int, width: int, symbols: int, learns: bool) -> None:
    x, weight, bias = randn(rows, width), randn(symbols, width, seed=2), randn(symbols, seed=3)
    gold = torch.arange(rows) * 7 % symbols
    by_kernel = ProjectionKernel.of(x, weight, bias, 0.1, learns=learns)
    assert by_kernel is not None
    d_xs, d_biases = [torch.zeros_like(x) for _ in "12"], [torch.zeros(symbols) for _ in "12"]
    made = by_kernel.loss(x, gold, d_xs[0], d_biases[0])
    with kernels_off():
        by_torch = _TorchProjection(weight, bias, 0.1, learns=learns)
        expected = by_torch.loss(x, gold, d_xs[1], d_biases[1])
    same(made, expected, learns=learns)
    assert_close(*d_xs, rtol=1e-5, atol=1e-5)
    assert_close(*d_biases, rtol=1e-5, atol=1e-5)


def test_what_does_not_fit_is_left_to_torch() -> None:
    scores = randn(2, 5).double()
    assert loss_of_scores(scores, torch.tensor([0, 1]), 0.0, None) is None
    assert ProjectionKernel.of(scores, scores, scores[0], 0.0, learns=True) is None
