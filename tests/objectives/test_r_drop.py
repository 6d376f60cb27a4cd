"""R-Drop: cross-entropy without dropout, and the distance between two passes with it."""

import re
from dataclasses import replace

import pytest
import torch
from torch.distributions import Categorical, kl_divergence
from torch.testing import assert_close

from saccade.errors import RecipeError
from saccade.flow import Batch
from saccade.models.base import Model
from saccade.objectives.cross_entropy import cross_entropy
from saccade.objectives.r_drop import RDrop, divergence
from saccade.parts import Part
from tests.objectives import small
from tests.samples import MODELS, randn, scramble, sides


@pytest.mark.parametrize("kind", MODELS)
def test_without_dropout_it_is_cross_entropy(kind: str) -> None:
    model, batch = small.model(kind), small.batch()
    found, expected = RDrop(str)(model, batch, small.moment()), cross_entropy(model, batch, 0.1)
    assert_close(found.total, expected.total)
    assert found.count == expected.count
    assert found.parts["nll"] == pytest.approx(expected.parts["nll"])
    assert found.parts["divergence"] == pytest.approx(0, abs=1e-12)
    ours, theirs = small.gradient(found.total, model), small.gradient(expected.total, model)
    for one, two in zip(ours, theirs, strict=True):
        assert_close(one, two)


def test_it_reads_the_turns_that_validation_reads() -> None:
    model, batch, objective = small.hierarchical(), small.turns(), RDrop(str, smoothing=0.0)
    validated = objective.validate(model, batch).total
    assert_close(objective(model, batch, small.moment()).total, validated)
    flat = replace(batch, sources={"source": batch.source.flat()})
    assert not torch.allclose(objective(model, flat, small.moment()).total, validated)


def test_divergence_is_torchs() -> None:
    p, q = (randn(5, 7, seed=seed, dtype=torch.float64).log_softmax(dim=1) for seed in (1, 2))
    one, two = Categorical(logits=p), Categorical(logits=q)
    expected = kl_divergence(one, two) + kl_divergence(two, one)
    assert_close(divergence(p, q), expected.sum())


def noisy() -> tuple[Model, Batch]:
    options = {**MODELS["bahdanau"].options, "dropout": 0.4}
    model = Part(Model, "encoder_decoder", options).build(*sides(small.SIZE))
    return scramble(model).double().train(), small.batch()


def test_with_dropout_the_passes_differ_and_alpha_weighs_it() -> None:
    model, batch = noisy()
    losses = []
    for alpha in (0.0, 2.0):
        torch.manual_seed(1)
        losses.append(RDrop(str, alpha=alpha)(model, batch, small.moment()))
    apart = losses[0].parts["divergence"]
    assert apart > 0
    assert losses[1].parts["divergence"] == apart
    assert_close(losses[1].total - losses[0].total, torch.tensor(2.0 / 4 * apart).double())


def test_refuses_an_alpha_below_zero() -> None:
    text = "r_drop.alpha: -1.0 is below 0; 0 is off, 1 to 5 are usual."
    with pytest.raises(RecipeError, match=re.escape(text)):
        RDrop(str, alpha=-1.0)
    with pytest.raises(RecipeError, match=re.escape("r_drop.smoothing: 2.0 is not in [0, 1)")):
        RDrop(str, smoothing=2.0)
