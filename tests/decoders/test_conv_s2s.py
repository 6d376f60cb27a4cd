from math import sqrt

import pytest
import torch
from torch import Tensor
from torch.nn.functional import conv1d, glu
from torch.testing import assert_close

from saccade.attention.base import Attention
from saccade.decoders.conv_s2s import ConvS2SDecoder
from saccade.errors import ShapeError
from saccade.flow import Memory, nested, tensor
from saccade.parts import Part
from tests.samples import mask_of, memory, randn, scramble


def reference(decoder: ConvS2SDecoder, x: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """The paper's decoder over torch's convolution, for a source without padding."""
    g = decoder.positions(x)
    h = decoder.enter(g)
    for layer in decoder._stack:
        k, W = layer.convolution.width, layer.convolution.W
        weight = W.weight.unflatten(1, (k, -1)).transpose(1, 2)  # type: ignore[no-untyped-call]
        past = torch.cat([torch.zeros_like(h[:, : k - 1]), h], dim=1)
        y = glu(conv1d(past.transpose(1, 2), weight, W.bias).transpose(1, 2), dim=2)
        d = (layer.query(y) + g) * sqrt(0.5)
        a = (d @ keys.transpose(1, 2) / sqrt(keys.shape[2])).softmax(dim=2)
        c = a @ values * sqrt(keys.shape[1])
        h = ((y + layer.context(c)) * sqrt(0.5) + h) * sqrt(0.5)
    return decoder.leave(h)  # type: ignore[no-any-return]


@pytest.mark.parametrize("kernel", [1, 3, 4])
def test_it_is_the_papers_over_torchs_convolution(kernel: int) -> None:
    decoder = scramble(ConvS2SDecoder(8, 8, hidden=6, layers=3, kernel=kernel))
    x, keys, values = randn(2, 5, 8), randn(2, 4, 8, seed=2), randn(2, 4, 8, seed=3)
    source = Memory(keys, mask_of(4, 4), keys.mean(dim=1), values=values)
    assert_close(decoder(x, source).features, reference(decoder, x, keys, values))


@pytest.mark.parametrize("kernel", [1, 2, 3, 5])
def test_step_by_step_is_at_once_far_beyond_the_kernels(kernel: int) -> None:
    decoder = scramble(ConvS2SDecoder(8, 8, hidden=6, layers=3, kernel=kernel), scale=0.3)
    x, source = randn(3, 20, 8), memory(3, 5, 1)
    whole, state = decoder(x, source, look=True), decoder.start(source)
    for t in range(20):
        features, weights, state = decoder.step(x[:, t], state, look=True)
        assert_close(features, whole.features[:, t])
        assert_close(weights, whole.weights[:, t])


def test_a_step_remembers_as_much_as_its_kernels_reach() -> None:
    decoder = scramble(ConvS2SDecoder(8, 8, hidden=6, layers=2, kernel=3))
    state = decoder.start(memory(3, 5, 1))
    for t in range(6):
        state = decoder.step(randn(3, 8, seed=t), state).state
        assert tensor(nested(state, "past"), "1").shape == (3, 2, 6)


def test_a_place_does_not_see_those_behind_it() -> None:
    decoder = scramble(ConvS2SDecoder(8, 8, hidden=6, layers=2), scale=0.3)
    x = randn(3, 5, 8)
    other = torch.cat([x[:, :3], randn(3, 2, 8, seed=8)], dim=1)
    first, second = (decoder(one, memory(3, 5, 1)).features for one in (x, other))
    assert_close(first[:, :3], second[:, :3])
    assert not torch.allclose(first[:, 3:], second[:, 3:])


def test_maps_are_named_by_layer() -> None:
    assert ConvS2SDecoder(8, 8, layers=2).attention_names == ("layer 1", "layer 2")
    part = Part(Attention, "multihead", {"heads": 2})
    assert ConvS2SDecoder(8, 8, layers=1, attention=part).attention_names == (
        "layer 1 head 1",
        "layer 1 head 2",
    )


def test_variance_stays_through_the_layers() -> None:
    with torch.random.fork_rng():
        torch.manual_seed(1)
        decoder = ConvS2SDecoder(64, 64, hidden=128, layers=6, dropout=0.0)
    source = Memory(randn(8, 9, 64), mask_of(*[9] * 8), randn(8, 64))
    features = decoder(randn(8, 12, 64, seed=2), source).features
    assert 0.5 < features.var().item() < 2.5  # sqrt(S) is exact where weights are equal


def test_it_needs_an_attention_that_reads() -> None:
    message = (
        "decoder conv_s2s: the attention reads nothing, and nothing else tells this decoder of the"
        " source; it needs an attention that reads. Use scaled_dot, or decoder rnn."
    )
    with pytest.raises(ShapeError, match=message):
        ConvS2SDecoder(8, 8, attention=Part(Attention, "none"))


def test_a_kernel_reads_something() -> None:
    with pytest.raises(
        ShapeError, match="decoder conv_s2s: kernel is 0; a kernel reads at least 1"
    ):
        ConvS2SDecoder(8, 8, kernel=0)
