"""Linear layers and norms as the kernels of `native` take them."""

import ctypes

import torch
from torch import Tensor, nn

from saccade.native.library import Kernels
from saccade.native.structures import Linear, Norm

LANES = 16  # numbers that the kernels take at once
_ALONE = 1 << 20  # products of two numbers below which work ends before a second thread wakes


class Panels:
    """A linear layer, its matrix in panels."""

    def __init__(self, weight: Tensor, bias: Tensor, kernels: Kernels) -> None:
        self.weight, self.bias = kernels.pack(weight), bias.detach()
        self.n_products = weight.numel()
        places = (self.weight.data_ptr(), self.bias.data_ptr())
        self.structure = Linear(*places, weight.shape[1], weight.shape[0])


def side_by_side(layers: list[nn.Linear], kernels: Kernels) -> Panels:
    """Lay out layers that read the same as one."""
    weight = torch.cat([one.weight.detach() for one in layers])
    return Panels(weight, torch.cat([one.bias.detach() for one in layers]), kernels)


def norm_structure(norm: nn.LayerNorm, *, pre: bool) -> Norm:
    """Point to a norm that stands before its layer or behind the sum."""
    return Norm(norm.weight.data_ptr(), norm.bias.data_ptr(), norm.eps, pre)


class Closing:
    """The norm behind a stack of layers, if there is one."""

    def __init__(self, norm: nn.Module) -> None:
        there = isinstance(norm, nn.LayerNorm)
        self._structure = norm_structure(norm, pre=True) if there else None  # type: ignore[arg-type]

    @property
    def at(self) -> int | None:
        """Its address."""
        return None if self._structure is None else ctypes.addressof(self._structure)


def threads_for(n_products: int) -> int:
    """Return how many threads work of so many products of two numbers is worth."""
    return torch.get_num_threads() if n_products >= _ALONE else 1


def whole_on_processor(module: nn.Module) -> bool:
    """Tell whether all weights are in single precision and in the memory of the processor."""
    return all(p.device.type == "cpu" and p.dtype == torch.float32 for p in module.parameters())
