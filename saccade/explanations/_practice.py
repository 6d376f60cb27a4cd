"""Short trainings on batches made on the spot, for experiments that take seconds."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.utils import clip_grad_norm_

from saccade.recipe import Training
from saccade.run import threads
from saccade.train.optim import optimiser_of


@dataclass(frozen=True, slots=True)
class Practised:
    """The loss before every update, and the norm of its gradient before it was clipped."""

    losses: list[float]
    norms: list[float]


@contextmanager
def alone(seed: int) -> Iterator[None]:
    """Draw from a seed and compute on one thread for the time of a `with`."""
    with threads(1), torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        yield


def practise(
    model: nn.Module, loss: Callable[[int], Tensor], updates: int, settings: Training
) -> Practised:
    """Update a model so often, as `train/loop` does, with what `loss` is at each update.

    Of the settings count the optimiser, its rate and `clip`. A loss that is no number ends it.
    """
    model.train()
    optimiser, found = optimiser_of(model, settings), Practised([], [])
    for step in range(updates):
        optimiser.zero_grad(set_to_none=True)
        now = loss(step)
        torch.autograd.backward([now])
        norm = clip_grad_norm_(model.parameters(), settings.clip or float("inf"))
        found.losses.append(now.item())
        found.norms.append(norm.item())
        if not now.isfinite() or not norm.isfinite():
            break
        optimiser.step()
    model.eval()
    return found
