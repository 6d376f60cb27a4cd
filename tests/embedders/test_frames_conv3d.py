"""Two networks over one clip."""

import pytest
import torch
from torch.testing import assert_close

from saccade.embedders.base import Embedder
from saccade.embedders.frames_conv3d import FramesConv3dEmbedder
from saccade.errors import ShapeError
from saccade.flow import Padded
from saccade.parts import Part
from tests.samples import mask_of, randn, scramble


def clips() -> Padded:
    mask = mask_of(4, 2)
    return Padded((randn(*mask.shape, 8, 8, 3).abs() * 99).to(torch.uint8), mask)


def test_vectors_are_joined_frame_by_frame() -> None:
    embedder, given = scramble(FramesConv3dEmbedder(3, 8)), clips()
    found = embedder(given)
    both = torch.cat([embedder.still(given).values, embedder.moving(given).values], dim=2)
    assert embedder.join is not None
    assert_close(found.values, embedder.join(both))
    assert torch.equal(found.mask, given.mask)
    assert embedder.grid((4, 8, 8, 3)) == (1, 4)


def test_places_stand_one_network_behind_the_other() -> None:
    embedder, given = scramble(FramesConv3dEmbedder(3, 8, join="places")), clips()
    found = embedder(given)
    still, moving = embedder.still(given).values, embedder.moving(given).values
    assert found.mask.tolist() == [[True] * 8, [True] * 4 + [False] * 4]
    assert_close(found.values[0], torch.cat([still[0], moving[0]]))
    assert_close(found.values[1, :4], torch.cat([still[1, :2], moving[1, :2]]))
    assert embedder.grid((4, 8, 8, 3)) == (2, 4)


def test_only_networks_for_clips_are_joined() -> None:
    with pytest.raises(
        ShapeError, match=r"moving is cnn, which reads no clips; expected frames or"
    ):
        FramesConv3dEmbedder(3, 8, moving=Part(Embedder, "cnn"))
