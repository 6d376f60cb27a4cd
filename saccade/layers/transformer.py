"""The layers that encoder and decoder of a Transformer share."""

from typing import Literal

import torch
from torch import Tensor, nn

from saccade.errors import RecipeError
from saccade.layers.dropout import Dropout

Norm = Literal["pre", "post"]


class Residual(nn.Module):
    """The wire around a layer `f`, with the norm behind the sum or before the layer.

        post (as published):  y = norm(x + dropout(f(x)))
        pre:                  y = x + dropout(f(norm(x)))

    Post: Vaswani et al. 2017, section 3.1. Pre: Xiong et al. 2020 (arXiv:2002.04745); it trains
    without care for warm-up and needs one more norm behind the stack.
    """

    def __init__(self, dim: int, norm: Norm, dropout: float) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.dropout = Dropout(dropout)
        self.pre = norm == "pre"

    def enter(self, x: Tensor) -> Tensor:
        """Return what the layer reads."""
        return self.norm(x) if self.pre else x

    def leave(self, x: Tensor, y: Tensor) -> Tensor:
        """Add what the layer wrote, `y`, to the wire `x`."""
        x = x + self.dropout(y)
        return x if self.pre else self.norm(x)


class FeedForward(nn.Module):
    """Two layers at every place alike.

        f(x) = V relu(U x + a) + b

    Vaswani et al. 2017 (arXiv:1706.03762), section 3.3.
    """

    def __init__(self, dim: int, hidden: int) -> None:
        super().__init__()
        self.U = nn.Linear(dim, hidden)
        self.V = nn.Linear(hidden, dim)
        for layer in (self.U, self.V):
            nn.init.xavier_uniform_(layer.weight)
            nn.init.zeros_(layer.bias)

    def forward(self, x: Tensor) -> Tensor:
        """Apply to `x [..., D]`."""
        return self.V(torch.relu(self.U(x)))  # type: ignore[no-any-return]


def closing_norm(dim: int, norm: Norm) -> nn.Module:
    """Return the norm that closes a stack of pre-norm layers, or nothing for post-norm."""
    return nn.LayerNorm(dim) if norm == "pre" else nn.Identity()


def check_neighbourhood(reach: int) -> int:
    """Return how far a place of a Transformer sees; refuse what is no distance."""
    if reach < 0:
        raise RecipeError(
            f"transformer.neighbourhood: found {reach}; expected how many places away a place may"
            " look, or 0 for all of them. Raise it."
        )
    return reach


def bridge(memory_dim: int, width: int) -> nn.Linear:
    """Make `B m + b`, which turns a summary into first states; of no memory only `b` is left."""
    built = nn.Linear(max(memory_dim, 1), width)
    if not memory_dim:  # torch warns of drawing a matrix without numbers
        built.in_features, built.weight = 0, nn.Parameter(torch.zeros(width, 0))
        nn.init.zeros_(built.bias)
    return built
