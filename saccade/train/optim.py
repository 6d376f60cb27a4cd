"""The optimiser, a moving average of the weights, and how both are saved."""

import torch
from torch import Tensor, nn
from torch.autograd.graph import increment_version
from torch.optim import SGD, AdamW

from saccade.recipe import Training


def optimiser_of(model: nn.Module, settings: Training) -> AdamW | SGD:
    """Make AdamW (Loshchilov & Hutter 2019, arXiv:1711.05101) or SGD, no decay on vectors."""
    matrices = [p for p in model.parameters() if p.ndim >= 2]
    vectors = [p for p in model.parameters() if p.ndim < 2]
    groups = [
        {"params": matrices, "weight_decay": settings.weight_decay},
        {"params": vectors, "weight_decay": 0.0},
    ]
    betas, rate = (settings.betas[0], settings.betas[1]), settings.learning_rate
    optimiser: AdamW | SGD = SGD(groups, lr=rate, fused=True)
    if settings.optimiser == "adamw":
        optimiser = AdamW(groups, lr=rate, betas=betas, eps=1e-9, fused=True)
    every = [*matrices, *vectors]  # the fused kernel does not count that it wrote to them
    optimiser.register_step_post_hook(lambda *_: increment_version(every))
    return optimiser


def moments(model: nn.Module, optimiser: AdamW | SGD) -> dict[str, Tensor]:
    """Return the optimiser's tensors under the names of the parameters; SGD has none."""
    return {
        f"adam.{kind}.{name}": value
        for name, parameter in model.named_parameters()
        for kind, value in optimiser.state[parameter].items()
    }


def put_moments(model: nn.Module, optimiser: AdamW | SGD, tensors: dict[str, Tensor]) -> None:
    """Give back what `moments` returned."""
    for name, parameter in model.named_parameters():
        for kind in ("step", "exp_avg", "exp_avg_sq"):
            if f"adam.{kind}.{name}" in tensors:
                optimiser.state[parameter][kind] = tensors[f"adam.{kind}.{name}"].clone()


class MovingAverage:
    """An exponential moving average of the weights.

        m = d m + (1 - d) w,    d = min(decay, (1 + n) / (10 + n)) at step n

    Polyak & Juditsky 1992, with a decay that grows while there is little to average.
    """

    def __init__(self, model: nn.Module, decay: float) -> None:
        self.decay = decay
        self.weights = {name: p.detach().clone() for name, p in model.named_parameters()}

    @torch.no_grad()
    def update(self, model: nn.Module, step: int) -> None:
        """Move towards the model's weights."""
        decay = min(self.decay, (1 + step) / (10 + step))
        own = list(self.weights.values())
        torch._foreach_lerp_(own, [p.detach() for p in model.parameters()], 1 - decay)
