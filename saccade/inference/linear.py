"""Linear layers for few rows, their matrices laid out once."""

from collections.abc import Callable
from copy import deepcopy
from typing import Protocol, TypeVar, cast

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

M = TypeVar("M", bound=nn.Module)
_FEW_ROWS = 5  # a layout for few rows serves many as well
_SMALL = 1 << 17  # products below which a call of oneDNN costs more than it saves


class Product(Protocol):
    """A linear layer that is only used to compute, `y = W x + b`."""

    def __call__(self, x: Tensor, onto: Tensor | None = None, *, relu: bool = False) -> Tensor:
        """Apply to `x [N, D]`, add `onto` if there is any, keep what is positive if `relu`.

        Not both at once.
        """


LayOut = Callable[[Tensor, Tensor | None], Product]  # (weight [out, in], bias [out]) -> layer


class BlockedLinear:
    """A linear layer whose matrix is laid out in the blocks of oneDNN.

    On two cores of Zen 4, one row of width 256 to 8,000 takes 0.09 ms, 5 rows 0.12; `linear`, which
    lays the matrix out at every call, needs 0.57 to 1.4 ms on Zen 3. What oneDNN does not take
    (double precision, other devices) and what is small goes through `linear`.
    """

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        self.weight = weight.detach()
        self.bias = None if bias is None else bias.detach()
        self.size = weight.numel()
        fits = can_lay_out(self.weight) and _has_mkldnn()
        self.blocks = _blocks(self.weight) if fits else None

    def __call__(self, x: Tensor, onto: Tensor | None = None, *, relu: bool = False) -> Tensor:
        """Apply to `x [N, D]`: see `Product`."""
        if self.blocks is None or x.size(0) * self.size < _SMALL:
            y = linear(x, self.weight, self.bias)
            y = y if onto is None else y.add_(onto)
            return y.relu_() if relu else y
        if onto is not None:
            return cast("Tensor", _multiply_add(x, onto, self.blocks, self.bias, "add"))
        after = "relu" if relu else "none"
        return cast("Tensor", _multiply(x, self.blocks, self.bias, after, [], ""))


def pack(lay_out: LayOut, *layers: nn.Linear) -> Product:
    """Lay out layers that read the same as one whose outputs stand side by side."""
    weight = torch.cat([layer.weight.detach() for layer in layers])
    return lay_out(weight, torch.cat([layer.bias.detach() for layer in layers]))


class PackedLinear(nn.Module):
    """Stands for an `nn.Linear` in a module that is only used to compute."""

    def __init__(self, layer: nn.Linear, lay_out: LayOut) -> None:
        super().__init__()
        self.weight, self.bias = layer.weight, layer.bias
        self.in_features, self.out_features = layer.in_features, layer.out_features
        self.product = lay_out(layer.weight, layer.bias)

    def forward(self, x: Tensor) -> Tensor:
        """Apply to `x [..., D]`."""
        return self.product(x.reshape(-1, x.shape[-1])).unflatten(0, x.shape[:-1])  # type: ignore[no-untyped-call,no-any-return]


def packed(module: M, lay_out: LayOut) -> M:
    """Copy a module, with packed layers for its linear ones; the copy computes without dropout.

    A module that has nothing to lay out is returned as it is.
    """
    if not any(type(one) is nn.Linear and can_lay_out(one.weight) for one in module.modules()):
        return module
    copied = deepcopy(module).eval()
    for inner in list(copied.modules()):
        for name, child in inner.named_children():
            if type(child) is nn.Linear and can_lay_out(child.weight):
                setattr(inner, name, PackedLinear(child, lay_out))
    return copied


def can_lay_out(weight: Tensor) -> bool:
    """Tell whether a matrix is in single precision and in the memory of the processor."""
    return weight.device.type == "cpu" and weight.dtype == torch.float32 and weight.numel() > 0


_multiply = torch.ops.mkldnn._linear_pointwise.default
_multiply_add = torch.ops.mkldnn._linear_pointwise.binary


def _blocks(weight: Tensor) -> Tensor:
    return cast("Tensor", torch.ops.mkldnn._reorder_linear_weight(weight, _FEW_ROWS))


def _has_mkldnn() -> bool:
    return bool(torch.backends.mkldnn.is_available())  # type: ignore[no-untyped-call]
