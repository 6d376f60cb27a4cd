"""IBM Model 2 with a diagonal prior: words come from where they stand."""

from collections.abc import Mapping

import torch
from torch import Tensor

from saccade.models._length_aligner import LengthAligner
from saccade.models._word_aligner import Place, checked
from saccade.nouns import Side


class Ibm2(LengthAligner):
    """Aligns words that occur together, the likelier the nearer they are to the diagonal.

        p(y | x) = p(T | S) prod_j sum_i p(a_j = i | j, S, T) t(y_j | x_i)
        p(a_j = 0) = p0,   p(a_j = i) = (1 - p0) exp(-l |i/S - j/T|) / Z(j, S, T)

    Model 2 of Brown et al. 1993, whose table of places has one number, the tension l: Dyer,
    Chahuneau & Smith 2013 (N13-1073). l is fitted in every pass by Newton's method, where
    fast_align climbs a few steps. Translations begin from Model 1.

    Args:
        sources: a text.
        target: its translation.
        ibm1: passes of EM by Model 1 before.
        passes: of EM by Model 2.
        prior: added to the count of every translation.
        null: p0.
    """

    def __init__(
        self,
        sources: Mapping[str, Side],
        target: Side,
        *,
        ibm1: int = 5,
        passes: int = 5,
        prior: float = 0.01,
        null: float = 0.5,
    ) -> None:
        settings = checked("ibm2", {"ibm1": ibm1, "passes": passes}, prior, null)
        super().__init__(sources, target, ["ibm1"] * ibm1 + ["ibm2"] * passes, settings)

    def _prior(self, place: Place, j: Tensor, T: Tensor) -> Tensor:
        S, i = place.lengths.clamp(min=1), torch.arange(1, place.mask.shape[1], device=j.device)
        away = (i / S[:, None])[:, None, :] - (j[:, None] / T)[:, :, None]  # [B, N, S]
        logits = -self.tension.double() * away.abs()
        fits = place.mask[:, None, 1:]
        none = torch.where(place.lengths > 0, self.settings.null, 1.0).double()[:, None, None]
        weights = logits.masked_fill(~fits, -1e9).softmax(dim=2) * fits * (1 - none)
        return torch.cat([none.expand(-1, len(T), -1), weights], dim=2)
