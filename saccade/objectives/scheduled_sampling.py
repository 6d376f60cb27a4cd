"""Scheduled sampling: learn to go on from one's own mistakes."""

import math
from dataclasses import replace
from typing import Literal

import torch
from torch import Tensor

from saccade.errors import RecipeError
from saccade.flow import Batch, Loss
from saccade.heads.base import smoothed
from saccade.models.base import Model, writer
from saccade.objectives.base import Decode, Moment, Objective
from saccade.objectives.cross_entropy import checked, cross_entropy


class ScheduledSampling(Objective):
    """Cross-entropy where some symbols of the prefix are the model's own.

        prefix[t + 1] = y[t] with probability 1 - p[i], else what the model writes at t
        constant          p[i] = p
        linear            p[i] = min(p, i / steps)
        exponential       p[i] = min(p, 1 - exp(-i / steps))
        inverse_sigmoid   p[i] = min(p, 1 - k / (k + exp(i / k))),  k = steps

    at update i: the probability 1 - p[i] of the reference decays as in Bengio et al. 2015
    (arXiv:1506.03099), section 2.4. The model writes its likeliest symbol, or one by chance
    (`choice`), and no gradient flows through what it wrote.

    parallel: all own symbols come from a first pass over the true prefix, so that there are two
    passes whatever the length (Mihaylova & Martins 2019, arXiv:1906.07651). For every model.
    sequential: each comes from the mixed prefix before it, as first proposed; T steps, so slow.
    """

    def __init__(
        self,
        decode: Decode,
        *,
        p: float = 0.25,
        schedule: Literal["constant", "linear", "exponential", "inverse_sigmoid"] = "constant",
        steps: int = 1000,
        form: Literal["parallel", "sequential"] = "parallel",
        choice: Literal["sample", "argmax"] = "sample",
        smoothing: float = 0.1,
    ) -> None:
        super().__init__(decode)
        self.p, self.schedule, self.steps, self.form, self.choice = p, schedule, steps, form, choice
        self.smoothing = checked(smoothing, "scheduled_sampling")
        problems = []
        if not 0 <= p <= 1:
            problems.append(f"scheduled_sampling.p: {p} is not in [0, 1]; 0 is off.")
        if steps < 1:
            problems.append(f"scheduled_sampling.steps: {steps} is below 1; p grows in 1 or more.")
        if problems:
            raise RecipeError(problems)

    def __call__(self, model: Model, batch: Batch, moment: Moment) -> Loss:
        """Return the smoothed sum; `parts["nll"]` is the plain one, both given the mixed prefix."""
        own = self._places(batch, moment)  # [B, T]
        if self.form == "sequential":
            return self._sequential(model, batch, own, moment.generator)
        mixed = self._mixed(model, batch, own, moment.generator) if own.any() else batch
        return cross_entropy(model, mixed, self.smoothing)

    def probability(self, step: int) -> float:
        """Return p[i]."""
        k = float(self.steps)
        grown = {
            "constant": 1.0,
            "linear": step / k,
            "exponential": -math.expm1(-step / k),
            "inverse_sigmoid": 1 / (1 + math.exp(min(math.log(k) - step / k, 700.0))),
        }
        return min(self.p, grown[self.schedule])

    def _places(self, batch: Batch, moment: Moment) -> Tensor:
        """Mark the places of the prefix that hold the model's own symbols; never that of START."""
        chance = torch.rand(batch.prefix.shape, generator=moment.generator)  # [B, T]
        own = (chance < self.probability(moment.step)).to(batch.prefix.device)
        own = own & batch.target.mask  # [B, T]
        own[:, 0] = False
        return own

    @torch.no_grad()
    def _mixed(self, model: Model, batch: Batch, own: Tensor, generator: torch.Generator) -> Batch:
        before = own.roll(-1, dims=1)  # [B, T], the places where those symbols are written
        log_probs = model.head.log_probs(model(batch).features[before])  # [N, V]
        prefix = batch.prefix.masked_scatter(own, self._choose(log_probs, generator))  # [B, T]
        return replace(batch, prefix=prefix)

    def _sequential(
        self, model: Model, batch: Batch, own: Tensor, generator: torch.Generator
    ) -> Loss:
        written = writer(model)
        state, token = written.start(batch.sources), batch.prefix[:, 0]
        columns: list[Tensor] = []
        for t in range(own.shape[1]):
            if t:
                wrote = self._choose(columns[-1].detach()[own[:, t]], generator)
                token = batch.prefix[:, t].masked_scatter(own[:, t], wrote)  # [B]
            log_probs, state = written.step(token, state)
            columns.append(log_probs)
        mask = batch.target.mask
        log_probs = torch.stack(columns, dim=1)[mask]  # [N, V]
        total, nll = smoothed(log_probs, batch.target.values[mask], self.smoothing)
        return Loss(total, len(nll), {"nll": nll.sum().item()})

    def _choose(self, log_probs: Tensor, generator: torch.Generator) -> Tensor:
        """Return one symbol for each row of `[N, V]`, `[N]`."""
        if self.choice == "argmax" or not len(log_probs):
            return log_probs.argmax(dim=1)
        drawn = torch.multinomial(log_probs.exp().to(generator.device), 1, generator=generator)
        return drawn.squeeze(1).to(log_probs.device)
