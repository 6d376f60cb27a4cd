from torch.testing import assert_close

from saccade.embedders.linear import LinearEmbedder
from saccade.flow import Padded
from tests.samples import mask_of, randn, scramble


def test_it_is_a_linear_map_of_each_place() -> None:
    embedder, z = scramble(LinearEmbedder(3, 5)), randn(2, 4, 3)
    found = embedder(Padded(z, mask_of(4, 2)))
    assert_close(found.values, z @ embedder.map.weight.T + embedder.map.bias)
    assert_close(embedder.embed(z[:, 1]), found.values[:, 1])
    assert embedder.matrix is None
    assert embedder.grid((7, 3)) == (7,)
