"""Linear layers and norms as the kernels of `native` take them."""

import ctypes

import torch
from torch import Tensor, nn

from saccade.native.library import Kernels
from saccade.native.structures import Linear, Norm

LANES = 16  # numbers that the kernels take at once
_SMALL = 1 << 20  # products of two numbers below which work ends before a second thread wakes
_PATIENCE, _SLOW = 2e-3, 1e9  # seconds, and products a second: who needs more has been waiting
_WHILE = 2000  # calls before two threads are tried again


class Crew:
    """How many threads share a call of the kernels.

    They wait for each other some thirty times a step. On a free machine that takes microseconds;
    where all cores are busy with something else each time may cost a slice of the scheduler's, and
    one thread alone is many times as fast. So when a call took far longer than its work, the
    next ones are made by one thread, and after a while it is tried again.
    """

    def __init__(self) -> None:
        self._alone = 0  # calls for which one thread is left alone

    def size(self, n_products: int) -> int:
        """Return how many threads work of so many products of two numbers is worth now."""
        if n_products < _SMALL:
            return 1
        self._alone = max(0, self._alone - 1)
        return 1 if self._alone else torch.get_num_threads()

    def took(self, seconds: float, n_products: int, threads: int) -> None:
        """Hear how long a call has taken."""
        if threads > 1 and seconds > _PATIENCE + n_products / _SLOW:
            self._alone = _WHILE


CREW = Crew()


class Panels:
    """A linear layer, its matrix in panels."""

    def __init__(self, weight: Tensor, bias: Tensor | None, kernels: Kernels) -> None:
        self.kernels, self.n_products = kernels, weight.numel()
        self.weight = kernels.pack(weight)
        self.bias = weight.new_zeros(len(weight)) if bias is None else bias.detach()
        places = (self.weight.data_ptr(), self.bias.data_ptr())
        self.structure = Linear(*places, weight.shape[1], weight.shape[0])

    def __call__(self, x: Tensor, onto: Tensor | None = None, *, relu: bool = False) -> Tensor:
        """Apply to `x [N, D]`, add `onto` if there is any, keep what is positive if `relu`."""
        x = x.contiguous()
        y = x.new_empty(len(x), self.structure.out)
        onto = None if onto is None else onto.contiguous()
        where = None if onto is None else onto.data_ptr()
        threads = CREW.size(len(x) * self.n_products)
        self.kernels.multiply(
            self.structure, x.data_ptr(), len(x), where, relu, y.data_ptr(), threads
        )
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
        self.structure = Norm(*places, norm.eps, pre)


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
