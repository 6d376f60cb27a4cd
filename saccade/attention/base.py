"""What attention is: a query asks every place how well it fits, and reads their mixture.

    e[t, s] = score(q[t], h[s])      a[t, s] = softmax_s(e[t, s])      c[t] = sum_s a[t, s] v[s]

Layers of abstraction, from free to ready-made:

    Attention     anything that reads a memory
    Weighted      reads the sum of the states under weights; a part says how to weigh
    ScoredAttention        weighs by a softmax over the kept places; a part says only how to score
    Remembering   weighs one query after the other, knowing how it weighed before
"""

from abc import ABC, abstractmethod

import torch
from torch import Tensor, nn

from saccade.attention._worked import Asked, Worked, WorkedStep, vector, work_of
from saccade.errors import ShapeError
from saccade.flow import Attended, Memory, State, masked_softmax, tensor
from saccade.kernels.window import WindowWeights


class Attention(nn.Module, ABC):
    """A way to read a memory of places `[B, S, key_dim]` with queries `[B, T, query_dim]`.

    What was computed of the places is a State whose tensors have the place as dimension -2, so that
    a memory can grow by `flow.append`. Nothing is kept on the module.
    """

    recurrent: bool = False  # True if reading at t needs what was read at t-1
    normalised: bool = True  # False if the weights of a place need not sum to one
    hard: bool = False  # True if it chooses places: no gradient comes through what was read
    factor: float | None = None  # z, if the score of a place is z q . k and no more, of one head

    def __init__(self, query_dim: int, key_dim: int) -> None:
        super().__init__()
        self.query_dim = query_dim
        self.key_dim = key_dim

    @property
    @abstractmethod
    def context_dim(self) -> int:
        """Width of what is read."""

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """What its A maps of weights are called; a single nameless one is ("",)."""

    @abstractmethod
    def prepare(self, states: Tensor) -> State:
        """Compute what no query changes, once: `[B, S, key_dim]`."""

    def prepare_memory(self, memory: Memory) -> State:
        """Prepare a memory; its `values` are read where it has them, its states compared."""
        prepared = self.prepare(memory.states)
        if memory.values is None:
            return prepared
        return {**prepared, "values": self.prepare(memory.values)["values"]}

    @abstractmethod
    def start(self, prepared: State) -> State:
        """Return what is remembered before the first query; empty unless `recurrent`."""

    def as_window(self) -> WindowWeights | None:
        """Return the weights if this is a window of bells: one kernel knows no other."""
        return None

    @abstractmethod
    def forward(
        self, query: Tensor, prepared: State, mask: Tensor, state: State, *, look: bool = False
    ) -> Attended:
        """Read.

        Args:
            query: `[B, T, query_dim]`.
            prepared: what `prepare` returned.
            mask: broadcasts to `[B, T, S]`, True = keep.
            state: what was remembered from the query before.
            look: return the weights too.
        """

    def work(self, asked: Asked) -> tuple[Worked, ...]:
        """Say step by step how one query reads, `[1, 1, query_dim]`: a value for each of `names`.

        The last step of the last one gives what `forward` reads. A part that says no more of itself
        shows its weights.
        """
        read: Attended = self(asked.query, asked.prepared, asked.mask, asked.state, look=True)
        assert read.weights is not None
        maps = zip(self.names, read.weights[0, 0], strict=True)
        kept = asked.mask.expand(1, 1, read.weights.shape[3])[0, 0]  # [S]
        asks, found = vector("q", asked.query[0, 0]), vector("c", read.context[0, 0])
        return tuple(Worked(name, kept, a, (asks, WorkedStep("a", a), found)) for name, a in maps)


