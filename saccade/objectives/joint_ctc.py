"""CTC and cross-entropy together, on a model that has both."""

from collections.abc import Mapping
from typing import ClassVar

from saccade.flow import Batch, Loss
from saccade.models.base import Model
from saccade.models.joint_ctc import joint
from saccade.objectives.base import Decode, Moment, Objective
from saccade.objectives.cross_entropy import checked
from saccade.objectives.ctc import likelihood, remarks_of, shared


class JointLikelihood(Objective):
    """The loss of CTC and that of the decoder, in shares.

        loss = w CTC + (1 - w) cross-entropy

    Kim, Hori & Watanabe 2017 (arXiv:1609.06773), equation 15, w = `weight`. CTC, which knows no
    other order than that of the source, teaches attention to go along it. Rows that CTC cannot
    spell have a share of 0 in it; the decoder learns from them.
    """

    frames: ClassVar[bool] = True
    steady: ClassVar[bool] = True

    def __init__(self, decode: Decode, *, weight: float = 0.3, smoothing: float = 0.1) -> None:
        super().__init__(decode)
        self.weight = shared(weight, "joint_ctc.weight")
        self.smoothing = checked(smoothing, "joint_ctc")

    def __call__(self, model: Model, batch: Batch, moment: Moment) -> Loss:
        """Return the sum; `nll` is the decoder's, `ctc` that of the frames."""
        return self._sum(model, batch, self.smoothing)

    def validate(self, model: Model, batch: Batch) -> Loss:
        """Return the same without smoothing, in shares."""
        loss = self._sum(model, batch, 0.0)
        return Loss(loss.total, loss.count, {"nll": loss.total.item()})

    def remarks(self, step: int, counts: Mapping[str, int]) -> dict[str, str]:
        """Tell of rows that CTC leaves out, and of frames that say nothing yet."""
        return remarks_of(step, counts)

    def _sum(self, model: Model, batch: Batch, smoothing: float) -> Loss:
        both = joint(model, "training.objective: joint_ctc")
        decoded, frames, _ = both.read_both(batch)
        mask, ctc = batch.target.mask, likelihood(frames, batch)
        gold = batch.target.values[mask]
        entropy, nll = both.inner.head.loss(decoded.features[mask], gold, smoothing)
        total = self.weight * ctc.total + (1 - self.weight) * entropy
        parts = {"nll": nll.sum().item(), "ctc": ctc.total.item()}
        return Loss(total, len(gold), parts, ctc.counts)
