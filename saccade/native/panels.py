"""Linear layers and norms as the kernels of `native` take them."""

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial

import torch
from torch import Tensor, nn

from saccade.kernels.library import Kernels
from saccade.kernels.structures import Int8Matrix, LinearWeights, NormWeights
from saccade.native.thread_choice import ThreadChoice

LANES = 16  # numbers that the kernels take at once
ROUNDED = "int8"  # what weights in bytes are called where they are asked for
_rounds: ContextVar[bool] = ContextVar("rounds", default=False)


@contextmanager
def rounding(*, on: bool) -> Iterator[None]:
    """Within it, layers are laid out in bytes if it is `on`, unless they ask to be exact."""
    before = _rounds.set(on)
    try:
        yield
    finally:
        _rounds.reset(before)


class Panels:
    """A linear layer, its matrix in panels: of numbers, or of bytes if these are wanted."""

    def __init__(
        self, weight: Tensor, bias: Tensor | None, kernels: Kernels, *, exact: bool = False
    ) -> None:
        self.kernels, self.n_products, self._threads = kernels, weight.numel(), ThreadChoice()
        self.bytes = kernels.round(weight) if _rounds.get() and not exact else None
        self.weight = kernels.pack(weight) if self.bytes is None else None
        self.bias = weight.new_zeros(len(weight)) if bias is None else bias.detach()
        self.structure = LinearWeights(
            None if self.weight is None else self.weight.data_ptr(),
            self.bias.data_ptr(),
            weight.shape[1],
            weight.shape[0],
        )
        if self.bytes is not None:
            self.structure.rounded = Int8Matrix(*(one.data_ptr() for one in self.bytes))

    def __call__(self, x: Tensor, onto: Tensor | None = None, *, relu: bool = False) -> Tensor:
        """Apply to `x [N, D]`, add `onto` if there is any, keep what is positive if `relu`."""
        x = x.contiguous()
        y = x.new_empty(len(x), self.structure.out)
        onto = None if onto is None else onto.contiguous()
        where = None if onto is None else onto.data_ptr()
        given = (self.structure, x.data_ptr(), len(x), where, relu, y.data_ptr())
        self._threads.run(len(x) * self.n_products, partial(self.kernels.multiply, *given))
        return y


def side_by_side(layers: list[nn.Linear], kernels: Kernels) -> Panels:
    """Lay out layers that read the same as one."""
    weight = torch.cat([one.weight.detach() for one in layers])
    return Panels(weight, torch.cat([one.bias.detach() for one in layers]), kernels)


class Normed:
    """A norm that stands before its layer or behind the sum; holds what the kernels point to."""

    def __init__(self, norm: nn.LayerNorm, *, pre: bool) -> None:
        self.weight, self.bias = norm.weight.detach(), norm.bias.detach()
        places = (self.weight.data_ptr(), self.bias.data_ptr())
        self.structure = NormWeights(*places, norm.eps, pre)


class Closing:
    """The norm behind a stack of layers, if there is one."""

    def __init__(self, norm: nn.Module) -> None:
        self._normed = Normed(norm, pre=True) if isinstance(norm, nn.LayerNorm) else None

    @property
    def at(self) -> int | None:
        """Its address."""
        return None if self._normed is None else ctypes.addressof(self._normed.structure)


def whole_on_processor(module: nn.Module) -> bool:
    """Tell whether all weights are in single precision and in the memory of the processor."""
    return all(p.device.type == "cpu" and p.dtype == torch.float32 for p in module.parameters())
