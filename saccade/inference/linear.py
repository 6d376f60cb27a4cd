"""Linear layers for few rows."""

from copy import deepcopy
from typing import TypeVar, cast

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from saccade.kernels.library import found
from saccade.native.panels import Panels

M = TypeVar("M", bound=nn.Module)
_FEW_ROWS = 5  # a layout for few rows serves many as well
_SMALL = 1 << 17  # products below which a call of oneDNN costs more than it saves


class Packed:
    """A linear layer whose matrix is laid out once, as those multiply by it who are fastest.

        y = W x + b

    That is a kernel of `native`, or oneDNN where there are none: on two cores of Zen 4, one row of
    width 256 to 8,000 takes 0.05 and 0.09 ms, 5 rows 0.10 and 0.12; `linear`, which lays the matrix
    out at every call, needs 0.57 to 1.4 ms on Zen 3. What neither takes (double precision, other
    devices) and what is small for oneDNN goes through `linear`.
    """

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        self.weight = weight.detach()
        self.bias = None if bias is None else bias.detach()
        self.size = weight.numel()
        fits = _can_pack(self.weight)
        kernels = found().kernels if fits else None
        self.panels = None if kernels is None else Panels(self.weight, self.bias, kernels)
        self.blocks = _blocks(self.weight) if fits and kernels is None else None

    @property
    def laid_out(self) -> bool:
        """Whether the matrix is laid out for somebody."""
        return self.panels is not None or self.blocks is not None

    def __call__(self, x: Tensor) -> Tensor:
        """Apply to `x [N, D]`."""
        if self.panels:
            return self.panels(x)
        if self._plain(x):
            return linear(x, self.weight, self.bias)
        return cast("Tensor", _multiply(x, self.blocks, self.bias, "none", [], ""))

    def relu(self, x: Tensor) -> Tensor:
        """Apply to `x [N, D]`, then keep what is positive."""
        if self.panels:
            return self.panels(x, relu=True)
        if self._plain(x):
            return linear(x, self.weight, self.bias).relu_()
        return cast("Tensor", _multiply(x, self.blocks, self.bias, "relu", [], ""))

    def add(self, x: Tensor, onto: Tensor) -> Tensor:
        """Apply to `x [N, D]` and add `onto`, of the shape of the result."""
        if self.panels:
            return self.panels(x, onto)
        if self._plain(x):
            return linear(x, self.weight, self.bias).add_(onto)
        return cast("Tensor", _multiply_add(x, onto, self.blocks, self.bias, "add"))

    def _plain(self, x: Tensor) -> bool:
        return self.blocks is None or x.size(0) * self.size < _SMALL


def pack(*layers: nn.Linear) -> Packed:
    """Pack layers that read the same into one whose outputs stand side by side."""
    weight = torch.cat([layer.weight.detach() for layer in layers])
    return Packed(weight, torch.cat([layer.bias.detach() for layer in layers]))


class PackedLinear(nn.Module):
    """Stands for an `nn.Linear` in a module that is only used to compute."""

    def __init__(self, layer: nn.Linear) -> None:
        super().__init__()
        self.weight, self.bias = layer.weight, layer.bias
        self.in_features, self.out_features = layer.in_features, layer.out_features
        self.packed = Packed(layer.weight, layer.bias)

    def forward(self, x: Tensor) -> Tensor:
        """Apply to `x [..., D]`."""
        return self.packed(x.reshape(-1, x.shape[-1])).unflatten(0, x.shape[:-1])  # type: ignore[no-untyped-call,no-any-return]


def packed(module: M) -> M:
    """Copy a module, with packed layers for its linear ones; the copy computes without dropout.

    A module that has nothing to pack is returned as it is.
    """
    if not any(type(one) is nn.Linear and _can_pack(one.weight) for one in module.modules()):
        return module
    copied = deepcopy(module).eval()
    for inner in list(copied.modules()):
        for name, child in inner.named_children():
            if type(child) is nn.Linear and _can_pack(child.weight):
                setattr(inner, name, PackedLinear(child))
    return copied


_multiply = torch.ops.mkldnn._linear_pointwise.default
_multiply_add = torch.ops.mkldnn._linear_pointwise.binary


def _blocks(weight: Tensor) -> Tensor:
    return cast("Tensor", torch.ops.mkldnn._reorder_linear_weight(weight, _FEW_ROWS))


def _can_pack(weight: Tensor) -> bool:
    on = torch.backends.mkldnn.is_available()  # type: ignore[no-untyped-call]
    fits = weight.device.type == "cpu" and weight.dtype == torch.float32 and weight.numel() > 0
    return bool(on) and fits
