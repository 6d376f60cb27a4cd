"""Gaussian-mixture attention: a soft window that slides along the source."""

import math

import torch
from torch import Tensor, nn

from saccade.attention._worked import WorkedStep, vector
from saccade.attention.base import Remembering
from saccade.errors import RecipeError
from saccade.flow import State, tensor
from saccade.kernels.window import WindowWeights

_FASTEST = 100.0  # places a step


class GaussianMixture(Remembering):
    """Weigh places by K bells whose centres only ever move forward.

        (alpha', beta', kappa') = W q[t] + b
        alpha[t] = exp(alpha')      beta[t] = exp(beta')      kappa[t] = kappa[t-1] + exp(kappa')
        a[t, u] = sum_k alpha[t, k] exp(-beta[t, k] (kappa[t, k] - u)^2)

    Graves 2013 (arXiv:1308.0850), eqs. 46 to 51, u = 1, 2, ... and kappa[0] = 0. What stands at a
    place is not asked. The weights need not sum to one. With `b` as it starts, a centre moves
    `pace` places a step and the bells' heights sum to one; a pen takes many steps for a letter.
    """

    normalised = False
    weighing = "a = Σ α exp(-β (κ - u)²)"

    def __init__(
        self, query_dim: int, key_dim: int, *, components: int = 5, pace: float = 1.0
    ) -> None:
        super().__init__(query_dim, key_dim)
        if not 0 < pace <= _FASTEST:
            raise RecipeError(
                f"gaussian_mixture.pace: found {pace:g}; expected more than 0 and at most"
                f" {_FASTEST:g} places a step. Change it."
            )
        if components < 1:
            raise RecipeError(
                f"gaussian_mixture.components: {components} is below 1; use 1 bell or more."
            )
        self.components = components
        self.W = nn.Linear(query_dim, 3 * components)
        nn.init.xavier_uniform_(self.W.weight)
        nn.init.zeros_(self.W.bias)
        nn.init.constant_(self.W.bias[:components], -math.log(components))
        nn.init.constant_(self.W.bias[2 * components :], math.log(pace))

    def keys(self, states: Tensor) -> Tensor:
        """Keep the number of places."""
        return states[:, :, :0]  # [B, S, 0]

    def start(self, prepared: State) -> State:
        """All centres before the first place."""
        values = tensor(prepared, "values")
        return {"kappa": values.new_zeros(values.shape[0], self.components)}  # [B, K]

    def as_window(self) -> WindowWeights:
        """Return W and b."""
        return WindowWeights(self.W.weight, self.W.bias)

    def weigh_one(
        self, query: Tensor, keys: Tensor, mask: Tensor, state: State
    ) -> tuple[Tensor, State]:
        """Move the centres and sum the bells."""
        log_alpha, log_beta, log_move = self.W(query).chunk(3, dim=-1)  # 3 x [B, K]
        kappa = tensor(state, "kappa") + log_move.exp()  # [B, K]
        u = torch.arange(1, keys.shape[1] + 1, device=query.device)  # [S]
        away = (kappa[:, :, None] - u) ** 2  # [B, K, S]
        bells = torch.exp(log_alpha[:, :, None] - log_beta.exp()[:, :, None] * away)  # [B, K, S]
        return bells.sum(dim=1).masked_fill(~mask, 0.0), {"kappa": kappa}  # [B, S]

    def scoring(self, query: Tensor, keys: Tensor, state: State) -> tuple[WorkedStep, ...]:
        """Heights, widths and centres of the bells, and what each gives to every place."""
        alpha, beta, move = self.W(query).exp().chunk(3)  # 3 x [K]
        kappa = tensor(state, "kappa")[0] + move
        u = torch.arange(1, len(keys) + 1, device=query.device)[:, None]  # [S, 1]
        return (
            vector("q", query),
            vector("α = exp(α')", alpha),
            vector("β = exp(β')", beta),
            vector("κ = κ before + exp(κ')", kappa),
            WorkedStep("α exp(-β (κ - u)²)", alpha * torch.exp(-beta * (kappa - u) ** 2)),
        )
