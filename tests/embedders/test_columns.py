"""The network over lines of print: its vectors, what they see, and what they must not depend on."""

from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from saccade.embedders.columns import ColumnsEmbedder
from saccade.errors import ShapeError
from saccade.flow import Padded


def line(width: int, height: int = 8, seed: int = 0) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(0, 256, (width, height), generator=generator, dtype=torch.uint8)


def padded(*lines: Tensor) -> Padded:
    width = max(map(len, lines))
    values = torch.full((len(lines), width, lines[0].shape[1]), 77, dtype=torch.uint8)
    mask = torch.zeros(values.shape[:2], dtype=torch.bool)
    for i, one in enumerate(lines):
        values[i, : len(one)], mask[i, : len(one)] = one, True
    return Padded(values, mask)


def network(height: int = 8, **options: Any) -> ColumnsEmbedder:
    torch.manual_seed(1)
    return ColumnsEmbedder(height, 6, **{"width": 16, **options}).double()


@pytest.mark.parametrize("stride", [1, 2, 4, 8])
@pytest.mark.parametrize("width", [1, 7, 8, 9])
def test_a_vector_for_every_few_columns(width: int, stride: int) -> None:
    embed = network(stride=stride)
    found = embed(padded(line(width)))
    n = -(-width // stride)
    assert embed.grid((width, 8)) == (1, n)
    assert found.values.shape == (1, n, 6)
    assert found.mask.all()


@given(
    st.lists(st.integers(1, 40), min_size=1, max_size=4),
    st.sampled_from([1, 2, 4, 8]),
    st.integers(0, 2),
)
@settings(deadline=None, max_examples=40)
def test_a_line_alone_is_the_line_in_a_batch(widths: list[int], stride: int, depth: int) -> None:
    embed = network(stride=stride, depth=depth)
    lines = [line(width, seed=i) for i, width in enumerate(widths)]
    together = embed(padded(*lines))
    for i, one in enumerate(lines):
        alone = embed(padded(one)).values[0]
        assert together.mask[i].sum() == len(alone)
        torch.testing.assert_close(together.values[i, : len(alone)], alone)


@pytest.mark.parametrize(("stride", "depth"), [(1, 0), (2, 2), (4, 0), (4, 1), (8, 1)])
def test_a_vector_sees_as_far_as_it_says(stride: int, depth: int) -> None:
    embed = network(height=32, stride=stride, depth=depth)
    pixels = line(160, 32).double().requires_grad_()
    found = embed(Padded(pixels[None], torch.ones(1, 160, dtype=torch.bool))).values
    n = 160 // stride // 2
    found[0, n].square().sum().backward()
    assert pixels.grad is not None
    seen = pixels.grad.abs().sum(dim=1).nonzero()
    assert int(seen.max() - seen.min()) + 1 == embed.reach
    assert int(seen.max() + seen.min()) // 2 == n * stride


def test_height_is_not_averaged_away() -> None:
    embed = network(height=32)
    low, high = torch.full((2, 16, 32), 255, dtype=torch.uint8)
    low[6:9, 26:29], high[6:9, 2:5] = 0, 0  # a comma and an apostrophe
    one, other = embed(padded(low, high)).values
    assert (one - other).abs().max() > 1e-3


def test_the_sizes_of_stages() -> None:
    shapes = dict(network(height=32, width=64).named_parameters())
    found = [tuple(shapes[f"stages.{i}.D.weight"].shape[:2]) for i in range(3)]
    assert found == [(16, 1), (32, 16), (64, 32)]
    assert shapes["output.weight"].shape == (6, 4 * 64)
    assert network(height=50).output.weight.shape == (6, 4 * 16)


def test_a_stride_that_is_no_power_of_two_is_refused() -> None:
    for stride in (0, 3, -2):
        with pytest.raises(ShapeError, match=f"stride is {stride}; .* expected 1, 2, 4 or a high"):
            network(stride=stride)
    with pytest.raises(ShapeError, match="width is 0 and depth 0; expected a width from 1"):
        network(width=0)
