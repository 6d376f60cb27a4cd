import torch
from torch.testing import assert_close

from saccade.embedders.symbols import SymbolEmbedder
from saccade.flow import padded


def test_it_is_the_row_of_a_matrix_times_the_root_of_the_width() -> None:
    embedder = SymbolEmbedder(9, 16)
    source = padded([[4, 5], [6]])
    found = embedder(source)
    assert torch.equal(found.mask, source.mask)
    assert_close(found.values, 4 * embedder.weight[source.values])
    assert_close(embedder.embed(torch.tensor([7])), 4 * embedder.weight[7:8])
    assert embedder.matrix is embedder.weight


def test_vectors_enter_with_variance_one() -> None:
    with torch.random.fork_rng():
        torch.manual_seed(1)
        embedder = SymbolEmbedder(400, 64)
    found = embedder.embed(torch.arange(400))
    assert abs(found.mean().item()) < 0.05
    assert abs(found.var().item() - 1) < 0.05
