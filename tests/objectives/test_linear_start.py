"""Linear start: without softmaxes until an update, with them from then on."""

import pytest
import torch
from torch.testing import assert_close

from saccade.errors import RecipeError
from saccade.models.memory_network import MemoryNetwork
from saccade.objectives.base import Moment
from saccade.objectives.cross_entropy import cross_entropy
from saccade.objectives.linear_start import LinearStart
from tests import stories
from tests.samples import pairs_batch, trained, vocabulary


def at(step: int) -> Moment:
    return Moment(step, torch.Generator())


def test_softmaxes_come_with_their_update() -> None:
    model = MemoryNetwork(*stories.sides(), embedding=8).eval()
    objective, batch = LinearStart(vocabulary().decode, steps=3), stories.batch()
    mask = batch.target.mask
    features = model.linear(batch).features[mask]
    linear = model.head.loss(features, batch.target.values[mask])[0]
    whole = cross_entropy(model, batch).total
    assert not torch.allclose(linear, whole)
    for step in (0, 2):
        assert_close(objective(model, batch, at(step)).total, linear)
    for step in (3, 500):
        assert_close(objective(model, batch, at(step)).total, whole)
    assert_close(objective.validate(model, batch).total, whole)


def test_other_models_are_refused() -> None:
    objective = LinearStart(vocabulary().decode)
    with pytest.raises(RecipeError, match="linear_start leaves out softmaxes of memory_network, b"):
        objective(trained("bahdanau", 1), pairs_batch(), at(0))
    with pytest.raises(RecipeError, match=r"linear_start.steps: -1 is below 0; 0 has no linear"):
        LinearStart(vocabulary().decode, steps=-1)
