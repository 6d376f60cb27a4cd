import pytest
import torch
from torch.testing import assert_close

from saccade.kernels.dropout import Draw
from saccade.layers.dropout import Dropout, kept
from tests.samples import randn

pytestmark = pytest.mark.usefixtures("each_form")


@pytest.mark.parametrize("p", [0.1, 0.5, 0.9])
def test_drops_the_share_it_was_given_and_keeps_the_mean(p: float) -> None:
    torch.manual_seed(1)
    y = Dropout(p)(torch.ones(400, 500))
    assert (y == 0).double().mean().item() == pytest.approx(p, abs=0.005)
    assert y.mean().item() == pytest.approx(1.0, abs=0.02)
    assert_close(y[y != 0], torch.full_like(y[y != 0], 1 / (1 - p)))


def test_neighbours_fall_independently() -> None:
    torch.manual_seed(1)
    zeros = (Dropout(0.5)(torch.ones(1, 400_000))[0] == 0).double() - 0.5
    for apart in (1, 2, 3, 4, 5):
        assert (zeros[apart:] * zeros[:-apart]).mean().abs().item() < 0.002


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("shape", [(1,), (3, 5), (2, 3, 4), (0, 7), (5, 16), (3, 11)])
def test_the_gradient_goes_where_the_value_went(shape: tuple[int, ...], dtype: torch.dtype) -> None:
    x = (randn(*shape, dtype=dtype) + 10).requires_grad_()
    y = Dropout(0.4)(x)
    y.sum().backward()
    assert x.grad is not None
    assert_close(x.grad, y / x)


def test_a_seed_gives_the_same_mask() -> None:
    masks = []
    for _ in range(2):
        torch.manual_seed(7)
        masks.append(Dropout(0.3)(torch.ones(11, 13)))
    assert torch.equal(*masks)


def hashed(seed: int, place: int) -> int:
    """The hash as `kernels/dropout_mask.h` writes it, in whole numbers of any size."""
    bits = (1 << 32) - 1
    h = (place * 0x9E3779B1 + seed) & bits
    h = (h ^ h >> 16) * 0x85EBCA6B & bits
    h = (h ^ seed >> 32 ^ h >> 13) * 0xC2B2AE35 & bits
    return h ^ h >> 16


@pytest.mark.parametrize("seed", [0, 5, (1 << 62) - 1, 0x3F00_0000_FFFF_0001])
@pytest.mark.parametrize("p", [0.1, 0.5, 0.9])
def test_a_number_stays_by_the_hash_of_its_place(seed: int, p: float) -> None:
    expected = [hashed(seed, place) >= round(p * 2**32) for place in range(60)]
    assert kept(Draw(seed, p), torch.empty(3, 20)).flatten().tolist() == expected


def test_lets_through_outside_of_training_and_at_zero() -> None:
    x = randn(3, 4)
    assert Dropout(0.5).eval()(x) is x
    assert Dropout(0.0)(x) is x


def test_refuses_what_is_no_share() -> None:
    with pytest.raises(ValueError, match=r"between 0 and 1, but got 1\.5"):
        Dropout(1.5)
