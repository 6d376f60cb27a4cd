"""What every model, objective and metric of numbers must do."""

import copy

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from saccade.attention.base import Attention
from saccade.decoders.base import Decoder
from saccade.encoders.base import Encoder
from saccade.flow import Batch, Padded, State, reorder
from saccade.heads.base import Head
from saccade.metrics.base import Metric
from saccade.models.base import LaidPairs, LaidSide, Model, Writer, counted_model, writer
from saccade.objectives.base import Moment, Objective
from saccade.parts import Part, find, kinds
from tests.samples import (
    backward,
    missing_gradients,
    name,
    randn,
    scramble,
    series,
    variants,
    windows,
)

RNN = {"hidden": 8, "dropout": 0.0}
SMALL = {
    "embedding": 8,
    "dropout": 0.0,
    "encoder": Part(Encoder, "rnn", RNN),
    "decoder": Part(Decoder, "rnn", {**RNN, "attention": {"kind": "additive", "hidden": 8}}),
}
MULTIHEAD = Part(Attention, "multihead", {"heads": 2})
KINDS = ("dense_forecaster", "encoder_decoder")  # those that need no symbols
NUMERIC = [
    *variants(Model, **SMALL, horizon=5, tie="output"),
    *(
        Part(Model, "encoder_decoder", {**SMALL, "head": head})
        for head in variants(Head)
        if head.kind == "values"
    ),
]
NUMERIC = [part for part in NUMERIC if part.kind in KINDS]
POOLED = Part(Model, "dense_forecaster", {**NUMERIC[0].options, "attention": "additive"})
FIRST = {"rnn": SMALL["decoder"], **{p.kind: p for p in variants(Decoder, attention=MULTIHEAD)}}
DECODED = [
    Part(Model, "encoder_decoder", {**SMALL, "decoder": decoder})
    for kind, decoder in FIRST.items()
    if kind not in ("rnn", "instant")  # instant reads nothing it wrote: that map gets no gradient
]
READ = [
    Part(Model, "encoder_decoder", {**SMALL, "encoder": encoder})
    for encoder in {p.kind: p for p in variants(Encoder)}.values()
    if encoder.kind != "hierarchical"  # reads turns, which numbers do not have
]
TRAINED = [*NUMERIC, POOLED, *DECODED, *READ]
COUNTED = [p for p in variants(Model, states=3, seasons=[3]) if p.kind == "kalman"]
PARTS = [*TRAINED, *COUNTED]
every = pytest.mark.parametrize("part", PARTS, ids=[name(p) for p in PARTS])
by_gradient = pytest.mark.parametrize("part", TRAINED, ids=[name(p) for p in TRAINED])
OBJECTIVES = [  # variational is for one model alone: tests/models/test_draw.py
    p
    for p in variants(Objective)
    if not find(Objective, p.kind).discrete and p.kind != "variational"
]
METRICS = [kind for kind in kinds(Metric) if find(Metric, kind).raw == "numbers"]
LENGTHS = [(4, 2), (6, 5), (2, 4)]  # of windows and of what came; three columns read, two forecast


def test_the_known_ones_are_found() -> None:
    assert {p.kind for p in NUMERIC} == set(KINDS)
    assert len(COUNTED) >= 6
    assert {p.kind for p in OBJECTIVES} == {"absolute_error", "likelihood", "squared_error"}
    assert METRICS == ["mae", "rmse"]


def build(part: Part[Model], seed: int = 1) -> Writer:
    """Build a model with noise for weights, or one that has counted some noise."""
    model = writer(part.build(*series(3, 2)))
    if model.learner == "gradient":
        return scramble(model, seed, scale=0.25)
    read, came = (randn(60, n, seed=seed + n).double().numpy() for n in (3, 2))
    lengths = np.full(6, 10)
    corpus = LaidPairs({"source": LaidSide(read, lengths)}, LaidSide(came, lengths))
    counted_model(model).count(corpus, 0)
    return model.eval()


def batch_of(*rows: int) -> Batch:
    sources = [randn(LENGTHS[i][0], 3, seed=i + 1) for i in rows]
    targets = [randn(LENGTHS[i][1], 2, seed=i + 9) for i in rows]
    return windows(sources, targets)


def values(model: Model, batch: Batch) -> Tensor:
    return model.head.best(model(batch).features)


