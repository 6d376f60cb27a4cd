"""What every objective must do: make small what it measures."""

import copy

import pytest
import torch

from saccade.kernels.precision import products
from saccade.models.base import Model
from saccade.objectives.base import Moment, Objective
from saccade.parts import Part, find
from tests.samples import PAIRS, backward, name, pairs_batch, trained, variants, vocabulary

EYES = ("gaze",)  # of a model that reads pictures: tests/models/test_recurrent_attention.py
PARTS = [
    p
    for p in variants(Objective, samples=16)
    if find(Objective, p.kind).discrete and p.kind not in EYES
]
every = pytest.mark.parametrize("part", PARTS, ids=name)  # the others: test_forecasters.py


def build(part: Part[Objective]) -> Model:
    """A model that has begun to learn, so that its own outputs are sometimes right."""
    own = {"hard_attention": "hard", "ctc": "ctc", "joint_ctc": "joint", "linear_start": "memory"}
    kind = own.get(part.kind, "bahdanau")
    return copy.deepcopy(trained(kind, 25))


def made(part: Part[Objective]) -> Objective:
    """The objective as it is before the first update."""
    objective = part.build(vocabulary().decode)
    objective.study([target] for _, target in PAIRS)
    return objective


def moment(seed: int) -> Moment:
    return Moment(100, torch.Generator().manual_seed(seed))


@every
def test_lowers_its_own_loss(part: Part[Objective]) -> None:
    model, objective, batch = build(part), made(part), pairs_batch()
    optimiser = torch.optim.Adam(model.parameters(), lr=2e-3)
    before = measure(model, objective)
    for seed in range(15):
        loss = objective(model, batch, moment(seed))
        assert loss.total.shape == ()
        assert loss.count == int(batch.target.mask.sum())
        optimiser.zero_grad()
        backward(loss.total)
        optimiser.step()
    assert measure(model, objective) < before


@torch.no_grad()
def measure(model: Model, objective: Objective) -> float:
    """Average over some chance, the same every time."""
    return sum(objective(model, pairs_batch(), moment(seed)).total.item() for seed in range(50, 54))


@every
def test_the_moment_is_the_only_chance(part: Part[Objective]) -> None:
    model, batch = build(part).eval(), pairs_batch()
    first, second = (made(part)(model, batch, moment(5)).total for _ in range(2))
    assert torch.equal(first, second)


@every
def test_leaves_the_model_in_the_mode_it_was_in(part: Part[Objective]) -> None:
    model, objective = build(part), made(part)
    for mode in (True, False):
        model.train(mode)
        objective(model, pairs_batch(), moment(1))
        assert all(module.training == mode for module in model.modules())


@every
def test_products_may_be_in_bfloat16(part: Part[Objective]) -> None:
    model, objective, batch = build(part), made(part), pairs_batch()
    with products("bfloat16", torch.device("cpu")):
        loss = objective(model, batch, moment(1))
    assert loss.total.dtype is torch.float32
    backward(loss.total)
    gradients = [p.grad for p in model.parameters() if p.grad is not None]
    assert gradients
    assert all(grad.dtype is torch.float32 and grad.isfinite().all() for grad in gradients)
