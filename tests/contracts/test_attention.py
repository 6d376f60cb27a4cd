"""What every attention must do, whatever it weighs by."""

from itertools import pairwise
from math import sqrt

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from saccade.attention._worked import Asked, WorkedStep
from saccade.attention.base import Attention
from saccade.flow import Attended, Memory, append, masked_softmax, reorder, tensor
from saccade.kernels.precision import products
from saccade.parts import Part
from tests.samples import (
    WIDTH,
    backward,
    made_by,
    mask_of,
    missing_gradients,
    name,
    randn,
    scramble,
    variants,
)

DIM, NARROW, T, LENGTHS = WIDTH, 8, 3, (5, 2, 4)
PARTS = [
    *variants(Attention),
    *(
        Part(Attention, "multihead", {"heads": 2, "score": score})
        for score in ("additive", "bilinear")
    ),
    Part(Attention, "hops", {"attention": "coverage"}),
]
PRODUCTS = [part for part in PARTS if part.kind in ("bilinear", "dot", "scaled_dot")]
every = pytest.mark.parametrize("part", PARTS, ids=name)
each_form = pytest.mark.usefixtures("each_form")  # by the kernels, and without them


def build(part: Part[Attention], dim: int = DIM) -> Attention:
    return scramble(part.build(dim, dim), scale=0.5 * sqrt(NARROW / dim))


def read(
    attention: Attention, query: Tensor, states: Tensor, mask: Tensor, *, look: bool = True
) -> Attended:
    """Read with all queries: at once, or one after the other if the attention is recurrent."""
    prepared = attention.prepare(states)
    state = attention.start(prepared)
    if not attention.recurrent:
        whole: Attended = attention(query, prepared, mask[:, None], state, look=look)
        return whole
    reads = []
    for t in range(query.shape[1]):
        reads.append(attention(query[:, t : t + 1], prepared, mask[:, None], state, look=look))
        state = reads[-1].state
    weights = torch.cat([one.weights for one in reads], dim=1) if look else None
    return Attended(torch.cat([one.context for one in reads], dim=1), weights, state)


def inputs(dim: int = DIM) -> tuple[Tensor, Tensor, Tensor]:
    mask = mask_of(*LENGTHS)
    return randn(len(mask), T, dim), randn(*mask.shape, dim, seed=2), mask


@every
def test_shapes_and_names(part: Part[Attention]) -> None:
    attention = build(part)
    context, weights, _ = read(attention, *inputs())
    assert context.shape == (3, T, attention.context_dim)
    assert weights is not None
    assert weights.shape == (3, T, len(attention.names), 5)
    assert len(set(attention.names)) == len(attention.names)


def test_whose_score_is_a_product() -> None:
    found = {part.kind for part in PARTS if build(part).factor is not None}
    assert found == {part.kind for part in PRODUCTS}


@pytest.mark.parametrize("part", PRODUCTS, ids=name)
def test_a_factor_says_all_there_is_to_say_of_the_score(part: Part[Attention]) -> None:
    attention = build(part)
    assert attention.factor is not None
    query, states, mask = inputs()
    prepared = attention.prepare(states)
    scores = attention.factor * query @ tensor(prepared, "keys").mT
    weights = masked_softmax(scores, mask[:, None])
    found = read(attention, query, states, mask)
    assert found.weights is not None
    assert_close(found.weights[:, :, 0], weights)
    assert_close(found.context, weights @ tensor(prepared, "values"))


def test_kernels_take_part(each_form: str) -> None:
    attention = build(Part(Attention, "multihead", {"heads": 2}))
    context = read(attention, *inputs(), look=False).context
    assert made_by("_Attention", context) is (each_form == "kernels")


@every
def test_bfloat16_is_no_obstacle(part: Part[Attention]) -> None:
    attention = build(part, NARROW)
    query, states, mask = inputs(NARROW)
    with products("bfloat16", torch.device("cpu")):
        low = read(attention, query, states, mask, look=False).context
    if low.requires_grad:
        backward(low.float().sum())
    assert all(p.grad.isfinite().all() for p in attention.parameters() if p.grad is not None)
    if not attention.hard:  # which would read another place
        expected = read(attention, query, states, mask, look=False).context
        assert_close(low.float(), expected, atol=0.2, rtol=0.2)


