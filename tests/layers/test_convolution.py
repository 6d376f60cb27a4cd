import pytest
import torch
from torch import nn
from torch.nn.functional import conv1d, glu
from torch.testing import assert_close

from saccade.errors import ShapeError
from saccade.layers.convolution import (
    GatedConvolution,
    check_widths,
    normal_linear,
    surround,
    windows,
)
from tests.samples import randn, scramble


@pytest.mark.parametrize("width", [1, 2, 3, 5])
def test_a_dense_layer_over_windows_is_torchs_convolution(width: int) -> None:
    x, layer = randn(2, 7, 3), scramble(nn.Linear(width * 3, 4))
    kernel = layer.weight.unflatten(1, (width, 3)).transpose(1, 2)  # type: ignore[no-untyped-call]
    expected = conv1d(x.transpose(1, 2), kernel, layer.bias).transpose(1, 2)
    assert_close(layer(windows(x, width)), expected)


@pytest.mark.parametrize("width", [1, 2, 3, 4])
def test_what_is_surrounded_keeps_its_places(width: int) -> None:
    assert windows(surround(randn(2, 5, 3), width), width).shape == (2, 5, 3 * width)


def test_a_gate_is_torchs() -> None:
    layer, x = scramble(GatedConvolution(4, 3, 0.0)), randn(2, 6, 4)
    assert_close(layer(x), glu(layer.W(windows(x, 3)), dim=2))
    layer.W.bias.data[4:] = -100.0
    assert_close(layer(x), torch.zeros(2, 4, 4))


def test_what_passes_a_gate_varies_as_much_as_what_enters_it() -> None:
    """Gehring et al. 2017, section 3.5, for an input that varies by one."""
    with torch.random.fork_rng():
        torch.manual_seed(1)
        layer, plain = GatedConvolution(256, 3, 0.0), normal_linear(256, 256)
    x = randn(8, 50, 256)
    assert layer(x).var().item() == pytest.approx(1.0, abs=0.1)
    assert plain(x).var().item() == pytest.approx(1.0, abs=0.1)
    assert (layer.W.bias == 0).all()


def test_dropout_is_counted_in_the_first_weights() -> None:
    with torch.random.fork_rng():
        torch.manual_seed(1)
        deviation = GatedConvolution(128, 3, 0.5).W.weight.std().item()
    assert deviation == pytest.approx((3 * 0.5 / (3 * 128)) ** 0.5, rel=0.02)


def test_a_kernel_reads_something() -> None:
    message = "encoder x: widths is 3, 0; a kernel reads at least 1 place. Give 1 or more."
    with pytest.raises(ShapeError, match=message):
        check_widths("encoder x", "widths", [3, 0])
    with pytest.raises(ShapeError, match="encoder x: widths is empty; a kernel reads at least 1"):
        check_widths("encoder x", "widths", [])
    check_widths("encoder x", "widths", [3, 1])
