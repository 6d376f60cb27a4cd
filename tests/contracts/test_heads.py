"""What every head must do: write each place by its own features."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch.testing import assert_close

from saccade.errors import ShapeError
from saccade.flow import Padded
from saccade.heads.base import Categorical, Head, anchored
from saccade.heads.closed import flagged
from saccade.heads.path import PathHead
from saccade.heads.pointer import PointerHead
from saccade.parts import Part, kinds
from tests.samples import backward, mask_of, missing_gradients, name, randn, scramble, variants

WIDTH, SIZE, T, LENGTHS = 6, 9, 3, (4, 2)
SIZES = {"mixture_density": 3}  # of heads that write one thing alone
EMBEDDED = 5  # the width of a matrix that a head may share
PARTS = variants(Head)
every = pytest.mark.parametrize("part", PARTS, ids=name)
Model = Callable[[Head, Tensor], Tensor]


def _given(_: Head, f: Tensor) -> Tensor:
    return randn(len(f), T, SIZE).requires_grad_().log_softmax(dim=2)


def _path(head: Head, f: Tensor) -> Tensor:
    assert isinstance(head, PathHead)
    return head.at(f, torch.arange(T).expand(len(f), -1))


def _pointer(head: Head, f: Tensor) -> Tensor:
    assert isinstance(head, PointerHead)
    weights, symbols = randn(2, T, 4, seed=5).softmax(dim=2), torch.tensor([[4, 5, 4, 3]] * 2)
    return head.extend(f, weights[: len(f)], symbols[: len(f)])


def _bound(_: Head, f: Tensor) -> Tensor:
    return randn(len(f), T, SIZE + 1).requires_grad_().abs()  # the last are nats


def _gaussian(_: Head, f: Tensor) -> Tensor:
    roots = (torch.eye(SIZE) + 0.1 * randn(len(f), T, SIZE, SIZE, seed=3)).tril()
    return torch.cat([randn(len(f), T, SIZE), roots.flatten(2)], dim=2).requires_grad_()


MODELS: dict[str, Model] = {  # what the model that has such a head makes of features [B, T, D]
    "bernoulli": lambda _, f: f,
    "bernoulli_bound": _bound,
    "bernoulli_end": lambda _, f: f,
    "mixture_density": lambda _, f: f,
    "closed": lambda _, f: flagged(f, (torch.arange(T) == T - 1).expand(len(f), -1)),
    "gaussian": _gaussian,
    "given": _given,
    "path": _path,
    "pointer": _pointer,
    "symbols": lambda _, f: f,
    "values": lambda _, f: f,
}


def build(part: Part[Head], *, tied: bool = False) -> Head:
    matrix = nn.Parameter(torch.empty(SIZE, EMBEDDED)) if tied else None
    return scramble(part.build(WIDTH, SIZES.get(part.kind, SIZE), matrix))


def source(extra: int = 0) -> Padded:
    values = torch.cat([randn(2, 4, SIZE), randn(2, extra, SIZE, seed=4)], dim=1)
    return Padded(values, mask_of(*LENGTHS, size=4 + extra))


def features(part: Part[Head], head: Head, extra: int = 0) -> Tensor:
    """Make features `[B, T, D]` with all that the head wants to find behind them."""
    whole = MODELS[part.kind](head, randn(2, T, WIDTH))
    return anchored(whole, head.anchor(source(extra)))


def test_all_are_tried() -> None:
    assert sorted(MODELS) == kinds(Head)


@every
@pytest.mark.parametrize("tied", [False, True])
def test_what_is_written(part: Part[Head], tied: bool) -> None:
    head = build(part, tied=tied)
    f = features(part, head)
    assert (head.width, head.size) == (WIDTH, SIZES.get(part.kind, SIZE))
    if not isinstance(head, Categorical):
        assert head.best(f).shape == (2, T, head.size)
        assert head.ended(head.best(f)).shape == (2, T)
        with pytest.raises(ShapeError, match="writes values, which have no log-probabilities"):
            head.log_probs(f)
        return
    log_probs = head.log_probs(f)
    assert log_probs.shape == (2, T, SIZE)
    assert_close(log_probs.exp().sum(dim=2), torch.ones(2, T))
    assert torch.equal(head.best(f), log_probs.argmax(dim=2))


@every
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_the_loss_is_that_of_what_is_written(part: Part[Head], smoothing: float) -> None:
    head = build(part)
    f = features(part, head).detach().flatten(0, 1).requires_grad_()  # [N, D]
    if isinstance(head, Categorical):
        gold, log_probs = torch.arange(len(f)) % SIZE, head.log_probs(f)
        plain = -log_probs.gather(1, gold[:, None])[:, 0]
        expected = (1 - smoothing) * plain.sum() - smoothing * log_probs.mean(dim=1).sum()
    elif head.draws:  # a density of its own: tested beside it
        gold = randn(len(f), head.size, seed=6)
        plain = torch.stack([head.loss(f[i : i + 1], gold[i : i + 1])[0] for i in range(len(f))])
        expected = plain.sum()
    else:
        gold = randn(len(f), SIZE, seed=6)
        plain = (head.best(f) - gold).square().mean(dim=1)
        expected = plain.sum()
    total, each = head.loss(f, gold, smoothing)
    assert_close(total, expected)
    assert_close(each, plain.detach())
    assert not each.requires_grad
    made, right = (
        torch.autograd.grad(one, [f, *head.parameters()], allow_unused=True)
        for one in (total, expected)
    )
    assert_close(made, right)


@every
def test_padding_of_the_source_changes_nothing(part: Part[Head]) -> None:
    head = build(part)
    assert torch.equal(features(part, head, extra=3), features(part, head))
    alone = head.anchor(Padded(source().values[1:, :2], source().mask[1:, :2]))
    both = head.anchor(source())
    assert (alone is None) == (both is None)
    if alone is not None and both is not None:
        assert torch.equal(alone[0], both[1])


@every
def test_a_place_alone_is_a_place_of_the_batch(part: Part[Head]) -> None:
    head = build(part)
    f = features(part, head)
    whole = head.best(f)
    for row in range(2):
        assert_close(head.best(f[row : row + 1])[0], whole[row])
        for t in range(T):
            assert_close(head.best(f[row : row + 1, t])[0], whole[row, t])


@every
@pytest.mark.parametrize("tied", [False, True])
def test_every_parameter_gets_a_gradient(part: Part[Head], tied: bool) -> None:
    head = build(part, tied=tied).train()
    f = features(part, head)
    if head.draws:
        found = head.loss(f.flatten(0, 1), randn(2 * T, head.size, seed=6))[0][None]
    else:
        found = head.log_probs(f) if isinstance(head, Categorical) else head.best(f)
    backward((found * randn(*found.shape, seed=3)).sum())
    assert missing_gradients(head) == []


@every
def test_what_is_drawn_is_decided_by_chance_alone(part: Part[Head]) -> None:
    head = build(part)
    f, chance = features(part, head), torch.rand(2, T, head.n_uniform)
    if not head.draws:
        with pytest.raises(ShapeError, match=r"no distribution to draw from; expected a head such"):
            head.draw(f, chance)
        return
    drawn = head.draw(f, chance)
    assert drawn.shape == (2, T, head.size)
    assert torch.equal(head.draw(f, chance), drawn)
    assert_close(head.draw(f[1], chance[1]), drawn[1])
    assert torch.equal(head.draw(f, chance, float("inf")), head.best(f))


@every
def test_weights_survive_saving(part: Part[Head]) -> None:
    head = build(part)
    other = scramble(part.build(WIDTH, head.size, None), seed=7)
    other.load_state_dict(head.state_dict())
    f = features(part, head)
    assert torch.equal(head.best(f), other.best(f))
