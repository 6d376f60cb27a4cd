"""Building a model whose weights are read from a file: none is drawn, and none is too many."""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.modules.module import register_module_parameter_registration_hook
from torch.overrides import TorchFunctionMode
from torch.utils.hooks import RemovableHandle

from saccade.embedders._trunk import read_trained
from saccade.errors import CheckpointError
from saccade.intake.tensors import StoredTensor

_FILLS = {
    *(Tensor.uniform_, Tensor.normal_),
    *(nn.init.uniform_, nn.init.normal_, nn.init.kaiming_uniform_, nn.init.kaiming_normal_),
    read_trained,
}
_SIZED = {  # the numbers they are given are sizes
    *(torch.empty, torch.zeros, torch.ones, torch.rand, torch.randn, torch.full),
}
_LIKE_SIZED = {Tensor.new_empty, Tensor.new_zeros, Tensor.new_ones, Tensor.new_full}
_MORE = 1 << 24  # numbers of a model that no file holds: of positions, of masks
_MORE_TENSORS = 200


@dataclass(frozen=True, slots=True)
class Allowance:
    """How much room a model may take: `where` is the file that holds its weights, `held` what."""

    where: str
    held: Mapping[str, StoredTensor]

    @property
    def numbers(self) -> int:
        """How many numbers there may be in all."""
        return 4 * sum(one.numel for one in self.held.values()) + _MORE

    @property
    def tensors(self) -> int:
        """How many parameters there may be: some have two names."""
        return 2 * len(self.held) + _MORE_TENSORS

    def exceeded(self, wanted: str) -> CheckpointError:
        """Say that the recipe's model is larger than its file."""
        n = sum(one.numel for one in self.held.values())
        return CheckpointError(
            f"{self.where}: holds {n:,} numbers in {len(self.held):,} tensors, but the recipe's"
            f" model takes {wanted}. The recipe is another model's, or was changed: copy the model"
            " folder again."
        )


class Undrawn(TorchFunctionMode):
    """Leaves memory as it is where numbers would be drawn, so every weight must be put in later.

    Drawn are uniform and normal numbers; of normal ones orthogonal matrices are made, by the
    decomposition QR, which is left out too, and so are weights that were trained elsewhere.
    Everything else is computed as ever. A model that takes more than its allowance is refused
    before the room is taken.
    """

    def __init__(self, allowed: Allowance | None = None) -> None:
        super().__init__()
        self._allowed, self._made, self._registered = allowed, 0, 0
        self._thread, self._hook = threading.get_ident(), list[RemovableHandle]()

    def __enter__(self) -> "Undrawn":
        """Begin to count."""
        self._hook.append(register_module_parameter_registration_hook(self._register))
        super().__enter__()  # type: ignore[no-untyped-call]
        return self

    def __exit__(self, *raised: Any) -> None:
        """Count no more, and say what a model was refused for that memory has no room for."""
        super().__exit__(*raised)  # type: ignore[no-untyped-call]
        self._hook.pop().remove()
        error = raised[1]
        if self._allowed and isinstance(error, RuntimeError | MemoryError | OverflowError):
            raise self._allowed.exceeded(f"more than can be had ({str(error)[:80]})") from None

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type[Any]],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Call a function of torch, or do without it."""
        given = kwargs or {}
        if func in _FILLS:
            return args[0] if args else given["tensor"]
        self._count(_asked(func, args, given))
        if func is torch.randn:
            return torch.empty(*args, **{k: v for k, v in given.items() if k != "generator"})
        if func is torch.linalg.qr:
            return args[0], args[0]
        return func(*args, **given)

    def _count(self, numbers: int) -> None:
        self._made += numbers
        if self._allowed and self._made > self._allowed.numbers:
            raise self._allowed.exceeded(f"{self._made:,} or more")

    def _register(self, module: nn.Module, name: str, parameter: nn.Parameter | None) -> None:
        if not self._allowed or threading.get_ident() != self._thread:  # of another's model
            return
        self._registered += 1
        if self._registered > self._allowed.tensors:
            raise self._allowed.exceeded(f"{self._registered:,} tensors or more")


def _asked(func: Callable[..., Any], args: Sequence[Any], given: Mapping[str, Any]) -> int:
    """Return how many numbers a call asks room for, of those that name a size."""
    if func is torch.arange:
        ends = [one for one in args if isinstance(one, int | float)]
        return int(max(map(abs, ends), default=0)) if len(ends) < 3 else 0
    if func is torch.eye:
        return int(prod(args[:2])) if len(args) > 1 else int(args[0]) ** 2
    if func not in _SIZED and func not in _LIKE_SIZED:
        return 0
    sizes = [given["size"]] if "size" in given else list(args[1:] if func in _LIKE_SIZED else args)
    if func in (torch.full, Tensor.new_full):
        sizes = sizes[:1]
    flat = [n for one in sizes for n in (one if isinstance(one, list | tuple) else [one])]
    return prod(int(n) for n in flat if isinstance(n, int))
