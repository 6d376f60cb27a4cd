"""What an eye learns by: right labels, and reward for the places that led to them."""

from typing import Literal

import torch
from torch import Tensor

from saccade.errors import RecipeError
from saccade.flow import Batch, Loss, Padded
from saccade.models.base import Model
from saccade.models.recurrent_attention import Gaze, RecurrentAttention
from saccade.objectives._outputs import weighed
from saccade.objectives.base import Decode, Moment, Objective

_MOST = 64  # copies


class GazeObjective(Objective):
    """The label's loss, and the score-function gradient for where the eye went.

        r = 1 if the label is right, else 0            of: right
        r = p(y | x, l)                                of: probability
        a[n] = r - e[n], less the mean of it over the other looks at the same picture
        loss = -log p(y | x, l) - reward sum_n a[n] log p(l[n] | h[n-1]) + sum_n (r - e[n])^2

    Mnih et al. 2014 (arXiv:1406.6247), equations 3 and 5. e[n], the reward to expect, is learned by
    the last term; it is a constant in the middle one. The value of the loss is of no use by itself:
    `nll` and `reward` are logged.

    of: the probability is what the first kind of reward would be on average if the label were drawn
    from the softmax: less noise.  copies: how many looks are taken of each picture. Several tell
    how good a look was for its picture (Kool et al. 2019, "Buy 4 REINFORCE samples, get a baseline
    for free!"). All of them count in the loss.
    """

    def __init__(
        self,
        decode: Decode,
        *,
        reward: float = 1.0,
        of: Literal["right", "probability"] = "right",
        copies: int = 1,
    ) -> None:
        super().__init__(decode)
        self.reward, self.of = weighed("gaze", reward), of
        if not 1 <= copies <= _MOST:
            raise RecipeError(f"gaze.copies: found {copies}; expected 1 to {_MOST}. Change it.")
        self.copies = copies

    def __call__(self, model: Model, batch: Batch, moment: Moment) -> Loss:
        """Return the sum over the batch; places are drawn by the moment's generator."""
        if not isinstance(model, RecurrentAttention) or not model.glimpse.hard:
            raise RecipeError(
                "training.objective: gaze trains an eye that chooses where to look, but this model"
                " has none; expected recurrent_attention with the glimpse retina. Set the objective"
                " to cross_entropy."
            )
        gaze = model.look_around(_repeated(batch.source, self.copies), moment.generator)
        target = _repeated(batch.target, self.copies)
        features = model.lay({"features": gaze.features}, batch.prefix.shape[1]).features
        total, nll = model.head.loss(features[target.mask], target.values[target.mask])
        reward = rewards(model, gaze, target.values[:, 0], self.of)  # [B copies]
        surprise = reward[:, None] - gaze.expected  # [B copies, N - 1]
        places = -(_centred(surprise.detach(), self.copies) * gaze.log_probs).sum()
        total = total + self.reward * places + surprise.square().sum()
        parts = {"nll": nll.sum().item(), "reward": reward.sum().item()}
        return Loss(total, len(nll), parts)


@torch.no_grad()
def rewards(model: RecurrentAttention, gaze: Gaze, labels: Tensor, of: str = "right") -> Tensor:
    """Return how good each row is, `[B]`: is its label the likeliest, or how likely is it."""
    features = model.lay({"features": gaze.features}, 1).features  # [B, 1, D + 1]
    log_probs = model.head.log_probs(features)[:, 0]  # [B, V]
    if of == "probability":
        return log_probs.gather(1, labels[:, None])[:, 0].exp()
    return (log_probs.argmax(dim=1) == labels).to(gaze.expected.dtype)


def _repeated(given: Padded, copies: int) -> Padded:
    """Take every row so often, all rows once before any comes again."""
    if copies == 1:
        return given
    values, mask = (torch.cat([one] * copies) for one in (given.values, given.mask))
    return Padded(values, mask)


def _centred(surprise: Tensor, copies: int) -> Tensor:
    """Subtract the mean of the other copies of each row, if there are any: `[B copies, N - 1]`."""
    if copies == 1:
        return surprise
    rows = surprise.view(copies, -1, surprise.shape[1])  # [copies, B, N - 1]
    apart: Tensor = (rows - rows.mean(dim=0)) * copies / (copies - 1)
    return apart.flatten(0, 1)
