"""Gaussian filter banks against direct sums."""

import math

import pytest
import torch
from torch import Tensor

from saccade.errors import RecipeError
from saccade.glimpses.base import Pictures
from saccade.glimpses.filter_bank import FilterBank
from tests.samples import backward

WHERE = torch.tensor([[0.2, -0.3, -0.5, 0.4, 0.1], [0.0, 0.0, 0.0, 0.0, 0.0]], dtype=torch.float64)


def pictures(height: int = 6, width: int = 7) -> Pictures:
    generator = torch.Generator().manual_seed(1)
    pixels = torch.rand(2, 1, height, width, generator=generator, dtype=torch.float64)
    return Pictures(pixels, torch.tensor([[height, width]] * 2))


def direct(
    size: int, n_places: int, longest: int, middle: float, where: Tensor
) -> list[list[float]]:
    """Return one bank of filters by the equations of the paper, number by number."""
    stride = (longest - 1) / (size - 1) * math.exp(where[2])
    found = []
    for i in range(1, size + 1):
        centre = (n_places + 1) / 2 * (middle + 1) + (i - size / 2 - 0.5) * stride
        bell = [
            math.exp(-((p - centre) ** 2) / (2 * math.exp(where[3])))
            for p in range(1, n_places + 1)
        ]
        found.append([one / sum(bell) for one in bell])
    return found


def test_filters_follow_the_equations() -> None:
    down, across = FilterBank(1, size=3).filters(pictures().sizes, WHERE, (6, 7))
    for row in range(2):
        for found, n, middle in ((down, 6, WHERE[row, 0]), (across, 7, WHERE[row, 1])):
            expected = direct(3, n, 7, float(middle), WHERE[row])
            assert torch.allclose(found[row], torch.tensor(expected).double(), atol=1e-6)


def test_reading_sums_pixels_under_the_filters() -> None:
    bank, given = FilterBank(1, size=3), pictures()
    down, across = bank.filters(given.sizes, WHERE, (6, 7))
    seen = bank(given, WHERE).view(2, 3, 3)
    expected = sum(
        down[0, 1, y] * across[0, 2, x] * given.pixels[0, 0, y, x]
        for y in range(6)
        for x in range(7)
    )
    assert seen[0, 1, 2].item() == pytest.approx(float(expected) * math.exp(0.1))


def test_writing_is_reading_turned_around() -> None:
    """<read(x), w> = a^2 <x, write(w)>: the same filters, and brightness once each way."""
    bank, given = FilterBank(1, size=3), pictures()
    patch = torch.rand(2, 3, 3, generator=torch.Generator().manual_seed(2), dtype=torch.float64)
    read = (bank(given, WHERE).view(2, 3, 3) * patch).sum(dim=(1, 2))
    written = (bank.write(patch, WHERE, (6, 7)) * given.pixels[:, 0]).sum(dim=(1, 2))
    assert torch.allclose(read, written * (2 * WHERE[:, 4]).exp())


def test_a_smaller_picture_does_not_see_its_padding() -> None:
    bank, given = FilterBank(1, size=3), pictures()
    sizes = torch.tensor([[4, 5], [6, 7]])
    cut = given.pixels.clone()
    cut[0, :, 4:], cut[0, :, :, 5:] = 0, 0
    together = bank(Pictures(cut, sizes), WHERE)[0]
    alone = bank(Pictures(cut[:1, :, :4, :5], sizes[:1]), WHERE[:1])[0]
    assert torch.allclose(together, alone)


def test_where_has_a_gradient() -> None:
    bank, given = FilterBank(1, size=3), pictures()
    where = WHERE.clone().requires_grad_()
    assert torch.autograd.gradcheck(lambda w: bank(given, w), (where,))


def test_the_window_and_its_box_lie_around_the_middle() -> None:
    bank = FilterBank(1, size=3)
    where = torch.tensor([[0.0, 0.0, math.log(0.25), -2.0, 0.0]])
    window = bank.window(torch.ones(1, 9, 9, dtype=torch.bool), where)
    assert window.sum().item() == pytest.approx(1.0, abs=1e-5)
    assert window[0].flatten().argmax() == 40
    (box,) = bank.boxes(torch.tensor([[9, 9]]), where)[0].tolist()
    assert box == pytest.approx([3.0, 3.0, 6.0, 6.0])


def test_one_filter_is_refused() -> None:
    with pytest.raises(RecipeError, match="found 1; expected 2 to 64 filters"):
        FilterBank(1, size=1)


def test_blur_is_the_width_to_start_with() -> None:
    wide, moved = FilterBank(1, size=3, blur=2.5), WHERE.clone()
    moved[:, 3] += 2 * math.log(2.5)
    for found, expected in zip(
        wide.filters(pictures().sizes, WHERE, (6, 7)),
        FilterBank(1, size=3).filters(pictures().sizes, moved, (6, 7)),
        strict=True,
    ):
        torch.testing.assert_close(found, expected)
    with pytest.raises(RecipeError, match="found 0; expected pixels above 0, up to 64"):
        FilterBank(1, blur=0.0)


def test_a_place_is_learned_by_its_gradient_alone() -> None:
    """A window goes to the only bright pixel, since there it sees most."""
    pixels = torch.zeros(1, 1, 21, 24, dtype=torch.float64)
    pixels[0, 0, 7, 15] = 1
    given = Pictures(pixels, torch.tensor([[21, 24]]))
    bank, place = FilterBank(1, size=3), torch.zeros(1, 2, dtype=torch.float64, requires_grad=True)
    form = torch.tensor([[-3.0, 1.5, 0.0]], dtype=torch.float64)  # stride, width, brightness
    optimiser = torch.optim.Adam([place], lr=0.05)
    for _ in range(150):
        optimiser.zero_grad()
        backward(-bank(given, torch.cat([place, form], dim=1)).sum())
        optimiser.step()
    top, left, bottom, right = bank.boxes(given.sizes, torch.cat([place, form], 1))[0, 0].tolist()
    assert (top + bottom) / 2 == pytest.approx(7.5, abs=0.1)
    assert (left + right) / 2 == pytest.approx(15.5, abs=0.1)
