"""Local attention, monotonic and predictive: look only inside a window."""

from typing import Literal

import torch
from torch import Tensor, nn

from saccade.attention._worked import WorkedStep
from saccade.attention.base import ScoredAttention, Weighted
from saccade.errors import RecipeError
from saccade.flow import State, masked_softmax, tensor
from saccade.parts import Part


class Local(Weighted):
    """Weigh only the places at most D away from a centre p[t].

        m   p[t] = min(t, n - 1)                                 n kept places, counted from 0
            a[t, s] = softmax_s(score(q[t], h[s]))               over |s - p[t]| <= D

        p   p[t] = n sigmoid(v . tanh(W q[t]))
            a[t, s] = softmax_s(score(q[t], h[s])) exp(-(s - p[t])^2 / (2 sigma^2)),  sigma = D / 2

    Luong, Pham & Manning 2015 (arXiv:1508.04025), section 3.2, D = `window`. In `m`
    t is the number of the query, which is remembered; in `p` the Gaussian lets the gradient reach
    the centre, and the weights need not sum to one. Where we differ: in `m` the centre stays on the
    last place once t is beyond it, where the paper's window would be empty. `score` is any
    attention that has one.
    """

    def __init__(
        self,
        query_dim: int,
        key_dim: int,
        *,
        variant: Literal["m", "p"] = "p",
        window: int = 10,
        score: Part[ScoredAttention] = Part(ScoredAttention, "bilinear"),
    ) -> None:
        super().__init__(query_dim, key_dim)
        if window < 1:
            raise RecipeError(f"local.window: {window} is below 1; look 1 place around or more.")
        self.window = window
        self.inner = score.build(query_dim, key_dim)
        self.recurrent = self.normalised = variant == "m"
        self.centre = None if variant == "m" else _Centre(query_dim)
        bell = "" if variant == "m" else " exp(-(s - p)² / 2 σ²)"
        self.weighing = f"a = softmax(e) near p{bell}"

    def keys(self, states: Tensor) -> Tensor:
        """Those of the score."""
        return self.inner.keys(states)  # [B, S, ...]

    def start(self, prepared: State) -> State:
        """Number the first query 0, where numbers matter."""
        if self.centre is not None:
            return {}
        values = tensor(prepared, "values")
        return {"step": torch.zeros(values.shape[0], dtype=torch.long, device=values.device)}  # [B]

    def weigh(
        self, query: Tensor, keys: Tensor, mask: Tensor, state: State
    ) -> tuple[Tensor, State]:
        """Softmax inside the window, under the Gaussian if the centre is predicted."""
        n = mask.sum(dim=-1)  # [B, T]
        place = torch.arange(keys.shape[1], device=query.device)  # [S]
        scores = self.inner.score(query, keys)  # [B, T, S]
        if self.centre is None:
            step = tensor(state, "step")  # [B]
            t = step[:, None] + torch.arange(query.shape[1], device=query.device)  # [B, T]
            away = place - torch.minimum(t, n - 1)[:, :, None]  # [B, T, S]
            weights = masked_softmax(scores, mask & (away.abs() <= self.window))
            return weights, {"step": step + query.shape[1]}
        away = place - self.centre(query, n)[:, :, None]  # [B, T, S]
        weights = masked_softmax(scores, mask & (away.abs() <= self.window))
        sigma = self.window / 2
        return weights * torch.exp(-(away**2) / (2 * sigma**2)), state

    def scoring(self, query: Tensor, keys: Tensor, state: State) -> tuple[WorkedStep, ...]:
        """Those of the score; the window is in the weights."""
        return self.inner.scoring(query, keys, {})


class _Centre(nn.Module):
    """Predict where to look: `p = n sigmoid(v . tanh(W q))`."""

    def __init__(self, query_dim: int) -> None:
        super().__init__()
        self.W = nn.Linear(query_dim, query_dim, bias=False)
        self.v = nn.Linear(query_dim, 1, bias=False)
        for layer in (self.W, self.v):
            nn.init.xavier_uniform_(layer.weight)

    def forward(self, query: Tensor, n: Tensor) -> Tensor:
        """Return the centre for `query [B, T, Q]` among `n [B, T]` places: `[B, T]`."""
        return n * torch.sigmoid(self.v(torch.tanh(self.W(query)))).squeeze(-1)
