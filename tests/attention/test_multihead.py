import pytest
import torch
from torch.testing import assert_close

from saccade.attention.base import ScoredAttention
from saccade.attention.multihead import MultiHead
from saccade.attention.scaled_dot import ScaledDot
from saccade.errors import ShapeError
from saccade.flow import masked_softmax, tensor
from saccade.parts import Part
from tests import reference
from tests.samples import mask_of, randn, scramble

pytestmark = pytest.mark.usefixtures("each_form")
MASK = mask_of(5, 2, 3)


@pytest.mark.parametrize(("dim", "heads"), [(8, 4), (32, 2)])  # the kernels serve the latter
def test_multihead_is_torchs(dim: int, heads: int) -> None:
    attention = scramble(MultiHead(dim, dim, heads=heads))
    query, states = randn(3, 4, dim, seed=2), randn(3, 5, dim)
    expected, maps = reference.multihead(attention)(
        query, states, states, key_padding_mask=reference.drop(MASK), average_attn_weights=False
    )
    for look in (True, False):
        context, weights, _ = attention(
            query, attention.prepare(states), MASK[:, None], {}, look=look
        )
        assert_close(context, expected, atol=1e-5, rtol=1e-5)
        assert weights is None or torch.allclose(weights, maps.transpose(1, 2))


def test_one_head_without_projections_is_scaled_dot() -> None:
    attention, plain = MultiHead(16, 16, heads=1), ScaledDot(16, 16)
    with torch.no_grad():
        for weight in (attention.query.weight, attention.output.weight):
            weight.copy_(torch.eye(16))
        attention.keys_values.weight.copy_(torch.eye(16).repeat(2, 1))
    query, states = randn(3, 4, 16, seed=2), randn(3, 5, 16)
    one = attention(query, attention.prepare(states), MASK[:, None], {}).context
    assert_close(one, plain(query, plain.prepare(states), MASK[:, None], {}).context)


@pytest.mark.parametrize("look", [True, False])
def test_keys_of_any_width_are_compared(look: bool) -> None:
    attention = scramble(MultiHead(8, 6, heads=2, key_width=3))
    query, states = randn(3, 4, 8, seed=2), randn(3, 5, 6)
    prepared = attention.prepare(states)
    assert [tensor(prepared, part).shape for part in ("keys", "values")] == [
        (3, 2, 5, 3),
        (3, 2, 5, 4),
    ]
    scores = attention._heads(attention.query(query)) @ tensor(prepared, "keys").mT / 3**0.5
    weights = masked_softmax(scores, MASK[:, None, None])
    read = (weights @ tensor(prepared, "values")).transpose(1, 2).flatten(2)
    found = attention(query, prepared, MASK[:, None], {}, look=look)
    assert_close(found.context, attention.output(read))


def test_a_width_below_zero_is_refused() -> None:
    with pytest.raises(ShapeError, match="key_width -1 is below 0; expected a width"):
        MultiHead(8, 8, key_width=-1)


@pytest.mark.parametrize("look", [True, False])
def test_dropout_is_for_training_only(look: bool) -> None:
    attention = scramble(MultiHead(8, 8, heads=2, dropout=0.5))
    query, prepared = randn(3, 4, 8, seed=2), attention.prepare(randn(3, 5, 8))
    calm = [attention(query, prepared, MASK[:, None], {}, look=look).context for _ in range(2)]
    assert torch.equal(*calm)
    with torch.random.fork_rng():
        torch.manual_seed(1)
        moved = attention.train()(query, prepared, MASK[:, None], {}, look=look)
    assert not torch.allclose(moved.context, calm[0])
    if look:
        assert_close(moved.weights.sum(dim=3), torch.ones(3, 4, 2))


def test_a_head_of_any_score_is_that_score_between_its_projections() -> None:
    attention = scramble(
        MultiHead(8, 8, heads=2, score=Part(ScoredAttention, "additive", {"hidden": 5}))
    )
    query, states = randn(3, 4, 8, seed=2), randn(3, 5, 8)
    found = attention(query, attention.prepare(states), MASK[:, None], {}, look=True)
    keys, values = attention.keys_values(states).chunk(2, dim=-1)
    asked = attention.query(query)
    heads = []
    for i, score in enumerate(attention.scores):
        assert isinstance(score, ScoredAttention)
        own = slice(4 * i, 4 * i + 4)
        prepared = {"keys": score.keys(keys[..., own]), "values": values[..., own]}
        read = score(asked[..., own], prepared, MASK[:, None], {}, look=True)
        heads.append(read.context)
        assert_close(found.weights[:, :, i : i + 1], read.weights)
    assert_close(found.context, attention.output(torch.cat(heads, dim=-1)))
    unseen = attention(query, attention.prepare(states), MASK[:, None], {})
    assert unseen.weights is None
    assert_close(unseen.context, found.context)


def test_a_scaled_dot_a_head_is_the_fast_path() -> None:
    fast, slow = (
        MultiHead(32, 32, heads=2),
        MultiHead(32, 32, heads=2, score=Part(ScoredAttention, "dot")),
    )
    scramble(fast)
    slow.load_state_dict(fast.state_dict())
    with torch.no_grad():  # dot leaves out the division by sqrt(16)
        slow.query.weight.mul_(0.25)
        slow.query.bias.mul_(0.25)
    query, states = randn(3, 4, 32, seed=2), randn(3, 5, 32)
    one = fast(query, fast.prepare(states), MASK[:, None], {}).context
    other = slow(query, slow.prepare(states), MASK[:, None], {}).context
    assert_close(one, other, atol=1e-5, rtol=1e-5)


def test_heads_share_the_width() -> None:
    message = (
        "attention multihead: width 10 cannot be shared by 4 heads; the width must be a multiple"
        " of heads."
    )
    with pytest.raises(ShapeError, match=message):
        MultiHead(10, 10, heads=4)
