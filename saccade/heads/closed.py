"""A softmax for models that know where an output ends: END is forced there, forbidden elsewhere."""

from typing import ClassVar

import torch
from torch import Tensor, nn

from saccade.heads.base import Categorical
from saccade.kernels.precision import restored
from saccade.tokenizers._vocabulary import END

FAR = -30.0  # the log-probability of what cannot be: finite, so that smoothing may add it up


class ClosedHead(Categorical):
    """Says how likely every symbol is; whether the output has ended is the last of the features.

    p = softmax(O f + b), as `closed` corrects it
    """

    general: ClassVar[bool] = False

    def __init__(self, width: int, size: int, tied: nn.Parameter | None) -> None:
        super().__init__(width, size)
        self.output = nn.Linear(width, size)

    def log_probs(self, features: Tensor) -> Tensor:
        """Project features `[..., D + 1]` to log-probabilities `[..., V]`."""
        return closed(self.output(features[..., :-1]), features[..., -1] > 0)


def flagged(features: Tensor, ended: Tensor) -> Tensor:
    """Write behind features `[..., D]` whether the output has ended, `[...]`: `[..., D + 1]`."""
    return torch.cat([features, ended[..., None].to(features.dtype)], dim=-1)


def closed(logits: Tensor, ended: Tensor) -> Tensor:
    """Return log-probabilities `[..., V]` of which END has all where `ended`, and none elsewhere.

        log p[v] = 0 if v = END else FAR                        where the output has ended
        log p[v] = FAR if v = END else log softmax(l)[v]        elsewhere, END left out

    Args:
        logits: `[..., V]`.
        ended: bool, `[...]`.
    """
    logits, end = restored(logits), torch.tensor([END], device=logits.device)
    others = logits.index_fill(-1, end, -torch.inf).log_softmax(dim=-1)
    going_on = others.index_fill(-1, end, FAR)
    at_end = torch.full_like(logits, FAR).index_fill(-1, end, 0.0)
    return torch.where(ended[..., None], at_end, going_on)
