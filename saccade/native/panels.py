"""Linear layers and norms as the kernels take them."""

import ctypes
from functools import partial

import torch
from torch import Tensor, nn

from saccade.inference.linear import BlockedLinear, Product, can_lay_out
from saccade.kernels.library import Kernels
from saccade.kernels.structures import Int8Matrix, LinearWeights, NormWeights
from saccade.native.thread_choice import ThreadChoice

LANES = 16  # numbers that the kernels take at once


class Panels:
    """A linear layer, its matrix in panels: of numbers, or of bytes if it is rounded."""

    def __init__(
        self, weight: Tensor, bias: Tensor | None, kernels: Kernels, *, int8: bool = False
    ) -> None:
        self.kernels, self.n_products, self._threads = kernels, weight.numel(), ThreadChoice()
        self.bytes = kernels.round(weight) if int8 else None
        self.weight = None if int8 else kernels.pack(weight)
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
        """Apply to `x [N, D]`: see `Product`."""
        x = x.contiguous()
        y = x.new_empty(len(x), self.structure.out)
        onto = None if onto is None else onto.contiguous()
        where = None if onto is None else onto.data_ptr()
        given = (self.structure, x.data_ptr(), len(x), where, relu, y.data_ptr())
        self._threads.run(len(x) * self.n_products, partial(self.kernels.multiply, *given))
        return y


class PanelMaker:
    """Lays out matrices for the kernels: in bytes if `int8`, unless they are to be exact."""

    def __init__(self, kernels: Kernels, *, int8: bool = False) -> None:
        self.kernels, self.int8 = kernels, int8

    def __call__(self, weight: Tensor, bias: Tensor | None) -> Product:
        """Lay a layer out, by torch if the kernels cannot read it: a `LayOut`."""
        fits = can_lay_out(weight)
        return self.panels(weight, bias) if fits else BlockedLinear(weight, bias)

    def panels(self, weight: Tensor, bias: Tensor | None) -> Panels:
        """Lay a layer out."""
        return Panels(weight, bias, self.kernels, int8=self.int8)

    def exact(self, weight: Tensor, bias: Tensor | None) -> Panels:
        """Lay a layer out, never in bytes."""
        return Panels(weight, bias, self.kernels)

    def side_by_side(self, layers: list[nn.Linear]) -> Panels:
        """Lay out layers that read the same as one."""
        weight = torch.cat([one.weight.detach() for one in layers])
        return self.panels(weight, torch.cat([one.bias.detach() for one in layers]))


class NormPointers:
    """A norm that stands before its layer or behind the sum; holds what the kernels point to."""

    def __init__(self, norm: nn.LayerNorm, *, pre: bool) -> None:
        self.weight, self.bias = norm.weight.detach(), norm.bias.detach()
        places = (self.weight.data_ptr(), self.bias.data_ptr())
        self.structure = NormWeights(*places, norm.eps, pre)


class LastNorm:
    """The norm behind a stack of layers, if there is one."""

    def __init__(self, norm: nn.Module) -> None:
        self._norm = NormPointers(norm, pre=True) if isinstance(norm, nn.LayerNorm) else None

    @property
    def at(self) -> int | None:
        """Its address."""
        return None if self._norm is None else ctypes.addressof(self._norm.structure)


def kernels_can_read(module: nn.Module) -> bool:
    """Tell whether all weights are in single precision and in the memory of the processor."""
    return all(p.device.type == "cpu" and p.dtype == torch.float32 for p in module.parameters())
