"""Multi-head attention."""

from math import sqrt

import torch
from torch import Tensor, nn
from torch.nn.functional import dropout, scaled_dot_product_attention

from saccade.attention._worked import Asked, Worked, WorkedStep, vector, work_of
from saccade.attention.base import Attention, ScoredAttention
from saccade.errors import ShapeError
from saccade.flow import Attended, State, masked_softmax, tensor
from saccade.kernels.attention import attention
from saccade.kernels.precision import restored
from saccade.parts import Part
from saccade.positions.base import Places


class MultiHead(Attention):
    """Several attentions side by side, each in its own projection of width D / H.

        head_i = softmax((W_i^Q q)(W_i^K h)' / sqrt(d)) W_i^V h,      d = D / H
        c = W^O [head_1; ...; head_H]

    Vaswani et al. 2017 (arXiv:1706.03762), section 3.2.2. The projected keys and values are
    computed once per place. Without `look`, torch's fused kernel computes the same and forms no
    weights. With another `score` than scaled_dot every head has one of its own instead of the
    product:

        head_i = softmax(score_i(W_i^Q q, W_i^K h)) W_i^V h

    Inside a Transformer, `places` rotate queries and keys and add to the scores; see `Positions`.

    key_width: width d of the queries and keys of a head; 0 is D / H, that of its values.
    """

    def __init__(
        self,
        query_dim: int,
        key_dim: int,
        *,
        heads: int = 4,
        key_width: int = 0,
        dropout: float = 0.0,
        score: Part[ScoredAttention] = Part(ScoredAttention, "scaled_dot"),
    ) -> None:
        super().__init__(query_dim, key_dim)
        if query_dim % heads:
            raise ShapeError(
                f"attention multihead: width {query_dim} cannot be shared by {heads} heads; the"
                " width must be a multiple of heads."
            )
        if key_width < 0:
            raise ShapeError(
                f"attention multihead: key_width {key_width} is below 0; expected a width, or 0"
                " for that of the values."
            )
        self.heads = heads
        self.key_width = key_width or query_dim // heads
        self.dropout = dropout
        self.widths = (heads * self.key_width, query_dim)  # of all keys, of all values
        self.query = nn.Linear(query_dim, self.widths[0])
        self.keys_values = nn.Linear(key_dim, sum(self.widths))
        self.output = nn.Linear(query_dim, query_dim)
        width, n_scores = self.key_width, 0 if score.kind == "scaled_dot" else heads
        self.scores = nn.ModuleList(score.build(width, width) for _ in range(n_scores))
        keys, values = self.keys_values.weight.split(self.widths)  # type: ignore[no-untyped-call]
        for weight in (self.query.weight, keys, values, self.output.weight):
            nn.init.xavier_uniform_(weight.data)
        for layer in (self.query, self.keys_values, self.output):
            nn.init.zeros_(layer.bias)

    @property
    def context_dim(self) -> int:
        """The width of the query."""
        return self.query_dim

    @property
    def names(self) -> tuple[str, ...]:
        """One map a head."""
        return tuple(f"head {i + 1}" for i in range(self.heads))

    def prepare(self, states: Tensor, places: Places | None = None) -> State:
        """Project keys and values, cut them into heads, and rotate the keys if `places` do."""
        both = self.keys_values(states).split(self.widths, dim=-1)
        keys, values = map(self._heads, both)  # [B, H, S, d]
        if places is not None:
            keys = places.rotate(keys)
        if self.scores:
            own = [score.keys(keys[:, i]) for i, score in enumerate(self._each_score)]
            keys = torch.stack(own, dim=1)  # [B, H, S, ...]
        return {"keys": keys, "values": values}

    def start(self, prepared: State) -> State:
        """Nothing is remembered."""
        return {}

    def forward(
        self,
        query: Tensor,
        prepared: State,
        mask: Tensor,
        state: State,
        *,
        look: bool = False,
        places: Places | None = None,
    ) -> Attended:
        """Read with every head; the mask is the same for all."""
        q = self._heads(self.query(query))  # [B, H, T, d]
        if places is not None:
            q = places.rotate(q)
        bias = None if places is None else places.bias(q)  # [B, H, T, S]
        keys, values = tensor(prepared, "keys"), tensor(prepared, "values")
        rate = self.dropout if self.training else 0.0
        if look or self.scores or bias is not None:
            scores = self._score(q, keys)  # [B, H, T, S]
            scores = scores if bias is None else scores + bias
            weights = masked_softmax(scores, mask[:, None])  # [B, H, T, S]
            read = dropout(weights, rate, self.training) @ values  # [B, H, T, d]
        else:
            weights = None
            read = attend(q, keys, values, mask[:, None], rate)  # [B, H, T, d]
        context = self.output(read.transpose(1, 2).flatten(2))  # [B, T, D]
        seen = weights.transpose(1, 2) if look and weights is not None else None  # [B, T, H, S]
        return Attended(context, seen, state)

    def work(self, asked: Asked) -> tuple[Worked, ...]:
        """The steps of every head, and what W^O makes of what all have read."""
        q = self._heads(self.query(asked.query))  # [1, H, 1, d]
        places = asked.places
        q = q if places is None else places.rotate(q)
        bias = None if places is None else places.bias(q)  # [1, H, 1, S]
        keys, values = tensor(asked.prepared, "keys")[0], tensor(asked.prepared, "values")[0]
        found = list[Worked]()
        for i, name in enumerate(self.names):
            steps = self._head_steps(i, q[0, i, 0], keys[i])
            if bias is not None:
                steps = (*steps, WorkedStep("e = q·(k + p) / √d", steps[-1].value + bias[0, i, 0]))
            weights = masked_softmax(steps[-1].value, asked.mask[0, 0])  # [S]
            weighed = WorkedStep("a = softmax(e)", weights)
            found.append(work_of(name, steps, weighed, values[i], asked.mask))
        heads = torch.cat([one.steps[-1].value for one in found])  # [D]
        output = vector("W^O [c1; ...; cH], of all heads", self.output(heads))
        return tuple(one.then(output) for one in found)

    def _head_steps(self, i: int, q: Tensor, keys: Tensor) -> tuple[WorkedStep, ...]:
        """Score the keys of a head, `[S, ...]`, for its query `[d]`."""
        if self.scores:
            first, *rest = self._each_score[i].scoring(q, keys, {})
            return (first._replace(equation="q = W^Q x"), *rest)
        products = keys @ q  # [S]
        return (
            vector("q = W^Q x", q),
            WorkedStep("k = W^K h", keys),
            WorkedStep("q·k", products),
            WorkedStep("e = q·k / √d", products / sqrt(len(q))),
        )

    @property
    def _each_score(self) -> list[ScoredAttention]:
        return list(self.scores)  # type: ignore[arg-type]

    def _score(self, q: Tensor, keys: Tensor) -> Tensor:
        if not self.scores:
            return q @ keys.transpose(2, 3) / sqrt(q.shape[-1])  # [B, H, T, S]
        own = [score.score(q[:, i], keys[:, i]) for i, score in enumerate(self._each_score)]
        return torch.stack(own, dim=1)  # [B, H, T, S]

    def _heads(self, x: Tensor) -> Tensor:
        heads: Tensor = x.unflatten(-1, (self.heads, -1))  # type: ignore[no-untyped-call]
        return heads.transpose(1, 2)  # [B, H, T, d]


def attend(query: Tensor, keys: Tensor, values: Tensor, mask: Tensor, dropout: float) -> Tensor:
    """Read `values [B, H, S, d]` with `query [B, H, T, d]` where `mask`, `[B, 1, T, S]`, keeps.

        y = softmax(q k' / sqrt(d)) v

    On a processor always in float32: torch's backward pass in bfloat16 takes seven times as long
    there (torch 2.13). Our kernel drops no weights.
    """
    if query.device.type != "cpu":
        return scaled_dot_product_attention(query, keys, values, mask, dropout)
    with torch.autocast("cpu", enabled=False):
        whole = (restored(query), restored(keys), restored(values))
        read = attention(*whole, mask) if not dropout else None
        return scaled_dot_product_attention(*whole, mask, dropout) if read is None else read
