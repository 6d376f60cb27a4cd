"""Following a model of numbers: there is nothing to choose, so what it writes is what it reads."""

from collections.abc import Callable

import torch
from torch import Tensor

from saccade.flow import State

Follow = Callable[[Tensor, State], tuple[Tensor, State]]  # (what was written last, state)


def follow(step: Follow, state: State, first: Tensor, n: int) -> Tensor:
    """Return the next `n` values `[B, n, C]` after `first [B, C]`.

    y[t], state = step(y[t - 1], state)
    """
    value, found = first, []
    for _ in range(n):
        value, state = step(value, state)
        found.append(value)
    return torch.stack(found, dim=1)
