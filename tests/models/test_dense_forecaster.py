"""The dense forecaster computes its equation, as far as it was told to."""

import pytest
import torch
from torch.testing import assert_close

from saccade.attention.base import Attention
from saccade.encoders.base import Encoder
from saccade.errors import RecipeError, ShapeError
from saccade.models.dense_forecaster import DenseForecaster
from saccade.parts import Part
from tests.samples import randn, scramble, series, windows

RNN = Part(Encoder, "rnn", {"hidden": 6, "dropout": 0.0})


def test_is_a_dense_layer_on_the_last_states() -> None:
    model = scramble(DenseForecaster(*series(2, 1), encoder=RNN, embedding=4, hidden=5, horizon=3))
    batch = windows([randn(4, 2)], [randn(3, 1)])
    memory = model.reading.encoder(model.reading.embedder(batch.source))
    path = model.head.output(torch.tanh(model.mix(memory.summary)))  # [1, 3]
    assert_close(model.head.best(model(batch).features)[0, :, 0], path[0])


def test_goes_no_further_than_its_horizon() -> None:
    model = DenseForecaster(*series(1), encoder=RNN, horizon=2)
    batch = windows([randn(4, 1)], [randn(3, 1)])
    said = "dense_forecaster: 3 steps were asked for; expected at most its horizon, 2. Set"
    with pytest.raises(ShapeError, match=said):
        model(batch)
    state = model.start(batch.sources)
    for _ in range(2):
        _, state = model.follow(batch.prefix[:, 0], state)
    with pytest.raises(ShapeError, match=said):
        model.follow(batch.prefix[:, 0], state)


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(RecipeError, match=r"dense_forecaster.horizon: 0 is below 1; it is in"):
        DenseForecaster(*series(1), horizon=0)
    with pytest.raises(ShapeError, match="dense_forecaster: attention hard chooses places and"):
        DenseForecaster(*series(1), encoder=RNN, attention=Part(Attention, "hard"))
