"""Sampling: draw symbols by chance, as likely as the model finds them."""

import hashlib
from typing import ClassVar

import torch
from torch import Tensor

from saccade.errors import RecipeError
from saccade.flow import State, StepFunction
from saccade.search._best import Array
from saccade.search._rules import NEVER, Rules
from saccade.search._tree import paths
from saccade.search._write import write
from saccade.search.base import Found, Search, Task

BELOW_ONE = 1 - 1e-6  # keeps rounding from drawing beyond the last symbol


class Sample(Search):
    """Draw `n` outputs, each symbol from the sharpened and truncated distribution.

        q(v) ~ p(v) ** (1 / temperature)      among the `top_k` likeliest (0: all) and, of these,
                                              the fewest that together have probability `top_p`
        y[t] = first v with q(0) + ... + q(v) > u[t],      u[t] uniform in [0, 1)

    The numbers u of a row come from `task.generator` if there is one; otherwise from a generator of
    the row's own, seeded by `seed` and `task.keys[b]`, so that a row's outputs do not depend on its
    batch and a smaller n draws a part of what a larger draws. Scores and `token_scores` are the
    model's own log-probabilities, before `temperature`. Outputs may repeat; the likeliest is first.

    Top-k: Fan, Lewis & Dauphin 2018 (arXiv:1805.04833); top-p, the nucleus: Holtzman et al. 2020
    (arXiv:1904.09751).
    """

    once: ClassVar[bool] = True
    draws: ClassVar[bool] = True

    def __init__(
        self,
        *,
        temperature: float = 1.0,
        top_k: int = 0,
        top_p: float = 1.0,
        n: int = 1,
        seed: int = 1,
    ) -> None:
        self.lines = n
        self.temperature, self.top_k, self.top_p, self.n, self.seed = (
            temperature,
            top_k,
            top_p,
            n,
            seed,
        )
        problems = []
        if temperature <= 0:
            problems.append(
                f"sample.temperature: {temperature} is not above 0; greedy is the limit."
            )
        if top_k < 0:
            problems.append(f"sample.top_k: {top_k} is below 0; 0 means all symbols.")
        if not 0 < top_p <= 1:
            problems.append(f"sample.top_p: {top_p} is not in (0, 1]; 1 means all symbols.")
        if n < 1:
            problems.append(f"sample.n: {n} is below 1; draw 1 output or more.")
        if problems:
            raise RecipeError(problems)

    @torch.no_grad()
    def __call__(
        self, step: StepFunction, state: State, task: Task, *, trace: bool = False
    ) -> list[Found]:
        """Draw from `state`, one row a sentence; the tree holds the paths of the draws."""
        chance = self._chance(task)  # [B * n, T]

        def draw(log_probs: Tensor, lines: Array, t: int) -> tuple[Array, Array]:
            q = self._truncate(log_probs / self.temperature).softmax(dim=1)  # [N, V]
            reached = q.cumsum(dim=1)  # [N, V]
            wanted = chance[torch.from_numpy(lines), t] * BELOW_ONE * reached[:, -1]  # [N]
            token = (reached <= wanted[:, None]).sum(dim=1).clamp(max=q.shape[1] - 1)  # [N]
            gain = log_probs.gather(1, token[:, None])[:, 0]  # [N]
            return token.numpy(force=True), gain.numpy(force=True)

        written = write(step, state, task, draw, self.n)
        ranked = [sorted(h, key=lambda h: (not h.finished, -h.score)) for h in written]
        return [Found(tuple(h), paths(h, task.end) if trace else ()) for h in ranked]

    def _chance(self, task: Task) -> Tensor:
        """Draw all uniform numbers beforehand, `[B * n, T]`."""
        rules, device = Rules(task), task.limits.device
        if task.generator is not None:
            shape = len(rules.limits) * self.n, rules.n_steps
            own = task.generator.device
            return torch.rand(shape, generator=task.generator, device=own).to(device)
        chance = torch.zeros(len(rules.limits), self.n, rules.n_steps)
        for row, (limit, key) in enumerate(
            zip(rules.limits.tolist(), task.keys or [0] * len(rules.limits), strict=True)
        ):
            generator = torch.Generator().manual_seed(row_seed(self.seed, key))
            chance[row, :, : limit + 1] = torch.rand(self.n, limit + 1, generator=generator)
        return chance.flatten(0, 1).to(device)

    def _truncate(self, scores: Tensor) -> Tensor:
        """Give all but the likeliest symbols the score -inf; of equals the lower ids stay."""
        if not self.top_k and self.top_p == 1:
            return scores
        ordered, place = scores.sort(dim=1, descending=True, stable=True)  # [N, V]
        if self.top_k:
            ordered[:, self.top_k :] = NEVER
        p = ordered.softmax(dim=1)  # [N, V]
        ordered = ordered.masked_fill(p.cumsum(dim=1) - p >= self.top_p, NEVER)
        return scores.scatter(1, place, ordered)


def row_seed(seed: int, key: int) -> int:
    """Make one seed of two numbers, with no pattern between neighbours."""
    return int.from_bytes(hashlib.blake2b(f"{seed} {key}".encode(), digest_size=7).digest())
