"""Rotary positions are a product of complex numbers."""

import cmath

import pytest
import torch
from torch.autograd import gradcheck
from torch.testing import assert_close

from saccade.errors import ShapeError
from saccade.positions.base import Heads, Places
from saccade.positions.rotary import Rotary
from tests.samples import randn


def inside(n: int, past: int, *, width: int, base: float = 10000.0) -> Places:
    return Rotary(16, Heads(2, width), base=base).inside(n, past, randn(1))


def test_they_multiply_by_a_complex_number() -> None:
    x, base, past = randn(2, 3, 5, 8), 50.0, 2
    pairs = torch.complex(x[..., :4], x[..., 4:])
    for t in range(5):
        for i in range(4):
            pairs[:, :, t, i] *= cmath.exp(1j * (past + t) * base ** (-2 * i / 8))
    expected = torch.cat([pairs.real, pairs.imag], dim=-1)
    assert_close(inside(5, past, width=8, base=base).rotate(x), expected)


def test_lengths_stay_and_the_first_place_is_not_turned() -> None:
    x = randn(2, 3, 5, 8)
    turned = inside(5, 0, width=8).rotate(x)
    assert_close(turned.norm(dim=-1), x.norm(dim=-1))
    assert torch.equal(turned[:, :, 0], x[:, :, 0])
    assert inside(5, 0, width=8).bias(x) is None


def test_gradients() -> None:
    x = randn(1, 2, 3, 4, dtype=torch.float64).requires_grad_()
    places = Rotary(8, Heads(2, 4)).inside(3, 1, x)
    assert places.turn is not None
    assert places.turn.dtype == torch.float64
    assert gradcheck(places.rotate, (x,))


def test_there_are_no_parameters() -> None:
    assert list(Rotary(8, Heads(2, 4)).parameters()) == []


def test_keys_of_odd_width_are_refused() -> None:
    message = (
        "positions rotary: a head has keys of width 3, but they are rotated in pairs; the width"
        " must be even. Change heads or key_width of the attention."
    )
    with pytest.raises(ShapeError, match=message):
        Rotary(6, Heads(2, 3))


@pytest.mark.parametrize("base", [1.0, 0.0, -2.0])
def test_a_base_without_waves_is_refused(base: float) -> None:
    message = rf"positions rotary: base {base:g} is not above 1; expected .* or more. Raise it."
    with pytest.raises(ShapeError, match=message):
        Rotary(8, Heads(2, 4), base=base)
