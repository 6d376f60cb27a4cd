"""Structures move as they say, and what cannot be is refused."""

import math

import pytest
import torch
from torch.testing import assert_close

from saccade.errors import DataError, RecipeError
from saccade.models._kalman import Observed, expect
from saccade.models._state_space import MOST, StatePlan, layout, maximise, realise
from tests.samples import randn


def shown(plan: StatePlan, state: list[float], n: int) -> list[float]:
    """Follow a state without noise: what is seen of it."""
    begin, x, found = layout(plan, 1).begin, torch.tensor(state).double(), list[float]()
    for _ in range(n):
        found.append(float(begin.C @ x))
        x = begin.A @ x
    return found


def test_a_trend_goes_on_and_a_damped_one_ends() -> None:
    assert shown(StatePlan("trend"), [1.0, 0.5], 4) == [1.0, 1.5, 2.0, 2.5]
    assert shown(StatePlan("velocity"), [1.0, 0.5], 3) == [1.0, 1.5, 2.0]
    assert abs(shown(StatePlan("trend", damping=0.5), [1.0, 0.5], 30)[-1]) < 1e-6


def test_seasons_come_again() -> None:
    found = shown(StatePlan("seasonal", seasons=(6, 4), harmonics=9), [0, 0, *[1.0, 0.5] * 5], 24)
    assert found[:12] == pytest.approx(found[12:])
    assert found[:6] != pytest.approx(found[6:12])
    wave = shown(StatePlan("seasonal", seasons=(6,), harmonics=1), [0, 0, 1.0, 0.0], 6)
    assert wave == pytest.approx([math.cos(math.tau * t / 6) for t in range(6)])


def test_columns_have_states_of_their_own() -> None:
    form = layout(StatePlan("velocity"), 3)
    assert form.begin.C.shape == (3, 6)
    assert not form.free
    assert_close(form.begin.A, torch.kron(torch.eye(3), torch.tensor([[1.0, 1], [0, 1]])).double())


def test_a_known_matrix_stays_and_a_block_keeps_its_shape() -> None:
    y = randn(8, 12, 1, dtype=torch.float64).cumsum(dim=1)
    series = Observed(y, torch.ones_like(y, dtype=torch.bool), torch.ones(8, 12).bool())
    form = layout(StatePlan("velocity"), 1)
    made = maximise(form.begin, expect(form.begin, series), form)
    assert torch.equal(made.A, form.begin.A)
    assert torch.equal(made.C, form.begin.C)
    assert_close(made.Q / made.Q[1, 1], form.blocks[0].base)
    assert not torch.equal(made.Q, form.begin.Q)


def test_a_wave_is_realised() -> None:
    """Two states are enough for a wave without noise: its eigenvalues say how fast it goes."""
    t = torch.arange(60).double()
    y = torch.stack([torch.cos(math.tau * (t + p) / 8) for p in range(8)])[..., None]
    series = Observed(y, torch.ones_like(y, dtype=torch.bool), torch.ones(8, 60).bool())
    made = realise(layout(StatePlan("free", states=2), 1).begin, series)
    angles = torch.linalg.eigvals(made.A).angle().abs()
    assert_close(angles, torch.full((2,), math.tau / 8).double(), atol=1e-6, rtol=0)


def test_what_cannot_be_is_refused() -> None:
    said = StatePlan(states=0, seasons=(1,), damping=1.5, drift=0.0).problems()
    assert said == [
        f"kalman.states: 0 is not between 1 and {MOST}; 4 to 16 is usual.",
        "kalman: seasons [1] and harmonics 2 do not fit; expected seasons of 2 places or more and 1"
        " wave or more each, as seasons: [12].",
        "kalman.damping: 1.5 is not above 0 and at most 1; 1 is none.",
        "kalman.drift: 0 is not above 0 and at most 1; 0.01 is usual, much less where states stay"
        " as they are.",
    ]
    with pytest.raises(RecipeError, match="kalman: seasonal has 78 states for 3 columns; expected"):
        layout(StatePlan("seasonal", seasons=(24,), harmonics=12), 3)
    y = randn(2, 5, 1, dtype=torch.float64)
    series = Observed(y, torch.ones_like(y, dtype=torch.bool), torch.ones(2, 5).bool())
    with pytest.raises(DataError, match="has 5 places; expected 10 or more for 4 free states"):
        realise(layout(StatePlan("free", states=4), 1).begin, series)
