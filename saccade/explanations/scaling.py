"""Why dot products are divided by the root of their width."""

from math import log

import torch
from torch import Tensor

from saccade.attention.base import ScoredAttention
from saccade.attention.dot import Dot
from saccade.attention.scaled_dot import ScaledDot
from saccade.explanations.base import Explained, Explanation
from saccade.views import curves
from saccade.views.drawing import Drawing, colourless

_SCORES: dict[str, type[ScoredAttention]] = {"q . k": Dot, "q . k / sqrt(d)": ScaledDot}


class Scaling(Explanation):
    """Why are dot products divided by the root of their width?

    A query and `places` keys are drawn from N(0, 1) for each width d, `draws` times. The variance
    of q . k is d, so the softmax over the scores hardens as d grows and its gradient vanishes:

        da[s] / de[r] = a[s] (1[s = r] - a[r])

    Measured are the entropy of the weights and the norm of this Jacobian. Vaswani et al. 2017
    (arXiv:1706.03762), section 3.2.1.
    """

    def __init__(
        self, *, seed: int = 1, draws: int = 200, places: int = 16, widest: int = 1024
    ) -> None:
        self.seed = seed
        self.draws = draws
        self.places = places
        self.widest = widest

    def run(self) -> Explained:
        """Draw queries and keys of growing width."""
        widths = [2**n for n in range(1, 31) if 2**n <= self.widest]
        norms = {
            name: [self._measured(score, d) for d in widths] for name, score in _SCORES.items()
        }
        entropies = {name: [found[0] for found in line] for name, line in norms.items()}
        slopes = {name: [found[1] for found in line] for name, line in norms.items()}
        log_widths = [log(d, 2) for d in widths]
        series = {name: list(zip(log_widths, line, strict=True)) for name, line in slopes.items()}
        plain, scaled = (entropies[name][-1] for name in _SCORES)
        flat, steep = (slopes[name][-1] for name in _SCORES)
        said = (
            f"At width {widths[-1]} the weights of plain dot products have {plain:.2f} of at most"
            f" {log(self.places, 2):.2f} bits, those of scaled ones {scaled:.2f}."
            f" The gradient that comes through the softmax is {steep / max(flat, 1e-12):.1f} times"
            " as large with the division."
        )
        title = "Norm of the gradient of a softmax over dot products"
        drawing = Drawing(
            title,
            lambda: curves.to_svg(series, title=title, x_label="log2 of the width d"),
            colourless(lambda width: curves.to_terminal(series, width=width)),
            said=said,
        )
        figures = {
            "entropy plain": plain,
            "entropy scaled": scaled,
            "gradient plain": flat,
            "gradient scaled": steep,
        }
        return Explained(said, drawing, figures)

    def _measured(self, score: type[ScoredAttention], width: int) -> tuple[float, float]:
        """Return mean entropy in bits of the weights, and mean norm of the softmax's Jacobian."""
        noise = torch.Generator().manual_seed(self.seed)
        query = torch.randn(self.draws, 1, width, generator=noise)
        places = torch.randn(self.draws, self.places, width, generator=noise)
        attention = score(width, width)
        prepared = attention.prepare(places)
        mask = torch.ones(self.draws, 1, self.places, dtype=torch.bool)
        found = attention(query, prepared, mask, attention.start(prepared), look=True)
        weights = found.weights[:, 0, 0]  # [N, S]
        return float(_entropy(weights).mean()), float(_jacobian(weights).mean())


def _entropy(weights: Tensor) -> Tensor:
    """Return -sum a log2 a, `[N]`."""
    bits: Tensor = -torch.special.xlogy(weights, weights).sum(dim=1) / log(2)
    return bits


def _jacobian(weights: Tensor) -> Tensor:
    """Return the Frobenius norm of diag(a) - a a', `[N]`."""
    outer = weights[:, :, None] * weights[:, None]  # [N, S, S]
    norms: Tensor = (torch.diag_embed(weights) - outer).flatten(1).norm(dim=1)
    return norms
