"""Patches: which pixels are in which, and where each lies."""

import pytest
import torch
from torch import Tensor

from saccade.embedders.patches import PatchEmbedder
from saccade.errors import ShapeError
from saccade.flow import Padded


def whole(values: Tensor) -> Padded:
    return Padded(values, torch.ones(values.shape[:3], dtype=torch.bool))


def test_a_patch_is_a_linear_map_of_its_pixels_and_its_place() -> None:
    torch.manual_seed(1)
    embed = PatchEmbedder(3, 5, patch=2).double()
    picture = torch.randint(0, 256, (1, 4, 6, 3)).double()
    found = embed(whole(picture)).values
    assert found.shape == (1, 6, 5)
    assert embed.grid((4, 6, 3)) == (2, 3)
    for row in range(2):
        for column in range(3):
            patch = picture[0, 2 * row : 2 * row + 2, 2 * column : 2 * column + 2]
            wanted = embed.W((2 * patch / 255 - 1).flatten()) + embed.R[row] + embed.C[column]
            torch.testing.assert_close(found[0, 3 * row + column], wanted)


def test_what_lies_beyond_the_picture_counts_as_nothing() -> None:
    torch.manual_seed(1)
    embed = PatchEmbedder(1, 5, patch=4)
    found = embed(whole(torch.full((1, 5, 4, 1), 255.0))).values
    last = torch.zeros(4, 4)
    last[0] = 1
    torch.testing.assert_close(found[0, 1], embed.W(last.flatten()) + embed.R[1] + embed.C[0])


def test_what_cannot_be_is_told() -> None:
    with pytest.raises(ShapeError, match="patch is 0 and most 64; expected 1 or more"):
        PatchEmbedder(3, 4, patch=0)
    with pytest.raises(ShapeError, match="has 3 x 1 patches; expected at most 2 each way"):
        PatchEmbedder(3, 4, patch=4, most=2)(whole(torch.zeros(1, 9, 4, 3)))
