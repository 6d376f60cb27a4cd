"""Memory that a step works in, the same at every step."""

from torch import Tensor


class Room:
    """Rows `[n, *shape]` that are written over again and again; more are made when they are few.

    To write where the step before has written spares the system megabytes of new memory a step.
    """

    def __init__(self, like: Tensor, *shape: int) -> None:
        self._held = like.new_empty(0, *shape)

    def first(self, n: int) -> Tensor:
        """Return the first `n` rows, whatever is in them."""
        if n > len(self._held):
            self._held = self._held.new_empty(n + n // 4, *self._held.shape[1:])
        return self._held[:n]
