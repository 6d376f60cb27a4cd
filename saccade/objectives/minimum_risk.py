"""Minimum risk: make the outputs that the model finds likely good ones."""

import torch
from torch import Tensor

from saccade.errors import RecipeError
from saccade.flow import Batch, Loss, from_lengths, masked_softmax
from saccade.models.base import Model
from saccade.objectives._outputs import (
    Output,
    Risk,
    counted,
    log_probs_of,
    references_of,
    risks_of,
    sampled,
    weighed,
)
from saccade.objectives.base import Decode, Moment, Objective
from saccade.objectives.cross_entropy import cross_entropy


class MinimumRisk(Objective):
    """The expected risk over a few outputs drawn from the model itself.

        loss = sum_x sum_{y in S(x)} Q(y) risk(y) + likelihood * nll,
        Q(y) = p(y | x) ** alpha / sum_{y' in S(x)} p(y' | x) ** alpha

    Shen et al. 2016 (arXiv:1512.02433), equations 9 and 10; `likelihood` mixes in the reference's
    negative log-probability. S(x) are `samples` outputs, without repetition, and with `reference`
    the reference too, as in their algorithm 1. Outputs are drawn without dropout; their
    probabilities are computed again with gradient in the mode the model is in, with dropout while
    it trains. The risk (see `risk`) is measured on text. One sum a sentence; `count` is symbols, as
    everywhere, so the learning rate alone sets the pace.
    """

    def __init__(
        self,
        decode: Decode,
        *,
        risk: Risk = "bleu",
        samples: int = 8,
        alpha: float = 0.005,
        reference: bool = True,
        likelihood: float = 0.0,
    ) -> None:
        super().__init__(decode)
        self.risk, self.alpha, self.reference = risk, alpha, reference
        self.samples = counted("minimum_risk", samples, least=1 if reference else 2)
        self.likelihood = weighed("minimum_risk", likelihood)
        if alpha <= 0:
            raise RecipeError(
                f"minimum_risk.alpha: {alpha} is not above 0; 1 is the model's own sharpness, 0.005"
                " is usual."
            )

    def __call__(self, model: Model, batch: Batch, moment: Moment) -> Loss:
        """Return the sum of expected risks; `parts["risk"]` is it without the likelihood."""
        references = references_of(batch)
        outputs = self._candidates(
            sampled(model, batch, self.samples, moment.generator), references
        )
        log_probs = log_probs_of(model, batch.sources, outputs)  # [B, N]
        risks, keep = grid(risks_of(self.risk, self.decode, outputs, references), log_probs)
        total = risk_of(log_probs, risks, keep, self.alpha).sum()
        parts = {"risk": total.item()}
        if self.reference:
            nll = -log_probs[:, 0].sum()  # the reference stands first
        elif self.likelihood:
            nll = cross_entropy(model, batch).total
        else:
            return Loss(total, int(batch.target.mask.sum()), parts)
        total = total + self.likelihood * nll if self.likelihood else total
        return Loss(total, int(batch.target.mask.sum()), {**parts, "nll": nll.item()})

    def _candidates(
        self, drawn: list[list[Output]], references: list[Output]
    ) -> list[list[Output]]:
        first = [[one] for one in references] if self.reference else [[] for _ in references]
        return [list(dict.fromkeys(a + b)) for a, b in zip(first, drawn, strict=True)]


def risk_of(log_probs: Tensor, risks: Tensor, keep: Tensor, alpha: float) -> Tensor:
    """Return the expected risk of each sentence, `[B]`, among the outputs that `keep` marks.

    Q = softmax(alpha * log_probs),   sum_n Q[n] risks[n]          all `[B, N]`
    """
    return (masked_softmax(alpha * log_probs, keep) * risks).sum(dim=1)


def grid(risks: list[list[float]], like: Tensor) -> tuple[Tensor, Tensor]:
    """Put rows of unequal length into a tensor `[B, N]`, and mark which places are real."""
    keep = from_lengths(torch.tensor([len(row) for row in risks]), like.shape[1])
    values = torch.zeros(like.shape, dtype=like.dtype)
    values[keep] = torch.tensor([one for row in risks for one in row], dtype=like.dtype)
    return values.to(like.device), keep.to(like.device)
