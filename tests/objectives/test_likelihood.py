import torch
from torch.testing import assert_close

from saccade.flow import Batch, Padded
from saccade.models.base import Model
from saccade.nouns import Side
from saccade.objectives.base import Moment
from saccade.objectives.likelihood import NegativeLikelihood
from saccade.objectives.squared_error import SquaredError
from saccade.parts import Part
from tests.samples import mask_of, randn, scramble, series, windows

MOMENT = Moment(0, torch.Generator())
SMALL = {"embedding": 8, "tie": "none", "dropout": 0.0}


def test_it_sums_the_nats_of_real_places_in_training_and_in_validation() -> None:
    sides = {"source": Side(9)}, Side(3, "linear", "mixture_density")
    decoder = {"kind": "window", "hidden": 8, "dropout": 0.0}
    options = {**SMALL, "encoder": {"kind": "none"}, "decoder": decoder}
    model = scramble(Part(Model, "encoder_decoder", options).build(*sides), scale=0.2)
    mask, gold = mask_of(4, 2), randn(2, 4, 3)
    source = Padded(torch.tensor([[4, 5, 6], [7, 8, 0]]), mask_of(3, 2))
    batch = Batch({"source": source}, Padded(gold, mask), randn(2, 4, 3, seed=5))
    objective = NegativeLikelihood(str)
    loss, held_out = objective(model, batch, MOMENT), objective.validate(model, batch)
    _, nats = model.head.loss(model(batch).features[mask], gold[mask])
    assert loss.count == held_out.count == 6
    assert_close(loss.total, nats.sum())
    assert_close(held_out.parts["nll"], nats.sum().item())


def test_of_plain_values_it_is_the_squared_error() -> None:
    rnn = {"kind": "rnn", "hidden": 8, "dropout": 0.0}
    options = {**SMALL, "encoder": rnn, "decoder": {**rnn, "attention": {"kind": "dot"}}}
    options["encoder"] = {**rnn, "hidden": 4}
    model = scramble(Part(Model, "encoder_decoder", options).build(*series(3, 2)), scale=0.2)
    batch = windows([randn(4, 3), randn(2, 3)], [randn(3, 2, seed=2), randn(2, 2, seed=3)])
    found = NegativeLikelihood(str)(model, batch, MOMENT)
    assert_close(found.total, SquaredError(str)(model, batch, MOMENT).total)
