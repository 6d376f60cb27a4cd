"""No attention, as a part: reads nothing."""

from torch import Tensor

from saccade.attention.base import Attention
from saccade.flow import Attended, State, tensor


class NoAttention(Attention):
    """Reads nothing, so that the decoder has only the summary it started from.

    The encoder-decoder of Sutskever, Vinyals & Le 2014 (arXiv:1409.3215): a context of width zero.
    """

    @property
    def context_dim(self) -> int:
        """Zero."""
        return 0

    @property
    def names(self) -> tuple[str, ...]:
        """No map."""
        return ()

    def prepare(self, states: Tensor) -> State:
        """Keep the number of places."""
        return {"values": states[:, :, :0]}  # [B, S, 0]

    def start(self, prepared: State) -> State:
        """Nothing is remembered."""
        return {}

    def forward(
        self, query: Tensor, prepared: State, mask: Tensor, state: State, *, look: bool = False
    ) -> Attended:
        """Return a context of width zero and no maps."""
        n_places = tensor(prepared, "values").shape[1]
        context = query[:, :, :0]  # [B, T, 0]
        weights = query.new_zeros(*query.shape[:2], 0, n_places) if look else None  # [B, T, 0, S]
        return Attended(context, weights, state)
