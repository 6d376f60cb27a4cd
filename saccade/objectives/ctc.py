"""The likelihood of CTC: the sum over all paths of frames that spell the target."""

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

from torch import Tensor
from torch.nn.functional import ctc_loss

from saccade.errors import RecipeError
from saccade.flow import Batch, Frames, Loss
from saccade.models._lattice import frames_needed, lattice
from saccade.models.base import Model, frame_writer
from saccade.objectives.base import Decode, Moment, Objective
from saccade.search._frames import BLANK

_USUAL = 1000  # updates for which frames often say nothing but blanks


class CtcLikelihood(Objective):
    """The negative log-probability of the target under CTC.

        loss = - sum over rows of log sum over paths that spell y of prod_t p(path[t])

    Graves et al. 2006, section 4.1, by torch's forward-backward; `path_likelihood` is the clear
    version. It equals cross_entropy without smoothing on a model of frames, which goes label by
    label and takes longer.

    A row with fewer frames than its target needs, one for each label and a blank between doubles,
    cannot be spelt. It is left out and counted as `skipped`. `count` is the target symbols of the
    others, END included, as everywhere.

    Where lower layers are asked too (`upper` of the model ctc), they have the share `early`:

        (1 - early) loss + early loss of the lower layers
    """

    frames: ClassVar[bool] = True
    steady: ClassVar[bool] = True

    def __init__(self, decode: Decode, *, early: float = 0.1) -> None:
        super().__init__(decode)
        self.early = shared(early, "ctc.early")

    def __call__(self, model: Model, batch: Batch, moment: Moment) -> Loss:
        """Return the sum; `counts` are rows `skipped` and frames that `spoke`, not blanks."""
        frames = frame_writer(model, "training.objective: ctc").read_frames(batch.sources)
        loss = likelihood(frames, batch)
        if frames.early is None or not self.early:
            return loss
        early = likelihood(frames.early, batch)
        total = (1 - self.early) * loss.total + self.early * early.total
        return replace(loss, total=total, parts={**loss.parts, "early": early.total.item()})

    def validate(self, model: Model, batch: Batch) -> Loss:
        """Return the same: there is no term but the likelihood."""
        frames = frame_writer(model, "training.objective: ctc").read_frames(batch.sources)
        return likelihood(frames, batch)

    def remarks(self, step: int, counts: Mapping[str, int]) -> dict[str, str]:
        """Tell of rows that are left out, and of frames that say nothing yet."""
        return remarks_of(step, counts)


def remarks_of(step: int, counts: Mapping[str, int]) -> dict[str, str]:
    """Say what a user should know of counts that `likelihood` gives."""
    found = {}
    if skipped := counts.get("skipped"):
        found["skipped"] = (
            f"ctc: {skipped:,} rows were left out since the last report: they have fewer frames"
            " than their labels need, one each and a blank between doubles. `saccade doctor"
            " RECIPE` lists them; metrics.jsonl counts them as skipped."
        )
    if counts.get("spoke") == 0 and step < _USUAL:
        found["blanks"] = (
            f"ctc: only blanks so far; this is usual for the first {_USUAL:,} updates, and"
            " outputs are empty until then."
        )
    if counts.get("spoke") == 0 and step >= _USUAL:
        found["still"] = (
            f"ctc: only blanks after {step:,} updates, which is longer than usual. Keep the"
            " learning rate high until this ends, give a short warm-up, or try fewer, shorter"
            " or cleaner examples."
        )
    return found


def likelihood(frames: Frames, batch: Batch) -> Loss:
    """Sum what `CtcLikelihood` measures, by the fast path."""
    labels, count = batch.target.values, batch.target.lengths  # [B, T], [B]; END is not spelt
    lengths, n_frames = (count - 1).clamp(min=0), frames.mask.sum(dim=1)
    fits = frames_needed(labels, lengths) <= n_frames  # [B]
    losses = ctc_loss(
        frames.log_probs.transpose(0, 1),  # [S, B, V]
        labels,
        n_frames,
        lengths,
        blank=BLANK,
        reduction="none",
        zero_infinity=True,
    )  # [B]
    total = losses.masked_fill(~fits, 0.0).sum()
    spoke = (frames.log_probs.detach().argmax(dim=2) != BLANK) & frames.mask
    counts = {"skipped": int((~fits).sum()), "spoke": int(spoke.sum())}
    return Loss(total, max(int(count[fits].sum()), 1), {"nll": total.item()}, counts)


def shared(share: float, owner: str) -> float:
    """Return a share if it is one."""
    if not 0 <= share <= 1:
        raise RecipeError(f"{owner}: {share} is not in [0, 1]; it is a share of the loss.")
    return share


def path_likelihood(frames: Tensor, labels: Tensor, lengths: Tensor) -> Tensor:
    """Return log p of labels `[B, L]`, of which `lengths` count, `[B]`: the clear version.

    Frames are `[B, S, V]`, silent behind the last of each row. -1e30 or less is impossible.
    """
    found = lattice(frames, labels, lengths)
    return found.total(found.forward_sums())
