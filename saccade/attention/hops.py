"""Attention in several rounds: what was read changes what is asked next."""

import torch
from torch import Tensor, nn

from saccade.attention._worked import Asked, Worked, vector
from saccade.attention.base import Attention
from saccade.errors import RecipeError
from saccade.flow import Attended, State, nested
from saccade.parts import Part


class Hops(Attention):
    """Read `rounds` times; each round asks with what the one before has read.

        q[t, 1] = q[t]      c[t, i] = attend(q[t, i])      q[t, i+1] = q[t, i] + H c[t, i]

    and c[t, rounds] is read. Sukhbaatar et al. 2015 (arXiv:1503.08895), section 2.2, with the
    weights of all rounds shared ("layer-wise"). `attention` is any attention; if it remembers, each
    round remembers for itself.
    """

    def __init__(
        self,
        query_dim: int,
        key_dim: int,
        *,
        rounds: int = 2,
        attention: Part[Attention] = Part(Attention, "additive"),
    ) -> None:
        super().__init__(query_dim, key_dim)
        self.inner = attention.build(query_dim, key_dim)
        _check(rounds, self.inner)
        self.rounds = rounds
        self.recurrent, self.normalised = self.inner.recurrent, self.inner.normalised
        self.hard = self.inner.hard
        self.H = nn.Linear(self.inner.context_dim, query_dim, bias=False)
        nn.init.xavier_uniform_(self.H.weight)

    @property
    def context_dim(self) -> int:
        """That of the attention."""
        return self.inner.context_dim

    @property
    def names(self) -> tuple[str, ...]:
        """Round by round, the attention's own."""
        return tuple(
            f"round {i + 1} {name}".strip() for i in range(self.rounds) for name in self.inner.names
        )

    def prepare(self, states: Tensor) -> State:
        """Prepare once for all rounds."""
        return self.inner.prepare(states)

    def start(self, prepared: State) -> State:
        """Start every round."""
        return {str(i): self.inner.start(prepared) for i in range(self.rounds)}

    def forward(
        self, query: Tensor, prepared: State, mask: Tensor, state: State, *, look: bool = False
    ) -> Attended:
        """Read, ask again, read again."""
        after: State = {}
        maps = []
        context = query[:, :, :0]
        for i in range(self.rounds):
            query = query + self.H(context) if i else query  # [B, T, Q]
            read = self.inner(query, prepared, mask, nested(state, str(i)), look=look)
            context, weights, after[str(i)] = read
            if weights is not None:
                maps.append(weights)
        return Attended(context, torch.cat(maps, dim=2) if maps else None, after)

    def work(self, asked: Asked) -> tuple[Worked, ...]:
        """The attention's own steps, round by round, and what is asked next."""
        found, names, query = list[Worked](), iter(self.names), asked.query
        for i in range(self.rounds):
            own = asked._replace(query=query, state=nested(asked.state, str(i)))
            works = self.inner.work(own)
            query = query + self.H(works[-1].steps[-1].value)  # [1, 1, Q]
            more = [vector("q + H c, asked next", query[0, 0])] if i + 1 < self.rounds else []
            found += [one._replace(name=next(names)).then(*more) for one in works]
        return tuple(found)


def _check(rounds: int, inner: Attention) -> None:
    problems = []
    if rounds < 2:
        problems.append(f"hops.rounds: {rounds} is below 2; one round is the attention itself.")
    if not inner.context_dim:
        problems.append("hops.attention: it reads nothing, so there is nothing to ask with again.")
    if problems:
        raise RecipeError(problems)
