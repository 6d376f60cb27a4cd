"""The dense forecaster computes its equation, as far as it was told to."""

import pytest
import torch
from saccade.data.windows import collate
from torch.testing import assert_close

from saccade.attention.base import Attention
from saccade.encoders.base import Encoder
from saccade.errors import RecipeError, ShapeError
from saccade.flow import Padded
from saccade.models.dense_forecaster import DenseForecaster
from saccade.parts import Part
from tests.samples import randn, scramble

RNN = Part(Encoder, "rnn", {"hidden": 6, "dropout": 0.0})


def test_is_a_dense_layer_on_the_last_states() -> None:
    model = scramble(DenseForecaster(2, 1, encoder=RNN, embedding=4, hidden=5, horizon=3))
    batch = collate([randn(4, 2).numpy()], [randn(3, 1).numpy()])
    memory = model.encoder(Padded(model.source_map(batch.source.values), batch.source.mask))
    path = model.output(torch.tanh(model.mix(memory.summary)))  # [1, 3]
    assert_close(model.head.log_probs(model(batch).features)[0, :, 0], path[0])


def test_goes_no_further_than_its_horizon() -> None:
    model = DenseForecaster(1, 1, encoder=RNN, horizon=2)
    batch = collate([randn(4, 1).numpy()], [randn(3, 1).numpy()])
    said = "dense_forecaster: 3 steps were asked for; expected at most its horizon, 2. Set"
    with pytest.raises(ShapeError, match=said):
        model(batch)
    state = model.start(batch.sources)
    for _ in range(2):
        _, state = model.step(batch.prefix[:, 0], state)
    said = "dense_forecaster: step 3 was asked for; expected at most its horizon, 2. Ask for fewer"
    with pytest.raises(ShapeError, match=said):
        model.step(batch.prefix[:, 0], state)


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(RecipeError, match=r"dense_forecaster.horizon: 0 is below 1; it is in"):
        DenseForecaster(1, 1, horizon=0)
    with pytest.raises(ShapeError, match="dense_forecaster: attention hard chooses places and"):
        DenseForecaster(1, 1, encoder=RNN, attention=Part(Attention, "hard"))