@every
def test_work_by_hand_gives_what_forward_gives(part: Part[Attention]) -> None:
    attention = build(part)
    query, states, mask = inputs()
    prepared, mask = attention.prepare(states[1:2]), mask[1:2, None]
    state = attention.start(prepared)
    for t in range(T):
        asked = Asked(query[1:2, t : t + 1], prepared, mask, state)
        works = attention.work(asked)
        read = attention(*asked[:4], look=True)
        assert len(works) == len(attention.names)
        for work, weights in zip(works, read.weights[0, 0].unbind(), strict=True):
            assert_close(work.weights, weights)
            assert work.kept.tolist() == mask[0, 0].tolist()
            _check_softmax(work.steps, mask[0, 0])
        if works:
            assert_close(works[-1].steps[-1].value, read.context[0, 0])
        state = read.state


def _check_softmax(steps: tuple[WorkedStep, ...], mask: Tensor) -> None:
    """Where weights are called a softmax they are one, of the step before."""
    for score, weights in pairwise(steps):
        if weights.equation.endswith("a = softmax(e)"):
            assert "e = " in score.equation
            assert_close(weights.value, masked_softmax(score.value, mask))


@every
def test_weights_are_shares_of_the_kept_places(part: Part[Attention]) -> None:
    attention = build(part)
    query, states, mask = inputs()
    weights = read(attention, query, states, mask).weights
    assert weights is not None
    assert (weights >= 0).all()
    dropped = weights.masked_select(~mask[:, None, None])
    assert (dropped == 0).all()
    if attention.normalised:
        assert_close(weights.sum(dim=3), torch.ones(weights.shape[:3]))


@every
@each_form
@pytest.mark.parametrize("look", [True, False])
def test_a_row_with_nothing_to_keep_reads_nothing(part: Part[Attention], look: bool) -> None:
    attention = build(part)
    query, states, mask = inputs()
    mask[1] = False
    states = states.requires_grad_()
    context, weights, _ = read(attention, query, states, mask, look=look)
    assert context.isfinite().all()
    assert weights is None or (weights[1] == 0).all()
    other = read(attention, query, states + 1, mask, look=look).context
    assert_close(context[1], other[1])
    if context.numel():
        (gradient,) = torch.autograd.grad(context.sum(), states)
        assert gradient.isfinite().all()
        assert (gradient[1] == 0).all()


@every
def test_adding_padding_changes_nothing(part: Part[Attention]) -> None:
    attention = build(part)
    query, states, mask = inputs()
    more = torch.cat([states, randn(3, 4, DIM, seed=5)], dim=1)
    before, after = (
        read(attention, query, states, mask),
        read(attention, query, more, mask_of(*LENGTHS, size=9)),
    )
    assert before.weights is not None
    assert after.weights is not None
    assert_close(before.context, after.context)
    assert_close(before.weights, after.weights[..., :5])


@every
@each_form
@pytest.mark.parametrize("look", [True, False])
def test_rows_do_not_know_of_each_other(part: Part[Attention], look: bool) -> None:
    attention = build(part)
    query, states, mask = inputs()
    whole = read(attention, query, states, mask, look=look)
    turn = torch.tensor([2, 0, 1])
    turned = read(attention, query[turn], states[turn], mask[turn], look=look)
    assert_close(turned.context, whole.context[turn])
    for i, n in enumerate(LENGTHS):
        row = (query[i : i + 1], states[i : i + 1, :n], mask[i : i + 1, :n])
        alone = read(attention, *row, look=look)
        assert_close(alone.context[0], whole.context[i], rtol=1e-5, atol=1e-5)


