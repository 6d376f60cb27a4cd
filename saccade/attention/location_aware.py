"""Location-aware ("hybrid") attention: what stands at a place, and where was looked before."""

from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn.functional import logsigmoid

from saccade.attention._worked import WorkedStep, vector
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
    a[t-1]. With a `keep` k above 0 only the k places with the highest scores are, and equals of the
    last of them. Without `filters`, 0, the score is that of `additive`. Chorowski et al. 2015
    (arXiv:1506.07503), eqs. 8 and 9, and section 2.3 for sharpening, also by the k best,
    smoothing and windowing (the paper's V and U are our U and G). Where we differ: the weights
    before the first query stand on the first place, so that a window has a middle.
    """

    def __init__(  # noqa: PLR0913 - seven of them are options
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
        keep: int = 0,
    ) -> None:
        super().__init__(query_dim, key_dim)
        _check(filters, width, sharpen, window, keep)
        self.weighing = "a = share of sigmoid(e)" if normalise == "smooth" else "a = softmax(e)"
        self.smooth, self.sharpen = normalise == "smooth", sharpen
        self.window, self.keep = window, keep
        self.W = nn.Linear(query_dim, hidden, bias=False)
        self.U = nn.Linear(key_dim, hidden)
        self.F = nn.Conv1d(1, filters, width, padding=width // 2, bias=False) if filters else None
        self.G = nn.Linear(filters, hidden, bias=False) if filters else None
        self.v = nn.Linear(hidden, 1, bias=False)
        for layer in (self.W, self.U, self.F, self.G, self.v):
            if layer is not None:
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
        sums = self.W(query)[:, None] + keys  # [B, S, hidden]
        told = self._told(before)
        mixed = torch.tanh(sums if told is None else sums + told)  # [B, S, hidden]
        scores = self.sharpen * self.v(mixed).squeeze(-1)  # [B, S]
        if self.smooth:
            scores = logsigmoid(scores)  # the softmax of a logarithm is the share of the sum
        if self.window:
            mask = mask & _around_median(before, self.window)
        if self.keep:
            mask = mask & _highest(scores, mask, self.keep)
        weights = masked_softmax(scores, mask)  # [B, S]
        return weights, {"weights": weights}

    def scoring(self, query: Tensor, keys: Tensor, state: State) -> tuple[WorkedStep, ...]:
        """The steps of `additive`, with the weights before, convolved, if there are filters."""
        before, asked = tensor(state, "weights"), self.W(query)  # [1, S], [hidden]
        told, sums, name = self._told(before), asked + keys, "W q + U h + b"
        convolved: tuple[WorkedStep, ...] = ()
        if told is not None:
            convolved = (WorkedStep("a before", before[0]), WorkedStep("G (F * a before)", told[0]))
            sums, name = sums + told[0], "W q + U h + G f + b"
        mixed = torch.tanh(sums)  # [S, hidden]
        return (
            vector("q", query),
            vector("W q", asked),
            WorkedStep("U h + b", keys),
            *convolved,
            WorkedStep(f"tanh({name})", mixed),
            WorkedStep(f"e = g v·tanh({name})", self.sharpen * self.v(mixed)[:, 0]),
        )

    def _told(self, before: Tensor) -> Tensor | None:
        """Tell every place of the weights before, `[B, S]`, around it: `[B, S, hidden]`."""
        if self.F is None or self.G is None:
            return None
        told: Tensor = self.G(self.F(before[:, None]).transpose(1, 2))
        return told


def _around_median(weights: Tensor, window: int) -> Tensor:
    """Mark `p - window <= s < p + window`, p the first place with half the weight up to it."""
    half = weights.sum(dim=1, keepdim=True) / 2  # [B, 1]
    p = (weights.cumsum(dim=1) < half).sum(dim=1, keepdim=True)  # [B, 1]
    place = torch.arange(weights.shape[1], device=weights.device)  # [S]
    return (place >= p - window) & (place < p + window)  # [B, S]


def _highest(scores: Tensor, mask: Tensor, k: int) -> Tensor:
    """Mark the k highest scores of the kept places, and all that equal the last of them."""
    floor = torch.finfo(scores.dtype).min
    kept = scores.detach().masked_fill(~mask, floor)
    least = kept.topk(min(k, kept.shape[1]), dim=1).values[:, -1:]  # [B, 1]
    return kept >= least  # [B, S]


def _check(filters: int, width: int, sharpen: float, window: int, keep: int) -> None:
    problems = []
    if filters < 0:
        problems.append(
            f"location_aware.filters: {filters} is below 0; 0 does not look where it looked."
        )
    if width < 1 or width % 2 == 0:
        problems.append(f"location_aware.width: {width} is not odd; a kernel needs a middle place.")
    if sharpen <= 0:
        problems.append(f"location_aware.sharpen: {sharpen} is not above 0; 1 leaves the scores.")
    if window < 0:
        problems.append(f"location_aware.window: {window} is below 0; 0 looks everywhere.")
    if keep < 0:
        problems.append(f"location_aware.keep: {keep} is below 0; 0 weighs all places.")
    if problems:
        raise RecipeError(problems)
