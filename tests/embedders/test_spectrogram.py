"""Convolutional subsampling of sounds: how far a vector sees, and what is refused."""

import pytest
import torch
from torch.nn.functional import layer_norm, linear, relu

from saccade.embedders.spectrogram import SpectrogramEmbedder
from saccade.errors import ShapeError
from saccade.flow import Padded
from tests.samples import randn


def padded(n: int, bins: int = 10) -> Padded:
    return Padded(randn(1, n, bins, seed=n), torch.ones(1, n).bool())


@pytest.mark.parametrize("stride", [1, 2, 4, 8])
def test_time_is_divided_and_rounded_up(stride: int) -> None:
    embedder = SpectrogramEmbedder(10, 6, stride=stride)
    for n in (1, 7, 8, 9):
        assert embedder(padded(n)).values.shape == (1, -(-n // stride), 6)
        assert embedder.grid((n, 10)) == (1, -(-n // stride))


def test_it_is_convolutions_with_all_bands_in_one_vector() -> None:
    embedder, one = SpectrogramEmbedder(10, 6, width=3, stride=2), padded(7)
    x = relu(embedder.stages[0](one.values[:, None]))  # [1, 3, 4, 5]
    joined = torch.stack([x[0, :, t].T.flatten() for t in range(4)])[None]  # bands, then channels
    wanted = layer_norm(
        linear(joined, embedder.output.weight, embedder.output.bias),
        (6,), embedder.norm.weight, embedder.norm.bias,
    )  # fmt: skip
    torch.testing.assert_close(embedder(one).values, wanted)


def test_a_vector_sees_the_frames_around_it_alone() -> None:
    embedder, one = SpectrogramEmbedder(10, 6, stride=4), padded(40)
    changed = one.values.clone()
    changed[:, 20] += 1
    other = embedder(Padded(changed, one.mask)).values
    moved = (other != embedder(one).values).any(dim=2)[0].nonzero().flatten().tolist()
    assert moved == [5]  # of 7 frames: 17 to 23


@pytest.mark.parametrize("odd", [{"stride": 3}, {"stride": 0}, {"stride": 128}, {"width": 0}])
def test_other_strides_are_refused(odd: dict[str, int]) -> None:
    with pytest.raises(ShapeError, match=r"embedder spectrogram: width is \d+ and stride \d+; exp"):
        SpectrogramEmbedder(10, 6, **odd)
