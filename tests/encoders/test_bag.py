import torch
from torch.testing import assert_close

from saccade.encoders.bag import BagEncoder
from saccade.flow import Padded
from tests.samples import mask_of, randn, scramble


def test_order_is_lost() -> None:
    encoder = scramble(BagEncoder(5, hidden=4))
    x, mask, turn = randn(1, 4, 5), mask_of(4), torch.tensor([2, 0, 3, 1])
    plain, turned = encoder(Padded(x, mask)), encoder(Padded(x[:, turn], mask))
    assert_close(turned.summary, plain.summary)
    assert_close(turned.states, plain.states[:, turn])


def test_the_summary_is_the_layer_over_the_pooled_vectors() -> None:
    x, mask = randn(2, 3, 5), mask_of(3, 2)
    for pool, n in (("mean", (3, 2)), ("sum", (1, 1))):
        encoder = scramble(BagEncoder(5, hidden=4, pool=pool))  # type: ignore[arg-type]
        memory = encoder(Padded(x, mask))
        pooled = torch.stack([x[0].sum(dim=0) / n[0], x[1, :2].sum(dim=0) / n[1]])
        assert_close(memory.summary, torch.tanh(encoder.dense(pooled)))
        assert_close(memory.states[mask], torch.tanh(encoder.dense(x[mask])))


def test_of_one_word_the_summary_is_its_state() -> None:
    memory = scramble(BagEncoder(5, hidden=4))(Padded(randn(2, 3, 5), mask_of(1, 1, size=3)))
    assert_close(memory.summary, memory.states[:, 0])
