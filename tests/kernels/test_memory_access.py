"""Comparing and writing all slots: the written gradients against autograd's."""

import torch
from torch import Tensor
from torch.testing import assert_close

from saccade.kernels.memory_access import allocated, cosines, linked, rewrite
from tests.samples import randn

B, N, M, H = 2, 4, 3, 2


def drawn(*shape: int, seed: int) -> Tensor:
    return randn(*shape, seed=seed, dtype=torch.float64).requires_grad_()


def test_cosines_are_those_of_torch() -> None:
    memory, key = drawn(B, N, M, seed=1), drawn(B, H, M, seed=2)
    plain = torch.cosine_similarity(key[:, :, None], memory[:, None], dim=3)
    assert_close(cosines(memory, key, 0.0), plain)
    assert torch.autograd.gradcheck(lambda m, k: cosines(m, k, 0.1), (memory, key))


def test_rewriting_is_the_formula() -> None:
    given = (
        drawn(B, N, M, seed=1),
        drawn(B, 1, N, seed=2),
        *(drawn(B, 1, M, seed=s) for s in (3, 4)),
    )
    memory, w, erase, add = given
    w_n = w.transpose(1, 2)
    assert_close(rewrite(*given), memory * (1 - w_n * erase) + w_n * add)
    assert torch.autograd.gradcheck(rewrite, given)


def test_linking_is_the_formula() -> None:
    links, p, w = drawn(B, N, N, seed=1), drawn(B, N, seed=2), drawn(B, N, seed=3)
    i, j = w[:, :, None], w[:, None]
    plain = ((1 - i - j) * links + i * p[:, None]) * (1 - torch.eye(N).double())
    assert_close(linked(links, p, w), plain)
    assert torch.autograd.gradcheck(linked, (links, p, w))


def test_allocating_has_the_gradient_of_its_product() -> None:
    used = randn(B, N, dtype=torch.float64).sigmoid().requires_grad_()
    assert torch.autograd.gradcheck(allocated, (used,))
    none = torch.zeros(1, N, dtype=torch.float64, requires_grad=True)
    found = allocated(none)
    assert found.tolist() == [[1, 0, 0, 0]]
    (grad,) = torch.autograd.grad(found.sum(), none)
    assert grad.isfinite().all()
