"""REINFORCE: raise the probability of outputs that are better than expected."""

from typing import Literal

import torch
from torch import Tensor

from saccade.flow import Batch, Loss
from saccade.models.base import Model
from saccade.objectives._outputs import (
    Risk,
    counted,
    evaluating,
    greedy,
    log_probs_of,
    references_of,
    risks_of,
    sampled,
    weighed,
)
from saccade.objectives.base import Decode, Moment, Objective
from saccade.objectives.cross_entropy import cross_entropy

_FACTS = 5  # what the learned baseline knows of a sentence
_FADE, _RIDGE = 0.99, 1.0


class Reinforce(Objective):
    """The risk of outputs drawn from the model, with the score-function gradient.

        gradient = -sum_x 1/N sum_n (r[n] - b) grad log p(y[n] | x),     r = 1 - risk

    Williams 1992; Ranzato et al. 2016 (arXiv:1511.06732). The value of the loss is the risk itself.
    The baseline b makes the gradient less noisy and, as it does not depend on y[n], not wrong:

    greedy: the reward of greedy output, self-critical (Rennie et al. 2017, arXiv:1612.00563).
    leave_one_out: the mean reward of the sentence's other outputs (Kool et al. 2019).
    learned: ridge regression of rewards on how likely the model finds the reference (mean and least
    log-probability of its symbols, share of them that are the likeliest, log length). It is solved
    anew for every batch from sums over the earlier ones, which fade by 0.99 a batch and are kept in
    checkpoints.

    `likelihood` adds so much of the reference's negative log-probability. Outputs are drawn without
    dropout; their probabilities are computed again with gradient in the mode the model is in.
    """

    def __init__(
        self,
        decode: Decode,
        *,
        risk: Risk = "bleu",
        samples: int = 4,
        baseline: Literal["greedy", "leave_one_out", "learned"] = "greedy",
        likelihood: float = 0.0,
    ) -> None:
        super().__init__(decode)
        self.risk, self.baseline = risk, baseline
        self.samples = counted("reinforce", samples, least=2 if baseline == "leave_one_out" else 1)
        self.likelihood = weighed("reinforce", likelihood)
        if baseline == "learned":
            self.learned["gram"] = torch.zeros(_FACTS, _FACTS, dtype=torch.float64)
            self.learned["cross"] = torch.zeros(_FACTS, dtype=torch.float64)

    def __call__(self, model: Model, batch: Batch, moment: Moment) -> Loss:
        """Return the sum of mean risks; `parts["risk"]` is it without the likelihood."""
        references = references_of(batch)
        outputs = sampled(model, batch, self.samples, moment.generator)
        log_probs = log_probs_of(model, batch.sources, outputs)  # [B, N]
        found = risks_of(self.risk, self.decode, outputs, references)
        risks = torch.tensor(found, dtype=log_probs.dtype, device=log_probs.device)  # [B, N]
        baseline = self._baseline(model, batch, 1 - risks)  # [B, N] or [B, 1]
        total = estimate(log_probs, risks, baseline).sum()
        parts = {"risk": total.item()}
        if self.likelihood:
            forced = cross_entropy(model, batch)
            total, parts = total + self.likelihood * forced.total, {**parts, **forced.parts}
        return Loss(total, int(batch.target.mask.sum()), parts)

    def _baseline(self, model: Model, batch: Batch, rewards: Tensor) -> Tensor:
        if self.baseline == "leave_one_out":
            return leave_one_out(rewards)
        if self.baseline == "greedy":
            written, references = greedy(model, batch), references_of(batch)
            risks = risks_of(self.risk, self.decode, written, references)
            return 1 - torch.tensor(risks, dtype=rewards.dtype, device=rewards.device)  # [B, 1]
        facts = facts_of(model, batch).to("cpu", torch.float64)  # [B, 5]
        weights = regressed(self.learned["gram"], self.learned["cross"])  # [5]
        mean = rewards.mean(dim=1).to("cpu", torch.float64)  # [B]
        self.learned["gram"] = _FADE * self.learned["gram"] + facts.T @ facts
        self.learned["cross"] = _FADE * self.learned["cross"] + facts.T @ mean
        return (facts @ weights).to(rewards)[:, None]  # [B, 1]


def estimate(log_probs: Tensor, risks: Tensor, baseline: Tensor) -> Tensor:
    """Return what has the value of the mean risk, `[B]`, and the gradient of REINFORCE.

    value mean_n risks[n],    gradient -mean_n (1 - risks[n] - baseline) grad log_probs[n]
    """
    surrogate = -(1 - risks - baseline) * log_probs  # [B, N]
    return (risks + surrogate - surrogate.detach()).mean(dim=1)


def leave_one_out(rewards: Tensor) -> Tensor:
    """Return for each output the mean reward of the others, `[B, N]`.

    >>> leave_one_out(torch.tensor([[0.0, 1.0, 2.0]])).tolist()
    [[1.5, 1.0, 0.5]]
    """
    return (rewards.sum(dim=1, keepdim=True) - rewards) / (rewards.shape[1] - 1)


def regressed(gram: Tensor, cross: Tensor) -> Tensor:
    """Solve (gram + I) w = cross."""
    solved: Tensor = torch.linalg.solve(gram + _RIDGE * torch.eye(len(gram)).to(gram), cross)
    return solved


@torch.no_grad()
def facts_of(model: Model, batch: Batch) -> Tensor:
    """Return what the learned baseline knows of each sentence, `[B, 5]`: nothing of the samples."""
    mask, gold = batch.target.mask, batch.target.values
    with evaluating(model):
        log_probs = model.head.log_probs(model(batch).features)  # [B, T, V]
    gains = log_probs.gather(2, gold[:, :, None]).squeeze(2).masked_fill(~mask, 0.0)  # [B, T]
    right = (log_probs.argmax(dim=2) == gold) & mask  # [B, T]
    lengths = batch.target.lengths.to(gains)  # [B]
    columns = [
        torch.ones_like(lengths),
        gains.sum(dim=1) / lengths,
        gains.amin(dim=1),
        right.sum(dim=1) / lengths,
        lengths.log(),
    ]
    return torch.stack(columns, dim=1)
