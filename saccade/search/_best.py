"""The best few of many scores, found without sorting them."""

from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from saccade.kernels import best as kernels
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
    by_kernels = kernels.highest(scores, n)
    if by_kernels is not None:
        return by_kernels
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


class Candidates(NamedTuple):
    """Ways to go on, best first, all `[B, n]`; `gain` is the token's log-probability.

    Of equals the lower parent comes first, then the lower token.
    """

    log_prob: Array
    parent: Array
    token: Array
    gain: Array

    def take(self, place: Array) -> "Candidates":
        """Pick candidates `place[b]`, `[B, M]`, of each sentence."""
        row = np.arange(len(place))[:, None]
        return Candidates(*(entry[row, place] for entry in self))

    def first(self, n: int) -> "Candidates":
        """Pick the `n` best of each sentence."""
        return Candidates(*(entry[:, :n] for entry in self))


def ways_on(log_probs: Tensor, scores: Array, n: int) -> Candidates:
    """Find the `n` best sums of a line's score and a symbol's log-probability, or all there are.

        total[b, k, v] = scores[b, k] + log_probs[b K + k, v]

    Args:
        log_probs: `[B * K, V]`.
        scores: `[B, K]`.
        n: how many of each sentence.
    """
    by_kernels = kernels.continuations(log_probs, scores, n)
    if by_kernels is not None:
        return Candidates(*by_kernels)
    best, place = highest(log_probs, n)  # [B * K, M]
    sentences, lines = scores.shape
    gains, symbols = best.reshape(sentences, -1), place.reshape(sentences, -1)  # [B, K * M]
    parents = np.arange(lines).repeat(best.shape[1])[None].repeat(sentences, axis=0)
    totals = scores.repeat(best.shape[1], axis=1) + gains
    order = np.lexsort((symbols, parents, -totals), axis=1)[:, :n]  # [B, n]
    return Candidates(totals, parents, symbols, gains).take(order)


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
