"""Multi-head attention."""

from math import sqrt

from torch import Tensor, nn
from torch.nn.functional import dropout, scaled_dot_product_attention

from saccade.attention.base import Attention
from saccade.errors import ShapeError
from saccade.flow import Attended, State, tensor
from saccade.masks import masked_softmax


class MultiHead(Attention):
    """Several scaled dot-products side by side, each in its own projection of width D / H.

        head_i = softmax((W_i^Q q)(W_i^K h)' / sqrt(d)) W_i^V h,      d = D / H
        c = W^O [head_1; ...; head_H]

    Vaswani et al. 2017 (arXiv:1706.03762), section 3.2.2. The projected keys and values are
    computed once per place. Without `look`, torch's fused kernel computes the same and forms no
    weights.
    """

    def __init__(
        self, query_dim: int, key_dim: int, *, heads: int = 4, dropout: float = 0.0
    ) -> None:
        super().__init__(query_dim, key_dim)
        if query_dim % heads:
            raise ShapeError(
                f"attention multihead: width {query_dim} cannot be shared by {heads} heads; the"
                " width must be a multiple of heads."
            )
        self.heads = heads
        self.dropout = dropout
        self.query = nn.Linear(query_dim, query_dim)
        self.keys_values = nn.Linear(key_dim, 2 * query_dim)
        self.output = nn.Linear(query_dim, query_dim)
        for weight in (self.query.weight, *self.keys_values.weight.chunk(2), self.output.weight):
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

    def prepare(self, states: Tensor) -> State:
        """Project keys and values and cut them into heads."""
        keys, values = self.keys_values(states).chunk(2, dim=-1)  # 2 x [B, S, D]
        return {"keys": self._heads(keys), "values": self._heads(values)}  # [B, H, S, d]

    def start(self, prepared: State) -> State:
        """Nothing is remembered."""
        return {}

    def forward(
        self, query: Tensor, prepared: State, mask: Tensor, state: State, *, look: bool = False
    ) -> Attended:
        """Read with every head; the mask is the same for all."""
        q = self._heads(self.query(query))  # [B, H, T, d]
        keys, values = tensor(prepared, "keys"), tensor(prepared, "values")
        rate = self.dropout if self.training else 0.0
        if look:
            scores = q @ keys.transpose(2, 3) / sqrt(q.shape[-1])  # [B, H, T, S]
            weights = masked_softmax(scores, mask[:, None])
            read = dropout(weights, rate, self.training) @ values  # [B, H, T, d]
        else:
            weights = None
            read = scaled_dot_product_attention(
                q, keys, values, attn_mask=mask[:, None], dropout_p=rate
            )  # [B, H, T, d]
        context = self.output(read.transpose(1, 2).flatten(2))  # [B, T, D]
        return Attended(context, None if weights is None else weights.transpose(1, 2), state)

    def _heads(self, x: Tensor) -> Tensor:
        heads: Tensor = x.unflatten(-1, (self.heads, -1))  # type: ignore[no-untyped-call]
        return heads.transpose(1, 2)  # [B, H, T, d]
