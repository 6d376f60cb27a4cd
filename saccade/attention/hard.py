"""Hard attention: read one place, drawn from the weights."""

from typing import Literal

import torch
from torch import Tensor

from saccade.attention._worked import Asked, Worked, WorkedStep, work_of
from saccade.attention.base import Attention, ScoredAttention
from saccade.errors import RecipeError
from saccade.flow import Attended, State, masked_softmax, tensor
from saccade.parts import Part

CHOSEN, PROBABILITY = "chosen", "probability"  # the names of its two maps, in this order


class Hard(Attention):
    """Choose one place and read it alone.

        pi[t, s] = softmax_s(score(q[t], h[s]))      s[t] ~ pi[t]      c[t] = h[s[t]]

    Xu et al. 2015 (arXiv:1502.03044), section 4.1. In training a place is drawn; afterwards the
    likeliest is taken, or with `choose: sample` one is drawn with random numbers that depend on
    `seed` and t alone, so that a sentence reads the same in any batch. `score` is any attention
    that has one. In training a share `soft` of the queries read the mean `sum_s pi[t, s] h[s]`
    instead, the paper's way to less variance (it takes one half).

    A choice has no gradient. Both maps are returned by `look`: where it looked, one-hot, and the
    probabilities it drew from, through which `objectives/hard_attention.py` trains the score.
    """

    hard = True

    def __init__(
        self,
        query_dim: int,
        key_dim: int,
        *,
        score: Part[ScoredAttention] = Part(ScoredAttention, "additive"),
        choose: Literal["argmax", "sample"] = "argmax",
        soft: float = 0.0,
        seed: int = 1,
    ) -> None:
        super().__init__(query_dim, key_dim)
        if not 0 <= soft <= 1:
            raise RecipeError(f"hard.soft: {soft} is not in [0, 1]; 0 always chooses.")
        self.inner = score.build(query_dim, key_dim)
        self.recurrent = choose == "sample"
        self.soft, self.seed = soft, seed

    @property
    def context_dim(self) -> int:
        """The width of a state."""
        return self.key_dim

    @property
    def names(self) -> tuple[str, ...]:
        """Where it looked, and what it drew from."""
        return (CHOSEN, PROBABILITY)

    def prepare(self, states: Tensor) -> State:
        """Compute the keys of the score; the values are the states."""
        return {"keys": self.inner.keys(states), "values": states}

    def start(self, prepared: State) -> State:
        """Number the first query 0, if numbers are needed to draw."""
        if not self.recurrent:
            return {}
        values = tensor(prepared, "values")
        return {"step": torch.zeros(values.shape[0], dtype=torch.long, device=values.device)}  # [B]

    def forward(
        self, query: Tensor, prepared: State, mask: Tensor, state: State, *, look: bool = False
    ) -> Attended:
        """Choose a place for every query."""
        scores = self.inner.score(query, tensor(prepared, "keys"))  # [B, T, S]
        probability = masked_softmax(scores, mask)  # [B, T, S]
        chosen = self._choose(probability.detach(), state)  # [B, T, S]
        if self.training and self.soft:
            meant = torch.rand_like(chosen[:, :, :1]) < self.soft  # [B, T, 1]
            chosen = torch.where(meant, probability, chosen)
        context = chosen @ tensor(prepared, "values")  # [B, T, D]
        weights = torch.stack([chosen, probability], dim=2) if look else None  # [B, T, 2, S]
        after: State = {name: tensor(state, name) + query.shape[1] for name in state}
        return Attended(context, weights, after)

    def work(self, asked: Asked) -> tuple[Worked, ...]:
        """The steps of the score, the probabilities, and the choice."""
        keys, values = tensor(asked.prepared, "keys"), tensor(asked.prepared, "values")[0]
        read = self(asked.query, asked.prepared, asked.mask, asked.state, look=True)
        chosen, probability = read.weights[0, 0]  # 2 x [S]
        steps = self.inner.scoring(asked.query[0, 0], keys[0], {})
        steps = (*steps, WorkedStep("π = softmax(e)", probability))
        work = work_of(CHOSEN, steps, WorkedStep("a, chosen by π", chosen), values, asked.mask)
        return work, work._replace(name=PROBABILITY, weights=probability)

    def _choose(self, probability: Tensor, state: State) -> Tensor:
        if self.training:
            return draw(probability, torch.rand_like(probability[:, :, 0]))
        if not self.recurrent:
            return _marked(probability.argmax(dim=2), probability)
        t = torch.arange(probability.shape[1], device=probability.device)  # [T]
        t = tensor(state, "step")[:, None] + t  # [B, T]
        generator = torch.Generator().manual_seed(self.seed)
        table = torch.rand(int(t.max()) + 1, generator=generator, dtype=torch.float64)
        return draw(probability, table.to(probability)[t])


def draw(probability: Tensor, uniform: Tensor) -> Tensor:
    """Mark in each row the first place at which the sum of probabilities is above the number.

    Args:
        probability: `[B, T, S]`, each row sums to one, or to zero: then no place is marked.
        uniform: `[B, T]`, in [0, 1).
    """
    sums = probability.cumsum(dim=2)  # [B, T, S]
    below = sums <= uniform[:, :, None] * sums[:, :, -1:]
    return _marked(below.sum(dim=2).clamp(max=probability.shape[2] - 1), probability)


def _marked(place: Tensor, probability: Tensor) -> Tensor:
    """Make `place [B, T]` one-hot, or nothing where there is no probability at all."""
    every = torch.arange(probability.shape[2], device=place.device)  # [S]
    marked = (every == place[:, :, None]).to(probability)  # [B, T, S]
    return marked * (probability.sum(dim=2, keepdim=True) > 0)
