"""A channel of edits and pairs to try it on, and the sum over alignments by listing them."""

from collections.abc import Sequence
from math import exp, log

import torch
from torch import Tensor

from saccade.models._edit_channel import EditChannel
from saccade.tokenizers._vocabulary import START

SIZE = 8
_CHANCE = torch.Generator().manual_seed(1)
PAIRS = (
    torch.randint(4, SIZE, (6, 5), generator=_CHANCE),
    torch.randint(4, SIZE, (6, 4), generator=_CHANCE),
)
LENGTHS = (torch.tensor([5, 3, 0, 2, 5, 1]), torch.tensor([4, 0, 2, 4, 3, 1]))


def channel(*, neighbours: bool = True, smoothing: float = 0.5, passes: int = 1) -> EditChannel:
    """Make a channel that has learned something."""
    made = EditChannel(SIZE, neighbours=neighbours, smoothing=smoothing)
    for _ in range(passes):
        made.learn(made.expect(*PAIRS, *LENGTHS)[1])
    return made


def pair(row: int) -> tuple[list[int], list[int]]:
    """Return one pair."""
    return tuple(side[row, : int(n[row])].tolist() for side, n in zip(PAIRS, LENGTHS, strict=True))  # type: ignore[return-value]


def listed(one: EditChannel, x: Sequence[int], y: Sequence[int]) -> float:
    """Return log p(x | y) by going through every alignment."""
    tables: list[Tensor] = [one.inserted, one.dropped, one.taken, one.stop, one.kept]
    inserted, dropped, taken, stop, kept = (table.detach().exp().tolist() for table in tables)

    def rest(i: int, j: int, a: int) -> float:
        total = inserted[a][x[i]] * rest(i + 1, j, a) if i < len(x) else 0.0
        if j == len(y):
            return total + (stop[a] if i == len(x) else 0.0)
        c = y[j]
        total += stop[a] * dropped[a][c] * rest(i, j + 1, c)
        if i < len(x):
            total += stop[a] * kept[a][c] * taken[c][x[i]] * rest(i + 1, j + 1, c)
        return float(total)

    found = rest(0, 0, START)
    assert exp(log(found)) > 0
    return log(found)
