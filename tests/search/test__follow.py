"""Following: what is written is what is read."""

import torch
from torch import Tensor

from saccade.flow import State, Step, tensor
from saccade.search._follow import follow


def test_what_is_written_is_read() -> None:
    def step(value: Tensor, state: State) -> Step:
        return Step(value * 2 + tensor(state, "n"), {"n": tensor(state, "n") + 1})

    found = follow(step, {"n": torch.zeros(1, 1)}, torch.tensor([[3.0]]), 3)
    assert found.tolist() == [[[6.0], [13.0], [28.0]]]
