"""Scheduled sampling: how p grows, and which symbols the model reads."""

import math
import re
from dataclasses import replace

import pytest
import torch
from torch.testing import assert_close

from saccade.errors import RecipeError
from saccade.flow import Batch
from saccade.models.base import Writer
from saccade.objectives.cross_entropy import cross_entropy
from saccade.objectives.scheduled_sampling import ScheduledSampling
from tests.objectives import small
from tests.samples import MODELS

models = pytest.mark.parametrize("kind", MODELS)


@models
def test_never_its_own_is_cross_entropy(kind: str) -> None:
    model, batch = small.model(kind), small.batch()
    found = ScheduledSampling(str, p=0.0)(model, batch, small.moment())
    expected = cross_entropy(model, batch, 0.1)
    assert torch.equal(found.total, expected.total)
    assert found.parts == expected.parts
    stepped = ScheduledSampling(str, p=0.0, form="sequential")(model, batch, small.moment())
    assert_close(stepped.total, expected.total)
    assert stepped.count == expected.count
    for one, two in zip(
        small.gradient(stepped.total, model), small.gradient(expected.total, model), strict=True
    ):
        assert_close(one, two)


@models
def test_always_its_own_in_parallel_reads_what_the_first_pass_wrote(kind: str) -> None:
    model, batch = small.model(kind), small.batch()
    objective = ScheduledSampling(str, p=1.0, choice="argmax", smoothing=0.0)
    wrote = model.head.log_probs(model(batch).features).argmax(dim=2)  # [B, T]
    prefix = torch.where(batch.target.mask[:, 1:], wrote[:, :-1], batch.prefix[:, 1:])
    mixed = replace(batch, prefix=torch.cat([batch.prefix[:, :1], prefix], dim=1))
    found = objective(model, batch, small.moment())
    assert_close(found.total, cross_entropy(model, mixed).total)


@models
def test_always_its_own_in_sequence_reads_greedy_output(kind: str) -> None:
    model, batch = small.model(kind), small.batch()
    objective = ScheduledSampling(str, p=1.0, choice="argmax", form="sequential", smoothing=0.0)
    mixed = _greedy(model, batch)
    found = objective(model, batch, small.moment())
    assert_close(found.total, cross_entropy(model, mixed).total)


def _greedy(model: Writer, batch: Batch) -> Batch:
    state, token = model.start(batch.sources), batch.prefix[:, 0]
    columns = [token]
    for _ in range(batch.prefix.shape[1] - 1):
        log_probs, state = model.step(token, state)
        token = log_probs.argmax(dim=1)
        columns.append(token)
    return replace(batch, prefix=torch.stack(columns, dim=1))


def test_so_many_are_its_own() -> None:
    batch = small.batch()
    many = replace(
        batch,
        prefix=batch.prefix.repeat(3000, 1),
        target=replace(
            batch.target,
            values=batch.target.values.repeat(3000, 1),
            mask=batch.target.mask.repeat(3000, 1),
        ),
    )
    own = ScheduledSampling(str, p=0.3)._places(many, small.moment())
    assert not own[:, 0].any()
    assert not own[~many.target.mask].any()
    assert own[:, 1].double().mean().item() == pytest.approx(0.3, abs=0.02)


@pytest.mark.parametrize(
    ("schedule", "step", "expected"),
    [
        ("constant", 0, 0.8),
        ("linear", 0, 0.0),
        ("linear", 25, 0.25),
        ("linear", 99, 0.8),
        ("exponential", 0, 0.0),
        ("exponential", 50, 1 - math.exp(-0.5)),
        ("exponential", 10_000, 0.8),
        ("inverse_sigmoid", 0, 1 - 100 / 101),
        ("inverse_sigmoid", 300, 1 - 100 / (100 + math.exp(3))),
        ("inverse_sigmoid", 1_000_000, 0.8),
    ],
)
def test_p_grows_by_its_equation(schedule: str, step: int, expected: float) -> None:
    objective = ScheduledSampling(str, p=0.8, schedule=schedule, steps=100)  # type: ignore[arg-type]
    assert objective.probability(step) == pytest.approx(expected)


def test_the_step_decides_how_much() -> None:
    model, batch = small.model(scale=1.0), small.batch()
    objective = ScheduledSampling(str, p=1.0, schedule="linear", steps=10, choice="argmax")
    early = objective(model, batch, small.moment(step=0)).total
    late = objective(model, batch, small.moment(step=10)).total
    assert torch.equal(early, cross_entropy(model, batch, 0.1).total)
    assert not torch.equal(early, late)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"p": 1.5}, "scheduled_sampling.p: 1.5 is not in [0, 1]; 0 is off."),
        ({"steps": 0}, "scheduled_sampling.steps: 0 is below 1; p grows in 1 or more."),
        ({"smoothing": 1.0}, "scheduled_sampling.smoothing: 1.0 is not in [0, 1); 0 is none"),
    ],
)
def test_refuses(options: dict[str, float], text: str) -> None:
    with pytest.raises(RecipeError, match=re.escape(text)):
        ScheduledSampling(str, **options)  # type: ignore[arg-type]
