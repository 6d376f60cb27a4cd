"""The network over pictures: its grid, what a square sees, and what it must not depend on."""

from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from saccade.embedders.cnn import CnnEmbedder
from saccade.errors import ShapeError
from saccade.flow import Padded


def picture(height: int, width: int, seed: int = 0) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(0, 256, (height, width, 3), generator=generator, dtype=torch.uint8)


def padded(*pictures: Tensor) -> Padded:
    height, width = (max(one.shape[i] for one in pictures) for i in (0, 1))
    values = torch.full((len(pictures), height, width, 3), 77, dtype=torch.uint8)
    mask = torch.zeros(values.shape[:3], dtype=torch.bool)
    for i, one in enumerate(pictures):
        values[i, : one.shape[0], : one.shape[1]] = one
        mask[i, : one.shape[0], : one.shape[1]] = True
    return Padded(values, mask)


def network(**options: Any) -> CnnEmbedder:
    torch.manual_seed(1)
    return CnnEmbedder(3, 6, **{"width": 16, **options}).double()


@pytest.mark.parametrize("stride", [2, 4, 8])
@pytest.mark.parametrize(("height", "width"), [(8, 8), (9, 16), (1, 1), (13, 3)])
def test_a_vector_for_every_square(height: int, width: int, stride: int) -> None:
    embed = network(stride=stride)
    found = embed(padded(picture(height, width)))
    down, across = embed.grid((height, width, 3))
    assert (down - 1) * stride < height <= down * stride
    assert (across - 1) * stride < width <= across * stride
    assert found.values.shape == (1, down * across, 6)
    assert found.mask.shape == (1, down * across)
    assert found.mask.all()


sizes = st.tuples(st.integers(1, 14), st.integers(1, 14))


@given(st.lists(sizes, min_size=1, max_size=4), st.sampled_from([2, 4, 8]), st.integers(0, 2))
@settings(deadline=None, max_examples=40)
def test_a_picture_alone_is_the_picture_in_a_batch(
    several: list[tuple[int, int]], stride: int, depth: int
) -> None:
    embed = network(stride=stride, depth=depth)
    pictures = [picture(*size, seed=i) for i, size in enumerate(several)]
    together = embed(padded(*pictures))
    for i, one in enumerate(pictures):
        alone = embed(padded(one)).values[0]
        assert together.mask[i].sum() == len(alone)
        assert together.mask[i, : len(alone)].all()
        torch.testing.assert_close(together.values[i, : len(alone)], alone)


def test_rows_of_squares_stand_one_behind_the_other() -> None:
    embed = network(depth=0, stride=2)
    changed = picture(6, 8)
    before = embed(padded(changed)).values[0]
    changed = changed.clone()
    changed[2, 5] ^= 255  # in the second row of squares, the third
    moved = (embed(padded(changed)).values[0] - before).abs().sum(dim=1) > 0
    assert moved.view(3, 4).nonzero().tolist() == [[0, 2], [0, 3], [1, 2], [1, 3]]


@pytest.mark.parametrize(("stride", "depth"), [(2, 0), (2, 2), (4, 1), (8, 0)])
def test_a_square_sees_as_far_as_it_says(stride: int, depth: int) -> None:
    embed = network(stride=stride, depth=depth)
    pixels = picture(72, 72).double().requires_grad_()
    grid = embed(Padded(pixels[None], torch.ones(1, 72, 72, dtype=torch.bool))).values
    n = 72 // stride
    grid[0, (n // 2) * n + n // 2].square().sum().backward()
    assert pixels.grad is not None
    seen = pixels.grad.abs().sum(dim=2).nonzero()
    reach = seen.max(dim=0).values - seen.min(dim=0).values + 1
    assert reach.tolist() == [embed.reach, embed.reach]
    middle = (seen.max(dim=0).values + seen.min(dim=0).values + 1) / 2
    assert middle.tolist() == [(n // 2 + 0.5) * stride] * 2  # the square is in the middle of it


def test_equal_squares_differ_by_where_they_lie() -> None:
    embed = network()
    plain = embed(padded(torch.full((64, 64, 3), 99, dtype=torch.uint8))).values[0].view(16, 16, 6)
    inner = plain[4:12, 4:12]  # far from the edges
    steps = inner[1:] - inner[:-1]
    torch.testing.assert_close(steps, steps[:1, :1].expand_as(steps))
    assert steps.abs().max() > 1e-3


def test_every_weight_is_used() -> None:
    embed = network()
    embed(padded(picture(9, 9), picture(4, 12))).values.square().sum().backward()
    for name, parameter in embed.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.abs().sum() > 0, name


def test_early_stages_are_narrower() -> None:
    shapes = dict(network(width=64, stride=8).named_parameters())
    found = [tuple(shapes[f"stages.{i}.D.weight"].shape[:2]) for i in range(3)]
    assert found == [(16, 3), (32, 16), (64, 32)]


@pytest.mark.parametrize("stride", [0, 1, 3, 12, -2])
def test_a_stride_that_is_no_power_of_two_is_refused(stride: int) -> None:
    with pytest.raises(ShapeError, match=f"stride is {stride}; .* expected 2, 4, 8 or a higher"):
        network(stride=stride)


def test_a_network_without_channels_is_refused() -> None:
    with pytest.raises(ShapeError, match="width is 0 and depth 1; expected a width from 1"):
        network(width=0)
    with pytest.raises(ShapeError, match=r"width is 16 and depth -1; .* a depth from 0 on"):
        network(depth=-1)


def test_a_plain_network_puts_its_block_in_the_place_of_what_it_got() -> None:
    residual, plain = network(stride=2), network(stride=2, residual=False)
    plain.load_state_dict(residual.state_dict())
    given = padded(picture(8, 8))
    x, mask = torch.randn(1, 4, 4, 16).double(), torch.ones(1, 4, 4, 1, dtype=torch.bool)
    one, other = (found.get_submodule("stages.0.blocks.0") for found in (residual, plain))
    torch.testing.assert_close(one(x, mask) - x, other(x, mask))
    assert not torch.allclose(residual(given).values, plain(given).values)
