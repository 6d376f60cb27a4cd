"""Location-aware ("hybrid") attention: what stands at a place, and where was looked before."""

from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn.functional import logsigmoid

from saccade.attention.base import Remembering
from saccade.errors import RecipeError
from saccade.flow import State, masked_softmax, tensor


class LocationAware(Remembering):
    """Score by a one-layer network over query, state and the weights before, convolved.

        f[t] = F * a[t-1]                            `filters` kernels of `width` places
        e[t, s] = v . tanh(W q[t] + U h[s] + G f[t, s] + b)

        softmax   a[t, s] = exp(g e[t, s]) / sum_u exp(g e[t, u])              g = `sharpen`
        smooth    a[t, s] = sigmoid(g e[t, s]) / sum_u sigmoid(g e[t, u])

    With a `window` w above 0 only the places p - w <= s < p + w are weighed, p the median of
    a[t-1]. Chorowski et al. 2015 (arXiv:1506.07503), eqs. 8 and 9, and section 2.3 for sharpening,
    smoothing and windowing (the paper's V and U are our U and G). Where we differ: the weights
    before the first query stand on the first place, so that a window has a middle.
    """

    def __init__(
        self,
        query_dim: int,
        key_dim: int,
        *,
        hidden: int = 128,
        filters: int = 10,
        width: int = 11,
        normalise: Literal["softmax", "smooth"] = "softmax",
        sharpen: float = 1.0,
        window: int = 0,
    ) -> None:
        super().__init__(query_dim, key_dim)
        _check(width, sharpen, window)
        self.smooth, self.sharpen, self.window = normalise == "smooth", sharpen, window
        self.W = nn.Linear(query_dim, hidden, bias=False)
        self.U = nn.Linear(key_dim, hidden)
        self.F = nn.Conv1d(1, filters, width, padding=width // 2, bias=False)
        self.G = nn.Linear(filters, hidden, bias=False)
        self.v = nn.Linear(hidden, 1, bias=False)
        for layer in (self.W, self.U, self.F, self.G, self.v):
            nn.init.xavier_uniform_(layer.weight)

    def keys(self, states: Tensor) -> Tensor:
        """Compute `U h + b`."""
        return self.U(states)  # type: ignore[no-any-return]  # [B, S, hidden]

    def start(self, prepared: State) -> State:
        """All weight on the first place."""
        weights = torch.zeros_like(tensor(prepared, "keys")[:, :, 0])  # [B, S]
        weights[:, :1] = 1.0
        return {"weights": weights}

    def weigh_one(
        self, query: Tensor, keys: Tensor, mask: Tensor, state: State
    ) -> tuple[Tensor, State]:
        """Score, then normalise over the window."""
        before = tensor(state, "weights")  # [B, S]
        f = self.F(before[:, None]).transpose(1, 2)  # [B, S, filters]
        mixed = torch.tanh(self.W(query)[:, None] + keys + self.G(f))  # [B, S, hidden]
        scores = self.sharpen * self.v(mixed).squeeze(-1)  # [B, S]
        if self.smooth:
            scores = logsigmoid(scores)  # the softmax of a logarithm is the share of the sum
        if self.window:
            mask = mask & _around_median(before, self.window)
        weights = masked_softmax(scores, mask)  # [B, S]
        return weights, {"weights": weights}


def _around_median(weights: Tensor, window: int) -> Tensor:
    """Mark `p - window <= s < p + window`, p the first place with half the weight up to it."""
    half = weights.sum(dim=1, keepdim=True) / 2  # [B, 1]
    p = (weights.cumsum(dim=1) < half).sum(dim=1, keepdim=True)  # [B, 1]
    place = torch.arange(weights.shape[1], device=weights.device)  # [S]
    return (place >= p - window) & (place < p + window)  # [B, S]


def _check(width: int, sharpen: float, window: int) -> None:
    problems = []
    if width < 1 or width % 2 == 0:
        problems.append(f"location_aware.width: {width} is not odd; a kernel needs a middle place.")
    if sharpen <= 0:
        problems.append(f"location_aware.sharpen: {sharpen} is not above 0; 1 leaves the scores.")
    if window < 0:
        problems.append(f"location_aware.window: {window} is below 0; 0 looks everywhere.")
    if problems:
        raise RecipeError(problems)
