"""The squared error, by hand; forced and free running."""

import pytest
import torch

from saccade.models.base import Model, writer
from saccade.objectives.absolute_error import AbsoluteError
from saccade.objectives.base import Moment
from saccade.objectives.squared_error import SquaredError
from saccade.parts import Part
from tests.samples import randn, scramble, series, windows

MOMENT = Moment(0, torch.Generator())
PART = Part(
    Model,
    "encoder_decoder",
    {"encoder": {"kind": "rnn", "hidden": 6}, "decoder": {"kind": "rnn", "hidden": 6}},
)


@pytest.mark.parametrize("free_running", [True, False])
def test_by_hand(free_running: bool) -> None:
    model = scramble(writer(PART.build(*series(2))))
    batch = windows([randn(4, 2), randn(3, 2)], [randn(3, 2), randn(1, 2)])
    state, value, squares, sizes = model.start(batch.sources), batch.prefix[:, 0], 0.0, 0.0
    for t in range(3):
        value, state = model.follow(value if free_running else batch.prefix[:, t], state)
        rows = batch.target.mask[:, t]
        missed = (value - batch.target.values[:, t])[rows]
        squares += missed.square().sum().item() / 2
        sizes += missed.abs().sum().item() / 2
    squared = SquaredError(str, free_running=free_running)(model, batch, MOMENT)
    absolute = AbsoluteError(str, free_running=free_running)(model, batch, MOMENT)
    assert squared.total.item() == pytest.approx(squares, rel=1e-5)
    assert absolute.total.item() == pytest.approx(sizes, rel=1e-5)
    assert squared.count == absolute.count == 4
