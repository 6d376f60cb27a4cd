"""Frames read one by one."""

import pytest
import torch
from torch.testing import assert_close

from saccade.embedders._frames import FramePool, laid_out
from saccade.embedders.base import Embedder
from saccade.embedders.frames import FramesEmbedder
from saccade.errors import ShapeError
from saccade.flow import Padded
from saccade.parts import Part
from tests.samples import mask_of, randn, scramble


def clips(*lengths: int) -> Padded:
    mask = mask_of(*lengths)
    values = (randn(*mask.shape, 9, 6, 3).abs() * 99).to(torch.uint8)
    return Padded(values, mask)


def test_a_frame_is_read_by_the_network_alone() -> None:
    embedder, given = scramble(FramesEmbedder(3, 8, hidden=12, cells=2)), clips(4, 2)
    (squares,) = (
        embedder.network(Padded(frame[None], torch.ones(1, 9, 6).bool())).values[0]
        for frame in given.values[0, 1:2]
    )
    z = torch.zeros(1, 1, 3, 2, 12)
    z[0, 0] = squares.reshape(3, 2, 12)
    alone = embedder(Padded(given.values[:1, 1:2], torch.ones(1, 1).bool())).values
    assert_close(alone, embedder.pool(z, torch.ones(1, 1).bool()))
    assert embedder.grid((4, 9, 6, 3)) == (1, 4)


def test_frames_in_another_order_are_vectors_in_that_order() -> None:
    embedder, given = scramble(FramesEmbedder(3, 8)), clips(5)
    turned = torch.tensor([3, 0, 4, 1, 2])
    found = embedder(Padded(given.values[:, turned], given.mask)).values
    assert_close(found, embedder(given).values[:, turned])


def test_the_pool_is_as_its_equation_says() -> None:
    pool, mask = scramble(FramePool(2, 3, 2)), mask_of(3, 2)
    z = randn(2, 3, 4, 4, 2)
    found = pool(z, mask)
    for b, n in enumerate((3, 2)):
        real = z[b, :n]
        mean, var = real.mean(dim=(0, 1, 2)), real.var(dim=(0, 1, 2), unbiased=False)
        normed = ((real - mean) / (var + 1e-4).sqrt()).relu()
        cells = [
            normed[:, i : i + 2, j : j + 2].amax(dim=(1, 2)) for i in (0, 2) for j in (0, 2)
        ]  # 4 x [n, 2]
        by_hand = pool.W(torch.stack(cells, dim=2).flatten(1))
        assert_close(found[b, :n], by_hand)
        assert not found[b, n:].any()


def test_what_is_laid_out_is_where_the_mask_is() -> None:
    mask = mask_of(1, 3)
    found = laid_out(torch.arange(1, 5)[:, None], mask)
    assert found[..., 0].tolist() == [[1, 0, 0], [2, 3, 4]]


def test_only_networks_for_pictures_read_frames() -> None:
    with pytest.raises(ShapeError, match=r"frames: network symbols reads text; a frame is a pict"):
        FramesEmbedder(3, 8, network=Part(Embedder, "symbols"))
    with pytest.raises(ShapeError, match=r"cells: found 0; a frame is pooled to cells x cells; ex"):
        FramesEmbedder(3, 8, cells=0)
