"""What a head is: features of a place in, what is written there out."""

from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from saccade.errors import ShapeError
from saccade.flow import Padded
from saccade.kernels.precision import restored


class Projection(NamedTuple):
    """The last map before a softmax: features `[..., D]`, weight `[V, D]`, bias `[V]`."""

    features: Tensor
    weight: Tensor
    bias: Tensor

    def log_probs(self) -> Tensor:
        """Compute `log_softmax(W f + b)`: `[..., V]`."""
        return restored(linear(*self)).log_softmax(dim=-1)


class Head(nn.Module, ABC):
    """The last layer of a model.

    The host gives the width of the features, the size of the target (symbols, columns), and the
    matrix of the target's embedding where the head is to share it.
    """

    discrete: ClassVar[bool] = False  # True if it writes symbols, False if it writes values
    general: ClassVar[bool] = True  # False if only its own model makes the features that it reads
    draws: ClassVar[bool] = False  # True if it knows how likely values are, and can draw some
    stops: ClassVar[bool] = False  # True if `ended` can tell where writing ends
    n_uniform: int = 0  # how many numbers of chance a draw takes

    def __init__(self, width: int, size: int) -> None:
        super().__init__()
        self.width = width
        self.size = size

    @abstractmethod
    def best(self, features: Tensor) -> Tensor:
        """Return what is written if one thing must be: symbols `[...]` or values `[..., C]`."""

    def draw(self, features: Tensor, uniform: Tensor, bias: float = 0.0) -> Tensor:
        """Draw values `[..., C]` by chance, if it `draws`.

        Args:
            features: `[..., D]`.
            uniform: `[..., n_uniform]`, numbers from 0 to 1 that decide.
            bias: 0 draws as likely as the head finds values; the larger, the nearer to `best`.
        """
        raise ShapeError(
            f"{type(self).__name__}: knows one value and no distribution to draw from; expected a"
            " head such as mixture_density. Leave out sample."
        )

    def ended(self, values: Tensor) -> Tensor:
        """Tell after which values `[..., C]` nothing more is written: `[...]`, nowhere if False."""
        return torch.zeros(values.shape[:-1], dtype=torch.bool, device=values.device)

    def log_probs(self, features: Tensor) -> Tensor:
        """Turn features `[..., D]` into log-probabilities of the next symbol `[..., V]`."""
        raise ShapeError(
            f"{type(self).__name__}: writes values, which have no log-probabilities; expected a"
            " head of symbols. Use squared_error or absolute_error, and no search."
        )

    @abstractmethod
    def loss(self, features: Tensor, gold: Tensor, smoothing: float = 0.0) -> tuple[Tensor, Tensor]:
        """Return the sum of losses, and the plain loss of every place `[N]` without a gradient.

        Args:
            features: `[N, D]`.
            gold: what is right there, symbols `[N]` or values `[N, C]`.
            smoothing: the share of the uniform distribution in what is right, for symbols.
        """

    anchors: bool = False  # True if `anchor` returns something

    def anchor(self, source: Padded) -> Tensor | None:
        """Return what the head must know of the source, `[B, A]`; it is put behind the features."""
        return None


class Categorical(Head, ABC):
    """A head that says how likely every symbol is."""

    discrete: ClassVar[bool] = True

    @abstractmethod
    def log_probs(self, features: Tensor) -> Tensor:
        """Turn features `[..., D]` into log-probabilities of the next symbol `[..., V]`."""

    def best(self, features: Tensor) -> Tensor:
        """Return the likeliest symbol, `[...]`."""
        return self.log_probs(features).argmax(dim=-1)

    def loss(self, features: Tensor, gold: Tensor, smoothing: float = 0.0) -> tuple[Tensor, Tensor]:
        """Sum the cross-entropy, smoothed towards the uniform distribution."""
        return smoothed(self.log_probs(features), gold, smoothing)


def smoothed(log_probs: Tensor, gold: Tensor, smoothing: float) -> tuple[Tensor, Tensor]:
    """Sum the smoothed cross-entropy of `log_probs` `[N, V]` where `gold` `[N]` is right.

        (1 - e) (-log p[y]) + e (1/V) sum_v (-log p[v])

    Returns:
        The sum, and `-log p[y]` of every row `[N]`, without a gradient.
    """
    nll = -log_probs.gather(1, gold[:, None]).squeeze(1)  # [N]
    total = nll.sum()
    if smoothing:
        uniform = -log_probs.sum() / log_probs.shape[1]
        total = (1 - smoothing) * total + smoothing * uniform
    return total, nll.detach()


def anchored(features: Tensor, anchor: Tensor | None) -> Tensor:
    """Put an anchor `[B, A]` behind features `[B, D]` or `[B, T, D]`."""
    if anchor is None:
        return features
    if features.dim() == 3:
        anchor = anchor[:, None].expand(-1, features.shape[1], -1)
    return torch.cat([features, anchor], dim=-1)
