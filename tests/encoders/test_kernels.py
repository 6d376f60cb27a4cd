import pytest
import torch
from torch import nn
from torch.nn.functional import conv1d
from torch.testing import assert_close

from saccade.encoders.kernels import KernelsEncoder
from saccade.errors import ShapeError
from saccade.flow import Padded
from tests.samples import mask_of, randn, scramble


def test_every_width_is_torchs_convolution() -> None:
    encoder = scramble(KernelsEncoder(4, widths=[1, 3], filters=2))
    x = randn(2, 5, 4)
    narrow, wide = encoder.W
    assert isinstance(wide, nn.Linear)
    kernel = wide.weight.unflatten(1, (3, 4)).transpose(1, 2)  # type: ignore[no-untyped-call]
    three = conv1d(x.transpose(1, 2), kernel, wide.bias, padding=1).transpose(1, 2)
    expected = torch.relu(torch.cat([narrow(x), three], dim=2))
    memory = encoder(Padded(x, mask_of(5, 5)))
    assert_close(memory.states, expected)
    assert_close(memory.summary, expected.max(dim=1).values)


def test_a_state_knows_its_neighbourhood_and_no_more() -> None:
    encoder = scramble(KernelsEncoder(4, widths=[1, 3], filters=2))
    x, mask = randn(1, 7, 4), mask_of(7)
    other = x.clone()
    other[:, 3] += 1
    changed = (encoder(Padded(other, mask)).states != encoder(Padded(x, mask)).states).any(dim=2)
    assert changed[0].tolist() == [False, False, True, True, True, False, False]


def test_all_filters_make_the_width() -> None:
    assert KernelsEncoder(4, widths=[1, 2, 9], filters=5).memory_dim == 15


def test_widths_are_real() -> None:
    with pytest.raises(ShapeError, match="encoder kernels: widths is 0; a kernel reads at least 1"):
        KernelsEncoder(4, widths=[0])
