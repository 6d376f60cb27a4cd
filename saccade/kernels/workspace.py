"""Memory that a call works in, the same at every call."""

from torch import Tensor


class Workspace:
    """Rows `[n, *shape]` that are written over again and again; it grows when they are too few.

    To write where the call before has written spares the system megabytes of new memory a call.
    """

    def __init__(self, like: Tensor, *shape: int) -> None:
        self._held = like.new_empty(0, *shape)

    def first(self, n: int) -> Tensor:
        """Return the first `n` rows, whatever is in them."""
        if n > len(self._held):
            self._held = self._held.new_empty(n + n // 4, *self._held.shape[1:])
        return self._held[:n]
