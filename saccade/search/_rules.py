"""What every search must obey: limits, banned symbols, forced prefixes, shapers."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from saccade.errors import DataError, RecipeError, ShapeError
from saccade.flow import State, tensor
from saccade.nouns import Hypothesis
from saccade.search.base import COVERED, Task

NEVER = float("-inf")


class Rules:
    """A task made ready for searching.

    limits: `[B]`, most symbols of each output, END not counted.  n_steps: steps the longest needs,
    END counted.
    """

    def __init__(self, task: Task) -> None:
        _check(task)
        device = task.limits.device
        prefixes = task.prefixes or [()] * len(task.limits)
        longest = max(map(len, prefixes), default=0)
        padded = [[*prefix, *[-1] * (longest - len(prefix))] for prefix in prefixes]
        lengths = torch.tensor([len(prefix) for prefix in prefixes])  # [B]
        self.forced = torch.tensor(padded, dtype=torch.long, device=device)  # [B, P]
        self.n_forced = longest
        self.limits = torch.maximum(task.limits.long(), lengths.to(device, torch.long))  # [B]
        self.n_steps = int(self.limits.max()) + 1 if len(task.limits) else 0
        self.banned = torch.tensor(task.banned, dtype=torch.long, device=device)
        self.shapers = tuple(task.shapers)

    def edit(self, log_probs: Tensor, prefixes: Tensor, rows: Tensor) -> Tensor:
        """Give what may not be written next the log-probability -inf.

        Args:
            log_probs: `[N, V]`, from the model; they may be written over.
            prefixes: `[N, t]`, what has been written.
            rows: `[N]`, the sentence each line belongs to.
        """
        given = log_probs.float()
        log_probs = given
        for shaper in self.shapers:
            log_probs = shaper(prefixes, log_probs)
        step = prefixes.shape[1]
        if step >= self.n_forced:
            return log_probs.index_fill_(1, self.banned, NEVER)  # [N, V]
        token = self.forced[rows, step][:, None]  # [N, 1]
        place = token.clamp(min=0)
        gain = given.gather(1, place)  # [N, 1], whatever a shaper says of it
        free = log_probs.index_fill_(1, self.banned, NEVER)  # [N, V]
        only = torch.full_like(free, NEVER).scatter(1, place, gain)  # [N, V]
        return torch.where(token >= 0, only, free)


def normalise(log_prob: Any, length: Any, alpha: float, offset: float = 0.0) -> Any:
    """Score a hypothesis so that long ones are not at a loss.

    score = log_prob / ((offset + length) / (offset + 1)) ** alpha

    The length counts END; alpha 0 leaves log_prob. Both are numbers or arrays of numpy; a score is
    single precision as the log-probabilities are.
    """
    return log_prob / penalty(length, alpha, offset)


def penalty(length: Any, alpha: float, offset: float = 0.0) -> Any:
    """Tell what the log-probability of so many symbols is divided by."""
    longer = np.maximum(length, 1).astype(np.float32) + np.float32(offset)
    return (longer / np.float32(offset + 1.0)) ** np.float32(alpha)


def coverage(state: State, beta: float, search: str) -> NDArray[Any]:
    """Tell what places that were read too little cost each line, `[N]`.

        cp = beta sum_s log min(covered[s], 1)        covered[s] = sum_t a[t, s]

    A place that was never read counts as the smallest normal number, so that scores stay finite.
    """
    if not beta:
        return np.zeros(1, dtype=np.float32)
    if COVERED not in state:
        raise RecipeError(
            f"{search}.coverage_penalty: the states of this model do not tell what was read;"
            " expected a model with attention, searched by torch. Leave it out."
        )
    covered = tensor(state, COVERED)  # [N, S]
    least = torch.finfo(covered.dtype).tiny
    lost = covered.clamp(min=least, max=1.0).log().sum(dim=1)  # [N]
    return np.asarray(beta * lost.numpy(force=True), dtype=np.float32)


def read(
    tokens: list[int], token_scores: list[float], length: int, score: float, end: int
) -> Hypothesis:
    """Make a hypothesis of the first `length` tokens of a line, the last of which may be END."""
    finished = length > 0 and tokens[length - 1] == end
    return Hypothesis(
        tuple(tokens[: length - finished]), score, tuple(token_scores[:length]), finished
    )


def _check(task: Task) -> None:
    n = len(task.limits)
    for name, given in (("prefixes", task.prefixes), ("keys", task.keys)):
        if len(given) not in (0, n):
            raise ShapeError(
                f"search: task has {len(given)} {name} for {n} sentences;"
                f" expected one each or none; give {n} or leave {name} out."
            )
    for row, prefix in enumerate(task.prefixes):
        if task.end in prefix or any(token < 0 for token in prefix):
            raise DataError(
                f"search: the prefix of sentence {row} is {tuple(prefix)}; expected symbols that an"
                f" output can begin with; take END ({task.end}) and negative ids out of it."
            )
