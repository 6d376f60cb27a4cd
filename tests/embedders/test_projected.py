"""The map from features to vectors, by hand."""

import torch

from saccade.embedders.projected import ProjectedEmbedder
from saccade.flow import Padded


def test_a_linear_map_of_each_place_and_where_it_lies() -> None:
    torch.manual_seed(1)
    embed = ProjectedEmbedder(3, 4, places=True)
    features, mask = torch.randn(2, 2, 1, 3), torch.ones(2, 2, 1, dtype=torch.bool)
    W, C = embed.projection.W, embed.projection.C
    assert C is not None
    found = embed(Padded(features.half(), mask))
    for b in range(2):
        for row, middle in enumerate((-0.5, 0.5)):
            where = C(torch.tensor([middle, 0.0]))
            wanted = (W(features.half().float()[b, row, 0]) + where).clamp(min=0)
            torch.testing.assert_close(found.values[b, row], wanted)


def test_one_row_behind_the_other() -> None:
    embed = ProjectedEmbedder(2, 4)
    features = torch.randn(1, 3, 5, 2)
    found = embed(Padded(features, torch.ones(1, 3, 5, dtype=torch.bool)))
    assert embed.grid((3, 5, 2)) == (3, 5)
    assert found.values.shape == (1, 15, 4)
    wanted = embed.projection.W(features[0, 1, 4]).clamp(min=0)
    torch.testing.assert_close(found.values[0, 9], wanted)
