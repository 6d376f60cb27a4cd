"""What every objective must do: make small what it measures."""

import pytest
import torch

from saccade.models.base import Model
from saccade.objectives.base import Objective
from saccade.parts import Part
from tests.samples import MODELS, backward, name, pairs_batch, variants, vocabulary

every = pytest.mark.parametrize("part", variants(Objective), ids=name)


def build() -> Model:
    with torch.random.fork_rng():
        torch.manual_seed(3)
        return MODELS["bahdanau"].build(len(vocabulary()), len(vocabulary()))


@every
def test_lowers_its_own_loss(part: Part[Objective]) -> None:
    model, objective, batch = build(), part.build(), pairs_batch()
    optimiser = torch.optim.Adam(model.parameters(), lr=5e-3)
    losses = []
    for _ in range(15):
        loss = objective(model, batch, torch.Generator().manual_seed(1))
        assert loss.total.shape == ()
        assert loss.count == int(batch.target.mask.sum())
        losses.append(loss.total.item())
        optimiser.zero_grad()
        backward(loss.total)
        optimiser.step()
    assert losses[-1] < losses[0]


@every
def test_the_generator_is_the_only_chance(part: Part[Objective]) -> None:
    model, objective, batch = build().eval(), part.build(), pairs_batch()
    first, second = (
        objective(model, batch, torch.Generator().manual_seed(5)).total for _ in range(2)
    )
    assert torch.equal(first, second)