@every
def test_values_have_the_shape_of_the_target(part: Part[Model]) -> None:
    model, batch = build(part), batch_of(0, 1, 2)
    assert values(model, batch).shape == batch.target.values.shape == (3, 5, 2)
    weights = model(batch, look=True).weights
    assert weights is not None
    assert weights.shape == (3, 5, len(model.attention_names), 6)
    assert (weights.masked_select(~batch.source.mask[:, None, None]) == 0).all()
    assert model(batch).weights is None


@every
def test_at_once_is_step_by_step(part: Part[Model]) -> None:
    model, batch = build(part).double(), batch_of(0, 1, 2)
    sources = {"source": Padded(batch.source.values.double(), batch.source.mask)}
    batch = Batch(sources, batch.target, batch.prefix.double())
    whole, state = values(model, batch), model.start(sources)
    for t in range(5):
        step, state = model.follow(batch.prefix[:, t], state)
        assert_close(step, whole[:, t], atol=1e-6, rtol=1e-6)


@every
def test_rows_do_not_know_of_each_other(part: Part[Model]) -> None:
    model = build(part)
    whole = values(model, batch_of(0, 1, 2))
    assert_close(values(model, batch_of(2, 0, 1)), whole[[2, 0, 1]], atol=1e-5, rtol=1e-5)
    for i in range(3):
        alone = values(model, batch_of(i))[0]
        assert_close(alone, whole[i, : len(alone)], atol=1e-5, rtol=1e-5)


@every
def test_adding_padding_changes_nothing(part: Part[Model]) -> None:
    model, batch = build(part), batch_of(0, 1, 2)
    more = torch.cat([batch.source.values, torch.full((3, 2, 3), 9.0)], dim=1)
    mask = torch.cat([batch.source.mask, torch.zeros(3, 2, dtype=torch.bool)], dim=1)
    padded = Batch({"source": Padded(more, mask)}, batch.target, batch.prefix)
    assert_close(values(model, padded), values(model, batch), atol=1e-5, rtol=1e-5)


@every
def test_states_can_be_reordered(part: Part[Model]) -> None:
    model, batch, turn = build(part), batch_of(0, 1, 2), torch.tensor([1, 1, 2, 0])

    def follow(state: State, rows: Tensor) -> Tensor:
        return model.follow(batch.prefix[rows, 1], state)[0]

    _, state = model.follow(batch.prefix[:, 0], model.start(batch.sources))
    expected = follow(state, torch.arange(3))[turn]
    assert_close(follow(reorder(state, turn), turn), expected, atol=1e-5, rtol=1e-5)


@by_gradient
def test_every_parameter_gets_a_gradient(part: Part[Model]) -> None:
    model = build(part).train()
    found = values(model, batch_of(0, 1, 2))
    backward((found * randn(*found.shape)).sum())
    assert missing_gradients(model) == []


@every
def test_weights_survive_saving(part: Part[Model]) -> None:
    model, other = build(part), build(part, seed=7)
    other.load_state_dict(model.state_dict())
    assert torch.equal(values(model, batch_of(0, 1)), values(other, batch_of(0, 1)))


@pytest.mark.parametrize("objective", OBJECTIVES, ids=name)
@pytest.mark.parametrize("model", NUMERIC, ids=name)
def test_objectives_lower_their_own_loss(objective: Part[Objective], model: Part[Model]) -> None:
    learner, batch = copy.deepcopy(build(model)).train(), batch_of(0, 1, 2)
    built, moment = objective.build(str), Moment(0, torch.Generator())
    optimiser = torch.optim.Adam(learner.parameters(), lr=1e-2)
    before = built(learner, batch, moment)
    assert before.total.shape == ()
    assert before.count == int(batch.target.mask.sum())
    assert torch.equal(built(learner, batch, moment).total, before.total)
    for _ in range(15):
        optimiser.zero_grad()
        backward(built(learner, batch, moment).total)
        optimiser.step()
    assert built(learner, batch, moment).total < before.total
    assert learner.training


@pytest.mark.parametrize("kind", METRICS)
def test_metrics_are_sums_and_best_when_right(kind: str) -> None:
    metric = find(Metric, kind)()
    found, truth = ["1,2 3,4", "5,6 7,8"], ["1,2 3,5", "6,6 7,4"]
    rows = metric.matrix(found, truth)
    assert metric.corpus(found, truth) == metric.score(np.stack(list(rows)).sum(axis=0))
    assert metric.corpus(truth, truth).value == 0
    assert metric.corpus(found * 3, truth * 3).value == pytest.approx(
        metric.corpus(found, truth).value
    )
    nearest = metric.corpus(["1 2"], [["9 9", "1 2"]])
    assert nearest.value == 0
    assert not nearest.higher_is_better