class Weighted(Attention):
    """Reads the states themselves: `c[t] = sum_s a[t, s] h[s]`."""

    weighing: str = "a"  # the equation of the weights, as `scoring` ends

    @property
    def context_dim(self) -> int:
        """The width of a state."""
        return self.key_dim

    @property
    def names(self) -> tuple[str, ...]:
        """One map."""
        return ("",)

    @abstractmethod
    def keys(self, states: Tensor) -> Tensor:
        """Compute what no query changes of the score: `[B, S, key_dim]` to `[B, S, ...]`."""

    @abstractmethod
    def weigh(
        self, query: Tensor, keys: Tensor, mask: Tensor, state: State
    ) -> tuple[Tensor, State]:
        """Return weights `[B, T, S]`, zero on dropped places, and what to remember."""

    def prepare(self, states: Tensor) -> State:
        """Compute the keys; the values are the states."""
        return {"keys": self.keys(states), "values": states}

    def scoring(self, query: Tensor, keys: Tensor, state: State) -> tuple[WorkedStep, ...]:
        """Say step by step what comes before the weights.

        Args:
            query: `[query_dim]`.
            keys: `[S, ...]`.
            state: what was remembered from the query before, `[1, ...]`.
        """
        return (vector("q", query),)

    def work(self, asked: Asked) -> tuple[Worked, ...]:
        """Score, weigh, and sum the states by their weights."""
        keys, values = tensor(asked.prepared, "keys"), tensor(asked.prepared, "values")[0]
        steps = self.scoring(asked.query[0, 0], keys[0], asked.state)
        weights, _ = self.weigh(asked.query, keys, asked.mask, asked.state)  # [1, 1, S]
        named = WorkedStep(self.weighing, weights[0, 0])
        return (work_of("", steps, named, values, asked.mask),)

    def forward(
        self, query: Tensor, prepared: State, mask: Tensor, state: State, *, look: bool = False
    ) -> Attended:
        """Weigh every place and sum."""
        weights, state = self.weigh(query, tensor(prepared, "keys"), mask, state)  # [B, T, S]
        context = weights @ tensor(prepared, "values")  # [B, T, D]
        return Attended(context, weights[:, :, None] if look else None, state)


class ScoredAttention(Weighted):
    """Weighs by the softmax of a score over the kept places."""

    weighing = "a = softmax(e)"

    @abstractmethod
    def score(self, query: Tensor, keys: Tensor) -> Tensor:
        """Score places for queries `[B, T, query_dim]`, keys `[B, S, ...]`: `[B, T, S]`."""

    def score_steps(self, query: Tensor, keys: Tensor) -> tuple[WorkedStep, ...]:
        """Say what lies between query, `[query_dim]`, and score, `[S]`; () if nothing does."""
        return ()

    def scoring(self, query: Tensor, keys: Tensor, state: State) -> tuple[WorkedStep, ...]:
        """The steps of the score; the last one is the score itself."""
        steps = self.score_steps(query, keys)
        if steps:
            return steps
        score = self.score(query[None, None], keys[None])[0, 0]  # [S]
        return (vector("q", query), WorkedStep("e = score(q, h)", score))

    def start(self, prepared: State) -> State:
        """Nothing is remembered."""
        return {}

    def weigh(
        self, query: Tensor, keys: Tensor, mask: Tensor, state: State
    ) -> tuple[Tensor, State]:
        """Softmax over the kept places."""
        return masked_softmax(self.score(query, keys), mask), state


class Remembering(Weighted):
    """Weighs at t by what it remembers of t-1, so queries are taken one after the other."""

    recurrent = True

    @abstractmethod
    def weigh_one(
        self, query: Tensor, keys: Tensor, mask: Tensor, state: State
    ) -> tuple[Tensor, State]:
        """Weigh for one query.

        Args:
            query: `[B, query_dim]`.
            keys: `[B, S, ...]`.
            mask: `[B, S]`, True = keep.
            state: what was remembered from the query before.

        Returns:
            Weights `[B, S]`, zero on dropped places, and what to remember.
        """

    def weigh(
        self, query: Tensor, keys: Tensor, mask: Tensor, state: State
    ) -> tuple[Tensor, State]:
        """Weigh for each query in turn."""
        mask = mask.expand(query.shape[0], query.shape[1], keys.shape[1])  # [B, T, S]
        weights = []
        for t in range(query.shape[1]):
            one, state = self.weigh_one(query[:, t], keys, mask[:, t], state)
            weights.append(one)
        return torch.stack(weights, dim=1), state  # [B, T, S]


def same_width(name: str, query_dim: int, key_dim: int) -> None:
    """Refuse widths that a product without a matrix cannot take."""
    if query_dim != key_dim:
        raise ShapeError(
            f"attention {name}: the query has width {query_dim} but the states have {key_dim}; they"
            " must be equal. Change hidden, or use bilinear, which has a matrix between them."
        )
