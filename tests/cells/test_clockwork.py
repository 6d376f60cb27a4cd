"""The clockwork cell: which groups move when, and what each hears."""

import pytest
import torch
from torch.testing import assert_close

from saccade.cells.clockwork import Clockwork
from saccade.cells.elman import Elman
from saccade.errors import RecipeError
from saccade.flow import tensor
from tests.samples import randn, scramble

INPUT = 3


def test_with_one_clock_it_is_elman() -> None:
    one, other = Clockwork(INPUT, 4, periods=[1]), Elman(INPUT, 4)
    scramble(one)
    other.load_state_dict(one.state_dict())
    x = randn(2, 5, INPUT)
    swept = one.sweep(x, one.start(x[:, 0])).outputs
    assert_close(swept, other.sweep(x, other.start(x[:, 0])).outputs)


def test_a_group_moves_only_when_its_clock_ticks() -> None:
    cell = scramble(Clockwork(INPUT, 6, periods=[1, 2, 3]))
    state = cell.start(randn(1, INPUT))
    for t in range(7):
        before = tensor(state, "h")[0]
        state = cell(randn(1, INPUT, seed=t + 1), state).state
        moved = (tensor(state, "h")[0] != before).tolist()
        assert moved == [t % period == 0 for period in (1, 1, 2, 2, 3, 3)]


def test_a_slow_group_does_not_hear_a_fast_one() -> None:
    cell = scramble(Clockwork(INPUT, 4, periods=[1, 2]))
    state = cell.start(randn(1, INPUT))
    h = randn(1, 4)
    for unit in range(4):
        other = h.clone()
        other[0, unit] += 1
        one, two = (cell(randn(1, INPUT), {**state, "h": given}).output for given in (h, other))
        changed = (one != two)[0].tolist()
        assert changed == ([True, True, False, False] if unit < 2 else [True] * 4)


def test_units_are_shared_out() -> None:
    cell = Clockwork(INPUT, 7, periods=[1, 4, 16])
    assert cell.period.tolist() == [1, 1, 1, 4, 4, 16, 16]
    assert "period" not in cell.state_dict()


def test_a_slow_group_carries_a_gradient_farther() -> None:
    reach = {}
    for name, periods in (("fast", [1]), ("slow", [1, 16])):
        with torch.random.fork_rng():
            torch.manual_seed(1)
            cell = Clockwork(8, 8, periods=periods)
        cell.U.data *= 0.5
        x = randn(1, 33, 8, dtype=torch.float32).requires_grad_()
        (grad,) = torch.autograd.grad(cell.sweep(x, cell.start(x[:, 0])).outputs[:, -1].sum(), x)
        reach[name] = grad[0, 0].norm().item()
    assert reach["slow"] > 100 * reach["fast"]


@pytest.mark.parametrize("periods", [[], [0, 1], [2, 1], [1, 1], [1, 2_000_000]])
def test_other_clocks_are_refused(periods: list[int]) -> None:
    with pytest.raises(RecipeError, match=r"clockwork.periods: found \[.*\]; expected whole numb"):
        Clockwork(INPUT, 4, periods=periods)


def test_more_clocks_than_units_are_refused() -> None:
    with pytest.raises(RecipeError, match=r"clockwork.periods: 3 groups for 2 units; expected one"):
        Clockwork(INPUT, 2, periods=[1, 2, 4])
