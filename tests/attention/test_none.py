import torch

from saccade.attention.none import NoAttention
from tests.samples import randn


def test_reads_nothing_and_draws_no_map() -> None:
    attention = NoAttention(8, 6)
    prepared = attention.prepare(randn(3, 5, 6))
    context, weights, _ = attention(
        randn(3, 4, 8), prepared, torch.ones(3, 1, 5, dtype=torch.bool), {}, look=True
    )
    assert context.shape == (3, 4, 0)
    assert weights is not None
    assert weights.shape == (3, 4, 0, 5)
    assert attention.names == ()
