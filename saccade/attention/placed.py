"""Attention whose keys know where they stand."""

from torch import Tensor

from saccade.attention._worked import WorkedStep
from saccade.attention.base import ScoredAttention, Weighted
from saccade.flow import State, masked_softmax, tensor
from saccade.parts import Part
from saccade.positions.base import Positions


class Placed(Weighted):
    """Score states with their position added; read the states without it.

        e[t, s] = score(q[t], h[s] + P[s])      c[t] = sum_s softmax_s(e[t, s]) h[s]

    Position in the key, as Gehring et al. 2017 (arXiv:1705.03122), section 3.3, have it in keys and
    values. `score` is any attention that has one. The keys are computed in `start`, when the memory
    is whole and its places can be numbered.
    """

    weighing = "a = softmax(e)"

    def __init__(
        self,
        query_dim: int,
        key_dim: int,
        *,
        positions: Part[Positions] = Part(Positions, "learned"),
        score: Part[ScoredAttention] = Part(ScoredAttention, "bilinear"),
    ) -> None:
        super().__init__(query_dim, key_dim)
        self.positions = positions.build(key_dim, None)
        self.inner = score.build(query_dim, key_dim)

    def keys(self, states: Tensor) -> Tensor:
        """The states, until their places can be numbered."""
        return states

    def start(self, prepared: State) -> State:
        """Number the places and compute the keys of the score."""
        return {"placed": self.inner.keys(self.positions(tensor(prepared, "keys")))}

    def weigh(
        self, query: Tensor, keys: Tensor, mask: Tensor, state: State
    ) -> tuple[Tensor, State]:
        """Softmax over the kept places."""
        scores = self.inner.score(query, tensor(state, "placed"))  # [B, T, S]
        return masked_softmax(scores, mask), state

    def scoring(self, query: Tensor, keys: Tensor, state: State) -> tuple[WorkedStep, ...]:
        """Those of the score, of states with their position."""
        return self.inner.scoring(query, tensor(state, "placed")[0], {})
