"""What an eye learns by: right labels, and reward for the places that led to them."""

import torch
from torch import Tensor

from saccade.errors import RecipeError
from saccade.flow import Batch, Loss
from saccade.models.base import Model
from saccade.models.recurrent_attention import Gaze, RecurrentAttention
from saccade.objectives._outputs import weighed
from saccade.objectives.base import Decode, Moment, Objective


class GazeObjective(Objective):
    """The label's loss, and the score-function gradient for where the eye went.

        r = 1 if the label is right, else 0
        loss = -log p(y | x, l) - reward sum_n (r - e[n]) log p(l[n] | h[n-1]) + sum_n (r - e[n])^2

    Mnih et al. 2014 (arXiv:1406.6247), equations 3 and 5. e[n], the reward to expect, is learned by
    the last term; it is a constant in the middle one. The value of the loss is of no use by itself:
    `nll` and `reward` are logged.
    """

    def __init__(self, decode: Decode, *, reward: float = 1.0) -> None:
        super().__init__(decode)
        self.reward = weighed("gaze", reward)

    def __call__(self, model: Model, batch: Batch, moment: Moment) -> Loss:
        """Return the sum over the batch; places are drawn by the moment's generator."""
        if not isinstance(model, RecurrentAttention) or not model.glimpse.hard:
            raise RecipeError(
                "training.objective: gaze trains an eye that chooses where to look, but this model"
                " has none; expected recurrent_attention with the glimpse retina. Set the objective"
                " to cross_entropy."
            )
        gaze = model.look_around(batch.source, moment.generator)
        mask = batch.target.mask
        features = model.lay({"features": gaze.features}, batch.prefix.shape[1]).features
        total, nll = model.head.loss(features[mask], batch.target.values[mask])
        reward = rewards(model, gaze, batch)  # [B]
        surprise = reward[:, None] - gaze.expected  # [B, N - 1]
        places = -(surprise.detach() * gaze.log_probs).sum()
        total = total + self.reward * places + surprise.square().sum()
        parts = {"nll": nll.sum().item(), "reward": reward.sum().item()}
        return Loss(total, len(nll), parts)


@torch.no_grad()
def rewards(model: RecurrentAttention, gaze: Gaze, batch: Batch) -> Tensor:
    """Return 1 for every row whose likeliest label is the right one, else 0: `[B]`."""
    features = model.lay({"features": gaze.features}, 1).features  # [B, 1, D + 1]
    found = model.head.log_probs(features)[:, 0].argmax(dim=1)  # [B]
    return (found == batch.target.values[:, 0]).to(gaze.features.dtype)