@every
@each_form
@pytest.mark.parametrize("look", [True, False])
def test_every_parameter_gets_a_gradient(part: Part[Attention], look: bool) -> None:
    attention = build(part).train()
    context, weights, _ = read(attention, *inputs(), look=look or attention.hard)
    context = weights[:, :, -1] if weights is not None and attention.hard else context
    if list(attention.parameters()):
        backward((context * randn(*context.shape, seed=3)).sum())
    assert missing_gradients(attention) == []


@every
def test_gradients_are_right(part: Part[Attention]) -> None:
    attention = build(part, NARROW).double()
    query, states, mask = inputs(NARROW)

    def context(query: Tensor, states: Tensor) -> Tensor:
        return read(attention, query, states, mask).context

    if attention.context_dim:
        double = (query.double().requires_grad_(), states.double().requires_grad_())
        assert torch.autograd.gradcheck(context, double)


@every
def test_weights_survive_saving(part: Part[Attention]) -> None:
    attention, other = build(part), scramble(part.build(DIM, DIM), seed=7)
    other.load_state_dict(attention.state_dict())
    assert torch.equal(read(other, *inputs()).context, read(attention, *inputs()).context)


@every
def test_queries_at_once_are_queries_one_by_one(part: Part[Attention]) -> None:
    attention = build(part)
    query, states, mask = inputs()
    prepared = attention.prepare(states)
    state = attention.start(prepared)
    whole = attention(query, prepared, mask[:, None], state, look=True)
    for t in range(T):
        one = attention(query[:, t : t + 1], prepared, mask[:, None], state, look=True)
        assert_close(one.context[:, 0], whole.context[:, t])
        assert_close(one.weights[:, 0], whole.weights[:, t])
        state = one.state
    assert_close(state, whole.state)


@every
def test_what_is_remembered_follows_its_row(part: Part[Attention]) -> None:
    attention = build(part)
    query, states, mask = inputs()
    prepared = attention.prepare(states)
    first = attention(query[:, :2], prepared, mask[:, None], attention.start(prepared))
    plain = attention(query[:, 2:], prepared, mask[:, None], first.state)
    turn = torch.tensor([2, 0, 0, 1])
    turned = attention(
        query[turn, 2:], reorder(prepared, turn), mask[turn, None], reorder(first.state, turn)
    )
    assert_close(turned.context, plain.context[turn])


@every
@each_form
def test_looking_changes_nothing(part: Part[Attention]) -> None:
    attention = build(part)
    seen, unseen = read(attention, *inputs()), read(attention, *inputs(), look=False)
    assert unseen.weights is None
    assert_close(seen.context, unseen.context)


@every
def test_a_memory_can_grow(part: Part[Attention]) -> None:
    attention = build(part)
    _, states, _ = inputs()
    whole = attention.prepare(states)
    grown = append(attention.prepare(states[:, :2]), attention.prepare(states[:, 2:]))
    assert grown.keys() == whole.keys()
    for entry in whole:
        assert_close(tensor(grown, entry), tensor(whole, entry))
        assert len(tensor(whole, entry)) == 3
    nothing = attention.prepare(states[:, :0])
    assert_close(
        tensor(append(nothing, whole), "values"), tensor(whole, "values")
    )  # a decoder starts from no places


@every
def test_values_are_read_where_states_are_compared(part: Part[Attention]) -> None:
    attention = build(part)
    query, states, mask = inputs()
    other = randn(*states.shape, seed=6)
    reads = []
    for values in (None, states, other):
        prepared = attention.prepare_memory(Memory(states, mask, states[:, 0], values=values))
        start = attention.start(prepared)
        reads.append(attention(query, prepared, mask[:, None], start, look=True))
    plain, same, differing = reads
    assert_close(same.context, plain.context)
    if part.kind != "by_source":  # which weighs sources by what was read of them
        first = (one.weights[:, :, :1] for one in (differing, plain))  # a second look may differ
        assert_close(*first)
    if attention.context_dim:
        assert not torch.allclose(differing.context, plain.context)


@every
def test_nothing_is_kept_on_the_module(part: Part[Attention]) -> None:
    attention = build(part)
    before = set(vars(attention)), set(attention.state_dict())
    read(attention, *inputs())
    assert (set(vars(attention)), set(attention.state_dict())) == before
