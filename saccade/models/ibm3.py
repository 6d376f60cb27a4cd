"""IBM Model 3: every source word has a number of target words, its fertility."""

from collections.abc import Mapping

import numpy as np
import torch
from torch import Tensor, nn

from saccade.errors import CheckpointError, RecipeError
from saccade.models._aligner import Aligner, AlignerPass
from saccade.models._fertility import FERTILITIES, FIRST, Array, fertile_posteriors, fertile_step
from saccade.models._length_aligner import LengthAligner
from saccade.models._word_aligner import Place, checked
from saccade.models.base import LaidSide
from saccade.nouns import Side


class Ibm3(LengthAligner):
    """Aligns words so that each source word has about as many as it usually has.

    `_fertility.py` has the equations: Model 3 of Brown et al. 1993 with the diagonal of `ibm2` for
    its distortion. Links, and what it looks at, are by climbing from those of an HMM.

    Model 3 gives no probability to a target from left to right, and some to texts that cannot be.
    What it writes, and `score`, are those of a mixture with its numbers, whose probability is
    exact: place i has its share of the words, and they go where the distortion puts them.

        p(a_j = i) = (1 - p0) E[f_i] d(j | i, S, T) / sum_k E[f_k] d(j | k, S, T),   p0 = p1/(1+p1)

    Args:
        sources: a text.
        target: its translation.
        ibm1: passes of EM by Model 1 before.
        hmm: passes of EM by the HMM behind them.
        passes: by Model 3.
        prior: added to the count of every translation.
        null: of the HMM, see `hmm_alignment`.
        spurious: p1, how likely a word from nowhere follows another.
    """

    fertilities: nn.Parameter

    def __init__(
        self,
        sources: Mapping[str, Side],
        target: Side,
        *,
        ibm1: int = 5,
        hmm: int = 5,
        passes: int = 3,
        prior: float = 0.01,
        null: float = 0.5,
        spurious: float = 0.2,
    ) -> None:
        settings = checked("ibm3", {"ibm1": ibm1, "hmm": hmm, "passes": passes}, prior, null)
        if not 0 < spurious < 1:
            raise RecipeError(
                f"ibm3.spurious: {spurious} is not between 0 and 1; 0.1 to 0.4 is usual."
            )
        plan = ["ibm1"] * ibm1 + ["hmm"] * hmm + ["ibm3"] * passes
        super().__init__(sources, target, plan, settings)
        self.spurious = spurious
        first = torch.from_numpy(FIRST).float().repeat(self.n_source, 1)
        self.fertilities = nn.Parameter(first, requires_grad=False)

    def accept(self, weights: Mapping[str, Tensor], where: str) -> None:
        """Check the tables of a file and make room for them."""
        super().accept(weights, where)
        found = weights.get("fertilities")
        if found is None or tuple(found.shape) != (self.n_source, FERTILITIES):
            raise CheckpointError(
                f"{where}: fertilities are missing or have another size; expected {self.n_source}"
                f" by {FERTILITIES}. The file is another model's: use the folder as it was written."
            )
        if not bool(((found >= 0) & (found <= 1.001)).all()):
            raise CheckpointError(
                f"{where}: fertilities have numbers that are no probabilities; expected 0 to 1. The"
                " file is damaged: copy the model folder again."
            )

    def _step(self, aligner: Aligner, source: LaidSide, target: LaidSide, kind: str) -> AlignerPass:
        if kind != "ibm3":
            return aligner.step(source, target, kind)
        found = fertile_step(aligner, source, target, self._table(), self.spurious)
        self.fertilities.data = torch.from_numpy(found.fertilities).to(self.fertilities.device)
        return found.found

    def _expect(self, source: LaidSide, target: LaidSide) -> Array:
        aligner = Aligner(self.aligner_state(), self.settings)
        return fertile_posteriors(aligner, source, target, self._table(), self.spurious)

    def _table(self) -> Array:
        return self.fertilities.detach().cpu().numpy().astype(np.float32)

    def _prior(self, place: Place, j: Tensor, T: Tensor) -> Tensor:
        S, i = place.lengths.clamp(min=1)[:, None, None], torch.arange(1, place.mask.shape[1])
        i, N = i.to(j.device)[None, None, :], T[None, :, None]
        here = -self.tension.double() * (i / S - j[:, None, None] / N).abs()  # [B, N, S]
        many = torch.arange(FERTILITIES, device=j.device, dtype=torch.double)
        mean = (self.fertilities.double() @ many).clamp(min=1e-6)  # [n_source]
        words = place.words[:, 1:].clamp(max=self.n_source - 1)
        logits = here - _log_sum(i, S, N, self.tension.double()) + mean[words].log()[:, None, :]
        fits = place.mask[:, None, 1:]
        share = self.spurious / (1 + self.spurious)
        none = torch.where(place.lengths > 0, share, 1.0).double()[:, None, None]
        weights = logits.masked_fill(~fits, -1e9).softmax(dim=2) * fits * (1 - none)
        return torch.cat([none.expand(-1, len(T), -1), weights], dim=2)


def _log_sum(i: Tensor, S: Tensor, T: Tensor, tension: Tensor) -> Tensor:
    """Return log sum_{k=1}^T exp(-l |i/S - k/T|), two geometric series."""
    rate = tension.clamp(min=1e-6) / T
    below = (i * T // S).clamp(max=T)  # words up to the diagonal
    near = tension * (i / S - below / T), tension * ((below + 1) / T - i / S)
    sums = [
        (-one).exp() * torch.expm1(-rate * n) / torch.expm1(-rate)
        for one, n in zip(near, (below, T - below), strict=True)
    ]
    return (sums[0] + sums[1]).log()
