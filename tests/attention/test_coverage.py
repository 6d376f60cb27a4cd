import math

import torch
from torch.testing import assert_close

from saccade.attention.additive import Additive
from saccade.attention.coverage import Coverage
from saccade.flow import tensor
from tests.samples import mask_of, randn, scramble

MASK = mask_of(6, 3)[:, None]


def test_by_hand() -> None:
    """States 0 and 1, U = v = 1, w = -1: what was read more is scored lower the next time."""
    attention = Coverage(1, 1, hidden=1)
    with torch.no_grad():
        for parameter in (attention.W.weight, attention.U.bias):
            parameter.zero_()
        attention.U.weight.fill_(1.0)
        attention.v.weight.fill_(1.0)
        attention.w.weight.fill_(-1.0)
    prepared = attention.prepare(torch.tensor([[[0.0], [1.0]]]))
    mask = torch.ones(1, 1, 2, dtype=torch.bool)
    weights = attention(
        torch.zeros(1, 2, 1), prepared, mask, attention.start(prepared), look=True
    ).weights
    first = 1 / (1 + math.exp(math.tanh(1)))
    low, high = math.exp(math.tanh(-first)), math.exp(math.tanh(1 - (1 - first)))
    assert_close(weights[0, 0, 0].tolist(), [first, 1 - first])
    assert_close(weights[0, 1, 0].tolist(), [low / (low + high), high / (low + high)])


def test_it_remembers_the_sum_of_all_weights() -> None:
    attention = scramble(Coverage(8, 8, hidden=8))
    prepared = attention.prepare(randn(2, 6, 8))
    read = attention(randn(2, 5, 8), prepared, MASK, attention.start(prepared), look=True)
    assert_close(tensor(read.state, "coverage"), read.weights.sum(dim=(1, 2)))


def test_the_first_query_reads_as_additive_does_and_the_next_does_not() -> None:
    attention, additive = scramble(Coverage(8, 6, hidden=7)), Additive(8, 6, hidden=7)
    additive.load_state_dict({k: v for k, v in attention.state_dict().items() if k != "w.weight"})
    query, prepared = randn(2, 2, 8, seed=2), attention.prepare(randn(2, 6, 6))
    one = attention(query, prepared, MASK, attention.start(prepared)).context
    other = additive(query, prepared, MASK, {}).context
    assert_close(one[:, 0], other[:, 0])
    assert not torch.allclose(one[:, 1], other[:, 1])


def test_the_gradient_flows_back_through_what_is_remembered() -> None:
    attention = scramble(Coverage(8, 8, hidden=8))
    prepared, query = attention.prepare(randn(2, 6, 8)), randn(2, 3, 8).requires_grad_()
    last = attention(query, prepared, MASK, attention.start(prepared)).context[:, -1]
    (gradient,) = torch.autograd.grad(last.sum(), query)
    assert (gradient.abs().sum(dim=2) > 0).all()
