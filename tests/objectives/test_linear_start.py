"""Linear start: without softmaxes until an update, with them from then on."""

from pathlib import Path

import pytest
import torch
from torch.testing import assert_close

from saccade import recipe, starters
from saccade.data.prepare import batches_of, prepare
from saccade.errors import RecipeError
from saccade.folders.model import build_model
from saccade.models.memory_network import MemoryNetwork
from saccade.objectives.base import Moment
from saccade.objectives.cross_entropy import cross_entropy
from saccade.objectives.linear_start import LinearStart
from saccade.train.loop import Loop
from tests import stories
from tests.samples import pairs_batch, trained, vocabulary

SMALL = ["training.objective.steps=4", "training.batch_tokens=100", "model.embedding=8"]


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


def test_a_run_that_is_resumed_goes_on_bit_for_bit(tmp_path: Path) -> None:
    made = recipe.parse(starters.text_of("answers"), overrides=SMALL)
    ready = prepare(made, tmp_path)
    batches = batches_of(made, ready.train, ready.codecs, made.training.batch_tokens)

    def loop() -> Loop:
        objective = made.training.objective.build(vocabulary().decode)
        return Loop(build_model(made, ready.codecs), objective, batches, made.training, made.seed)

    whole, first, second = loop(), loop(), loop()
    for _ in range(6):
        whole.update()
    for _ in range(3):
        first.update()
    second.restore(first.snapshot(), "here")
    for _ in range(3):
        second.update()  # softmaxes come on the way
    for (name, one), other in zip(
        whole.model.named_parameters(), second.model.parameters(), strict=True
    ):
        assert torch.equal(one, other), name
