import pytest
import torch
from torch import nn
from torch.testing import assert_close

from saccade.inference.linear import BlockedLinear, pack, packed
from saccade.layers.transformer import FeedForward, bridge
from tests.samples import randn, scramble

SHAPES = [(1, 8, 5), (5, 256, 300), (2, 700, 300)]  # small ones are not packed


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize(("rows", "width", "out"), SHAPES)
def test_packed_is_linear(rows: int, width: int, out: int, bias: bool, dtype: torch.dtype) -> None:
    layer = scramble(nn.Linear(width, out, bias=bias), scale=0.1).to(dtype)
    x, onto = randn(rows, width, dtype=dtype), randn(rows, out, seed=2, dtype=dtype)
    own = BlockedLinear(layer.weight, layer.bias)
    with torch.no_grad():
        assert_close(own(x), layer(x), atol=1e-5, rtol=1e-5)
        assert_close(own(x, relu=True), layer(x).relu(), atol=1e-5, rtol=1e-5)
        assert_close(own(x, onto), layer(x) + onto, atol=1e-5, rtol=1e-5)


def test_what_is_large_and_single_is_packed() -> None:
    layer = nn.Linear(256, 300)
    single, double = (BlockedLinear(w, None) for w in (layer.weight, layer.weight.double()))
    assert single.blocks is not None
    assert double.blocks is None


def test_layers_that_read_the_same_become_one() -> None:
    one, two, x = scramble(nn.Linear(4, 3)), scramble(nn.Linear(4, 2), seed=2), randn(5, 4)
    with torch.no_grad():
        assert_close(pack(BlockedLinear, one, two)(x), torch.cat([one(x), two(x)], dim=1))


def test_a_packed_module_computes_the_same_and_leaves_the_other_alone() -> None:
    module, x = scramble(FeedForward(256, 512), scale=0.1), randn(2, 3, 256)
    copied = packed(module, BlockedLinear)
    assert type(module.U) is nn.Linear
    assert type(copied.U) is not nn.Linear
    with torch.no_grad():
        assert_close(copied(x), module(x), atol=1e-5, rtol=1e-5)


def test_a_layer_without_inputs_is_left_to_torch() -> None:
    assert BlockedLinear(torch.zeros(4, 0), torch.ones(4)).blocks is None
    module = packed(nn.Sequential(bridge(0, 4), nn.Linear(4, 2)), BlockedLinear)
    assert [type(one) is nn.Linear for one in module] == [True, False]
    assert module(torch.zeros(3, 0)).shape == (3, 2)
