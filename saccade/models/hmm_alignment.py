"""The HMM of word alignment: the place of a word depends on that of the word before."""

from collections.abc import Mapping

import torch
from torch import Tensor

from saccade.flow import State, tensor
from saccade.models._aligner import REACH
from saccade.models._word_aligner import Place, WordAligner, checked
from saccade.nouns import Side


class HmmAlignment(WordAligner):
    """Aligns words by a chain of places: words that are neighbours come from neighbours.

        p(y | x) = p(T | S) sum_a prod_j p(a_j | a_{j-1}) t(y_j | x_{a_j})
        p(i | i') = (1 - p0) c(i - i') / sum_k c(k - i')
        p(none | i') = p0,   and the next word jumps from i' again

    Vogel, Ney & Tillmann 1996 (C96-2141); the empty word of Och & Ney 2003, section 2.1.3: every
    place has an empty twin that remembers it. Twins go on alike, so the sums run over S + 1 places,
    of which the first is the start. Translations begin from Model 1.

    Args:
        sources: a text.
        target: its translation.
        ibm1: passes of EM by Model 1 before.
        passes: of EM by the HMM.
        prior: added to the count of every translation.
        null: p0.
    """

    def __init__(
        self,
        sources: Mapping[str, Side],
        target: Side,
        *,
        ibm1: int = 3,
        passes: int = 4,
        prior: float = 0.01,
        null: float = 0.6,
    ) -> None:
        settings = checked("hmm_alignment", {"ibm1": ibm1, "passes": passes}, prior, null)
        super().__init__(sources, target, ["ibm1"] * ibm1 + ["hmm"] * passes, settings)

    def _begin(self, place: Place) -> State:
        first = torch.zeros(place.mask.shape, dtype=torch.double, device=place.mask.device)
        first[:, 0] = 1
        return {"last": first}  # how likely each place is the last one looked at; the start first

    def _read(
        self, place: Place, state: State, written: Tensor, told: Tensor, is_word: Tensor
    ) -> State:
        last = tensor(state, "last")
        weights = self._weights(place, last)
        skipped = last * (weights[:, :1] * told[:, :1])
        seen = weights * told
        seen[:, 0] = 0
        fresh = skipped + seen
        fresh = fresh / fresh.sum(dim=1, keepdim=True).clamp(min=1e-300)
        return {"last": torch.where(is_word[:, None], fresh, last)}

    def _next(self, place: Place, state: State, written: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        weights = self._weights(place, tensor(state, "last"))
        return (weights, *self._lengths(place, written))

    def _weights(self, place: Place, last: Tensor) -> Tensor:
        """Return how likely the next word comes from each place, the empty word first: `[B, P]`."""
        P = place.mask.shape[1]
        at = torch.arange(P, device=last.device)
        jumps = self.jumps.double()[(at[None] - at[:, None]).clamp(-REACH, REACH) + REACH]
        fits = place.mask & (at > 0)  # [B, P]
        sums = fits.double() @ jumps.T  # [B, from]
        words = fits.sum(dim=1, keepdim=True).clamp(min=1)
        share = torch.where(sums > 0, last / sums.clamp(min=1e-300), 0.0)
        even = torch.where(sums > 0, 0.0, last).sum(dim=1, keepdim=True) / words
        none = torch.where(fits.any(dim=1), self.settings.null, 1.0)[:, None]
        weights = (share @ jumps + even) * fits * (1 - none)
        return torch.cat([none, weights[:, 1:]], dim=1)
