"""The score-function estimator for models that choose where to look."""

from typing import Literal

import torch
from torch import Tensor

from saccade.attention.hard import CHOSEN
from saccade.errors import RecipeError
from saccade.flow import Batch, Loss
from saccade.models.base import Model
from saccade.objectives.base import Decode, Moment, Objective

_DECAY = 0.9  # of the moving average, as published


class HardAttention(Objective):
    """The negative log-probability of the target, and its gradient through hard choices.

        loss  = sum_t -log p[y_t] - e H[pi_t]
        grad  = grad sum_t -log p[y_t]  +  r sum_t (R[t] - b[t]) grad log pi_t(s[t])  -  e grad H
        R[t]  = sum_{u >= t} d^(u-t) -log p[y_u]      b[t] = sum_{u >= t} d^(u-t) (loss of a symbol)

    Xu et al. 2015 (arXiv:1502.03044), section 4.1, eqs. 11 and 12, r = `reward`, e = `entropy`. The
    loss of a symbol that is expected before anything is chosen is a moving average over the batches
    before, which checkpoints keep, or with `baseline: others` the mean of the batch's other pairs.
    Where we differ: a choice is paid only for what comes after it, which changes the gradient's
    variance and not its mean; a `discount` d below 1 pays less for what comes later, for less
    variance still and a mean that is no longer exact. Several choices at a step, as in `hops`, are
    paid alike.
    """

    def __init__(
        self,
        decode: Decode,
        *,
        reward: float = 1.0,
        entropy: float = 0.01,
        discount: float = 1.0,
        baseline: Literal["moving", "others"] = "moving",
    ) -> None:
        super().__init__(decode)
        _check(reward, entropy, discount)
        self.reward, self.entropy, self.discount = reward, entropy, discount
        self.moving = baseline == "moving"
        if self.moving:
            self.learned["average"] = torch.zeros(2)  # of losses, and of ones to divide it by

    def __call__(self, model: Model, batch: Batch, moment: Moment) -> Loss:
        """Return the loss with the estimator's gradient; `parts["nll"]` is the plain sum."""
        mask = batch.target.mask
        decoded = model(batch, look=True)
        assert decoded.weights is not None
        log_prob, entropy = _choices(decoded.weights, model.attention_names)  # [B, T]
        total, each = model.head.loss(decoded.features[mask], batch.target.values[mask])
        nll = each.new_zeros(mask.shape).masked_scatter(mask, each)  # [B, T]
        surplus = self._surplus(nll, mask)  # [B, T]
        estimator = (surplus * (log_prob - log_prob.detach()))[mask].sum()  # 0, but its gradient
        total = total + self.reward * estimator - self.entropy * entropy[mask].sum()
        return Loss(total, len(each), {"nll": each.sum().item()})

    def _surplus(self, nll: Tensor, mask: Tensor) -> Tensor:
        """Return `R[t] - b[t]`, and add the batch to the average."""
        later = _from_here_on(nll, self.discount)  # [B, T]
        left = _from_here_on(mask.to(nll), self.discount)  # [B, T]
        if not self.moving:
            others = (nll.sum() - nll.sum(dim=1)) / (mask.sum() - mask.sum(dim=1)).clamp(min=1)
            return later - left * others[:, None]
        average = self.learned["average"]
        expected = average[0] / average[1] if average[1] > 0 else average[0]
        now = torch.stack([nll.sum() / mask.sum(), torch.ones_like(nll[0, 0])]).to(average)
        self.learned["average"] = _DECAY * average + (1 - _DECAY) * now
        return later - left * expected.to(nll)


def _from_here_on(values: Tensor, discount: float) -> Tensor:
    """Sum `values [B, T]` from every place to the end, later ones for less."""
    sums = [values[:, -1]]
    for t in range(values.shape[1] - 2, -1, -1):
        sums.append(values[:, t] + discount * sums[-1])
    return torch.stack(sums[::-1], dim=1)  # [B, T]


def _choices(weights: Tensor, names: tuple[str, ...]) -> tuple[Tensor, Tensor]:
    """Return log-probability of what was chosen and entropy of the choice, each `[B, T]`.

    Where the mean was read nothing was chosen, with certainty.
    """
    hard = [i for i, name in enumerate(names) if name.endswith(CHOSEN)]
    if not hard:
        raise RecipeError(
            "training.objective: hard_attention trains choices, but the model makes none; its"
            f" attention maps are: {', '.join(n or 'nameless' for n in names) or 'none'}. Set the"
            " decoder's attention to hard, or the objective to cross_entropy."
        )
    least = torch.finfo(weights.dtype).tiny
    chosen = weights[:, :, hard]  # [B, T, A / 2, S]
    probability = weights[:, :, [i + 1 for i in hard]]
    log_prob = (chosen * probability).sum(dim=3).clamp(min=least).log()  # [B, T, A / 2]
    entropy = -(probability * probability.clamp(min=least).log()).sum(dim=3)
    log_prob = log_prob * (chosen == 1).any(dim=3)
    return log_prob.sum(dim=2), entropy.sum(dim=2)


def _check(reward: float, entropy: float, discount: float) -> None:
    problems = []
    if reward <= 0:
        problems.append(f"hard_attention.reward: {reward} is not above 0; 1 is the true gradient.")
    if entropy < 0:
        problems.append(f"hard_attention.entropy: {entropy} is below 0; 0 leaves choices alone.")
    if not 0 <= discount <= 1:
        problems.append(f"hard_attention.discount: {discount} is not in [0, 1]; 1 is exact.")
    if problems:
        raise RecipeError(problems)
