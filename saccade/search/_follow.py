"""Following a model of values: what it writes, or what is drawn from it, is what it reads next."""

from collections.abc import Callable

import torch
from torch import Tensor

from saccade.flow import State

Ended = Callable[[Tensor], Tensor]  # values [B, C] to [B], True where nothing more is written
Follow = Callable[[Tensor, State], tuple[Tensor, State]]  # (what was written last, state)


def follow(step: Follow, state: State, first: Tensor, n: int, ended: Ended | None = None) -> Tensor:
    """Return the next `n` values `[B, n, C]` after `first [B, C]`.

        y[t], state = step(y[t - 1], state)

    Where `ended` tells of a row that nothing more is written, what comes behind it has no meaning;
    once it tells so of all rows, the rest is not written.
    """
    value, found = first, []
    over = torch.zeros(len(first), dtype=torch.bool, device=first.device)
    for _ in range(n):
        value, state = step(value, state)
        found.append(value)
        if ended is not None:
            over |= ended(value)
            if bool(over.all()):
                break
    return torch.stack(found, dim=1)
