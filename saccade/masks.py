"""Masks over positions: how they are made and the only softmax that reads them.

A mask is boolean and True means keep, everywhere in the package.
"""

import torch
from torch import Tensor


def from_lengths(lengths: Tensor, size: int | None = None) -> Tensor:
    """Mark the first `lengths[b]` of `size` places.

    >>> from_lengths(torch.tensor([1, 3])).int().tolist()
    [[1, 0, 0], [1, 1, 1]]
    """
    n = int(lengths.max()) if size is None else size
    return torch.arange(n, device=lengths.device) < lengths[:, None]  # [B, S]


def causal(size: int, device: torch.device | None = None) -> Tensor:
    """Let place t see places 0..t.

    >>> causal(3).int().tolist()
    [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    """
    return torch.ones(size, size, dtype=torch.bool, device=device).tril()  # [T, T]


def window(size: int, reach: int, device: torch.device | None = None) -> Tensor:
    """Let place t see the places at most `reach` away; 0 is no limit.

    >>> window(4, 1).int().tolist()
    [[1, 1, 0, 0], [1, 1, 1, 0], [0, 1, 1, 1], [0, 0, 1, 1]]
    """
    place = torch.arange(size, device=device)
    return (place[:, None] - place).abs() <= (reach or size)  # [T, T]


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    """Softmax of `scores` over the last dimension among the places that `mask` keeps.

        a[s] = m[s] exp(e[s]) / sum_u m[u] exp(e[u])

    Dropped places get exactly zero; a row with nothing to keep gets zeros, not NaN.

    Args:
        scores: any shape `[..., S]`.
        mask: bool, broadcasts to `scores`; True = keep.

    >>> masked_softmax(torch.zeros(2, 2), torch.tensor([[True, False], [False, False]])).tolist()
    [[1.0, 0.0], [0.0, 0.0]]
    """
    floor = torch.finfo(scores.dtype).min
    return scores.masked_fill(~mask, floor).softmax(dim=-1).masked_fill(~mask, 0.0)


def last(states: Tensor, mask: Tensor) -> Tensor:
    """Pick each row's last kept place; a row with nothing to keep gives zeros.

    Args:
        states: `[B, S, D]`.
        mask: `[B, S]`, kept places first.
    """
    index = (mask.sum(dim=1) - 1).clamp(min=0)  # [B]
    picked = states[torch.arange(states.shape[0], device=states.device), index]  # [B, D]
    return picked.masked_fill(~mask.any(dim=1, keepdim=True), 0.0)


def reverse(states: Tensor, mask: Tensor) -> Tensor:
    """Turn each row's kept places around and leave its padding where it is.

    Args:
        states: `[B, S, D]`.
        mask: `[B, S]`, kept places first.
    """
    n = mask.sum(dim=1, keepdim=True)  # [B, 1]
    place = torch.arange(mask.shape[1], device=mask.device)  # [S]
    index = torch.where(mask, n - 1 - place, place)  # [B, S]
    return states.gather(1, index[:, :, None].expand_as(states))  # [B, S, D]
