from math import sqrt

import pytest
import torch
from torch import Tensor
from torch.nn.functional import conv1d, glu
from torch.testing import assert_close

from saccade.encoders.conv_s2s import ConvS2SEncoder
from saccade.errors import ShapeError
from saccade.flow import Padded
from saccade.layers.convolution import GatedConvolution
from saccade.parts import Part
from saccade.positions.base import Positions
from tests.samples import mask_of, randn, scramble


def reference(encoder: ConvS2SEncoder, x: Tensor) -> Tensor:
    """The paper's encoder over torch's convolution, for a sentence without padding."""
    h = encoder.enter(encoder.positions(x))
    for layer in encoder.layers:
        assert isinstance(layer, GatedConvolution)
        weight = layer.W.weight.unflatten(1, (3, -1)).transpose(1, 2)  # type: ignore[no-untyped-call]
        y = conv1d(h.transpose(1, 2), weight, layer.W.bias, padding=1)
        h = (glu(y, dim=1).transpose(1, 2) + h) * sqrt(0.5)
    return encoder.leave(h)  # type: ignore[no-any-return]


@pytest.mark.parametrize("kind", ["sinusoidal", "learned"])
def test_it_is_the_papers_over_torchs_convolution(kind: str) -> None:
    encoder = scramble(ConvS2SEncoder(4, hidden=6, layers=3, positions=Part(Positions, kind)))
    x, mask = randn(2, 5, 4), mask_of(5, 5)
    memory, z = encoder(Padded(x, mask)), reference(encoder, x)
    assert_close(memory.states, z)
    assert_close(memory.values, (z + encoder.positions(x)) * sqrt(0.5))
    assert_close(memory.summary, z.mean(dim=1))


@pytest.mark.parametrize(("layers", "kernel", "reach"), [(1, 3, 1), (2, 3, 2), (2, 5, 4)])
def test_every_layer_widens_what_a_place_sees(layers: int, kernel: int, reach: int) -> None:
    encoder = scramble(ConvS2SEncoder(4, hidden=6, layers=layers, kernel=kernel))
    x, mask = randn(1, 11, 4), mask_of(11)
    other = x.clone()
    other[:, 5] += 1
    changed = (encoder(Padded(other, mask)).states != encoder(Padded(x, mask)).states).any(dim=2)
    assert changed[0].tolist() == [abs(s - 5) <= reach for s in range(11)]


def test_variance_stays_through_the_layers() -> None:
    with torch.random.fork_rng():
        torch.manual_seed(1)
        encoder = ConvS2SEncoder(
            64, hidden=128, layers=8, dropout=0.0, positions=Part(Positions, "none")
        )
    memory = encoder(Padded(randn(8, 20, 64), mask_of(*[20] * 8)))
    assert memory.states.var().item() == pytest.approx(1.0, abs=0.4)
    assert memory.values.var().item() == pytest.approx(1.0, abs=0.4)


def test_a_kernel_reads_something() -> None:
    with pytest.raises(
        ShapeError, match="encoder conv_s2s: kernel is 0; a kernel reads at least 1"
    ):
        ConvS2SEncoder(4, kernel=0)
