"""The best few of many scores, found without sorting them."""

from typing import Any

import torch
from numpy.typing import NDArray
from torch import Tensor

from saccade.native import library
from saccade.search._rules import NEVER

Array = NDArray[Any]
_BLOCK = 64  # scores that are first looked at through their highest
_MANY = 1 << 17  # scores from which that is faster


def highest(scores: Tensor, n: int) -> tuple[Array, Array]:
    """Find the `n` highest of each row of `[N, V]` and their places, in any order, as arrays.

    Of equals, those that stand first. `topk` promises no choice among equals, so a row where they
    straddle the edge of the choice is sorted.
    """
    n = min(n, scores.shape[1])
    fits = scores.device.type == "cpu" and scores.dtype == torch.float32 and scores.is_contiguous()
    kernels = library.found().kernels if fits else None
    if kernels is not None:
        return _by_kernels(kernels, scores, n)
    more = min(n + 1, scores.shape[1])
    if scores.numel() >= _MANY and scores.shape[1] >= 2 * more * _BLOCK:
        found = _through_blocks(scores, more)
    else:
        found = scores.topk(more, dim=1)
    values, places = found[0].cpu().numpy(), found[1].cpu().numpy()
    edge = values[:, -1]  # [N]
    tied = ((values[:, n - 1] == edge) & (edge > NEVER)).nonzero()[0]
    if more > n and len(tied):
        rows = scores[torch.from_numpy(tied).to(scores.device)]
        in_order = rows.sort(dim=1, descending=True, stable=True)
        values[tied] = in_order.values[:, :more].cpu().numpy()
        places[tied] = in_order.indices[:, :more].cpu().numpy()
    return values[:, :n], places[:, :n]


def _through_blocks(scores: Tensor, n: int) -> tuple[Tensor, Tensor]:
    """Find the `n` highest among the `n` blocks with the highest maxima: nowhere else can they be.

    An equal of the lowest may stand in a block that is not looked at.
    """
    n_blocks = scores.shape[1] // _BLOCK
    whole = n_blocks * _BLOCK
    maxima = scores[:, :whole].unflatten(1, (n_blocks, _BLOCK)).amax(dim=2)  # type: ignore[no-untyped-call]
    first = maxima.topk(n, dim=1, sorted=False).indices * _BLOCK  # [N, n]
    within = torch.arange(_BLOCK, device=scores.device)
    rest = torch.arange(whole, scores.shape[1], device=scores.device)
    places = torch.cat(
        [(first[:, :, None] + within).flatten(1), rest.expand(len(scores), -1)], dim=1
    )  # [N, n * _BLOCK + rest]
    values, chosen = scores.gather(1, places).topk(n, dim=1)
    return values, places.gather(1, chosen)


def _by_kernels(kernels: library.Kernels, scores: Tensor, n: int) -> tuple[Array, Array]:
    rows, size = scores.shape
    values, places = scores.new_empty(rows, n), scores.new_empty(rows, n, dtype=torch.long)
    threads = torch.get_num_threads() if scores.numel() >= _MANY else 1
    where = (values.data_ptr(), places.data_ptr())
    kernels.best(scores.data_ptr(), rows, size, n, *where, threads)
    return values.numpy(), places.numpy()
