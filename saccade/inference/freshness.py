"""What is made of a model's weights, and when it must be made again."""

from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

from torch import Tensor, nn

T = TypeVar("T")


class Derived(Generic[T]):
    """A value made of a model's weights when it is first asked for, and again when they change.

    Changes are seen by torch's count of writes to each parameter, which writes to `parameter.data`
    escape.
    """

    def __init__(self, model: nn.Module, make: Callable[[], T]) -> None:
        self._parameters, self._make = list(model.parameters()), make
        self._made: tuple[list[_Seen], T] | None = None

    @property
    def current(self) -> T:
        """The value of the weights as they are now."""
        made = self._made  # another thread may replace it
        if made is not None:
            seen, value = made
            if all(map(_is_same, seen, self._parameters)):
                return value
        seen = [_Seen(one.detach(), one._version) for one in self._parameters]
        value = self._make()
        self._made = seen, value
        return value


class _Seen(NamedTuple):
    """A parameter as it was: its memory, and how often that had been written to."""

    memory: Tensor
    version: int


def _is_same(seen: _Seen, now: Tensor) -> bool:
    memory, version = seen
    return now._version == version and now.device == memory.device and now.is_set_to(memory)
