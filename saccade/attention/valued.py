"""Any attention that reads something else than it compares."""

from torch import Tensor, nn

from saccade.attention.base import Attention, Weighted
from saccade.errors import RecipeError
from saccade.flow import Attended, State, tensor
from saccade.parts import Part


class ValuedAttention(Attention):
    """Look where `attention` looks, and read a projection of what stands there.

        c[t] = sum_s a[t, s] V h[s]

    The values of Vaswani et al. 2017 (arXiv:1706.03762), equation 1, for an attention that reads
    the states themselves (Bahdanau, Cho & Bengio 2015, equation 5): a state then need not be good
    to be found and good to be read at once. `V h` is computed once per sentence.

    width: of the values; 0 is that of the states.
    """

    def __init__(
        self,
        query_dim: int,
        key_dim: int,
        *,
        attention: Part[Attention] = Part(Attention, "additive"),
        width: int = 0,
    ) -> None:
        super().__init__(query_dim, key_dim)
        inner = attention.build(query_dim, key_dim)
        if not isinstance(inner, Weighted):
            raise RecipeError(
                f"valued.attention: {attention.kind} does not read the sum of the states under its"
                " weights; expected one that does, such as additive, dot or bilinear. Use another,"
                " or this one without valued."
            )
        self.inner, self.width = inner, width or key_dim
        self.V = nn.Linear(key_dim, self.width, bias=False)
        nn.init.xavier_uniform_(self.V.weight)
        self.recurrent, self.normalised = inner.recurrent, inner.normalised
        self.hard = inner.hard

    @property
    def context_dim(self) -> int:
        """The width of the values."""
        return self.width

    @property
    def names(self) -> tuple[str, ...]:
        """The attention's own."""
        return self.inner.names

    def prepare(self, states: Tensor) -> State:
        """Compute keys as the attention does, and the values."""
        prepared = self.inner.prepare(states)
        return {**prepared, "values": self.V(tensor(prepared, "values"))}

    def start(self, prepared: State) -> State:
        """Start as the attention does."""
        return self.inner.start(prepared)

    def forward(
        self, query: Tensor, prepared: State, mask: Tensor, state: State, *, look: bool = False
    ) -> Attended:
        """Read as the attention does."""
        return self.inner(query, prepared, mask, state, look=look)  # type: ignore[no-any-return]
