import pytest
import torch
from torch.testing import assert_close

from saccade.errors import RecipeError, ShapeError
from saccade.flow import Padded
from saccade.heads.base import anchored
from saccade.heads.path import PathHead
from tests.samples import mask_of, randn, scramble


def test_each_step_takes_its_part_of_one_map() -> None:
    head, f = scramble(PathHead(5, 2, None, horizon=3)), randn(4, 5)
    path = head.output(f).view(4, 3, 2)  # [B, H, C]
    for t in range(3):
        assert_close(head.best(head.at(f, torch.full((4,), t))), path[:, t])
    every = head.at(f[:, None].expand(-1, 3, -1), torch.arange(3).expand(4, -1))
    assert_close(head.best(every), path)


def test_relative_adds_the_last_known_value() -> None:
    head, f = scramble(PathHead(5, 2, None, horizon=3, relative=True)), randn(2, 5)
    source, step = Padded(randn(2, 4, 3), mask_of(1, 4)), torch.tensor([0, 2])
    anchor = head.anchor(source)
    assert anchor is not None
    assert_close(anchor, torch.stack([source.values[0, 0, :2], source.values[1, 3, :2]]))
    path = head.output(f).view(2, 3, 2)
    found = head.best(anchored(head.at(f, step), anchor))
    assert_close(found, torch.stack([path[0, 0], path[1, 2]]) + anchor)


def test_goes_no_further_than_its_horizon() -> None:
    said = "dense_forecaster: 3 steps were asked for; expected at most its horizon, 2. Set"
    with pytest.raises(ShapeError, match=said):
        PathHead(5, 1, None, horizon=2).at(randn(1, 5), torch.tensor([2]))
    with pytest.raises(RecipeError, match=r"dense_forecaster.horizon: 0 is below 1"):
        PathHead(5, 1, None, horizon=0)
