"""The absolute error is made small by the median, the squared one by the mean."""

import torch
from torch import nn

from saccade.flow import Batch
from saccade.models.base import Model
from saccade.models.dense_forecaster import DenseForecaster
from saccade.objectives.absolute_error import AbsoluteError
from saccade.objectives.base import Moment, Objective
from saccade.objectives.squared_error import SquaredError
from tests.samples import backward, series, windows


def learned(objective: Objective) -> float:
    """Let only the last bias learn what comes after a window: once 10, else 0."""
    model = DenseForecaster(*series(1), horizon=1)
    nn.init.zeros_(model.head.output.weight)
    window = torch.zeros(2, 1)
    batch = windows([window] * 5, [torch.full((1, 1), 10.0 * (i == 0)) for i in range(5)])
    optimiser = torch.optim.Adam([model.head.output.bias], lr=0.05)
    for _ in range(300):
        optimiser.zero_grad()
        backward(_loss(objective, model, batch))
        optimiser.step()
    return model.head.output.bias.item()


def _loss(objective: Objective, model: Model, batch: Batch) -> torch.Tensor:
    return objective(model, batch, Moment(0, torch.Generator())).total


def test_median_and_mean() -> None:
    assert abs(learned(AbsoluteError(str))) < 0.2
    assert abs(learned(SquaredError(str)) - 2.0) < 0.2
