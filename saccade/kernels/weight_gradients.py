"""Matrices that a loop over time uses at every step: one product for their gradient, not T.

    y[t] = W x[t] + b        dW = sum_t dy[t] x[t]' = [dy[1] ... dy[T]] [x[1] ... x[T]]'

Left to itself, autograd multiplies out and adds up a gradient as large as the matrix for every
step. Inside `with GatherWeightGradients():` a step only keeps its pair (x[t], dy[t]), and the pairs
of all steps are multiplied at once when the last has come. Cells and attentions need to know
nothing of it.
"""

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn.functional import linear
from torch.overrides import TorchFunctionMode

from saccade.kernels.matmul import multiply, weight_gradient
from saccade.kernels.precision import lowered

_Pairs = list[tuple[Tensor, Tensor]]  # inputs and gradients of the outputs


class GatherWeightGradients(TorchFunctionMode):
    """Within it, `linear` with a parameter as its matrix gathers the matrix's gradient."""

    def __init__(self) -> None:
        super().__init__()
        self._known: dict[int, tuple[Tensor, _Pairs]] = {}

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Iterable[type],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Take over `linear`, and leave everything else alone."""
        if func is linear and not kwargs and torch.is_grad_enabled():
            x, weight, *bias = args
            if weight.is_leaf and weight.requires_grad and len(weight) > 1:
                gathered, pairs = self._of(weight)
                y = _Step.apply(x, gathered, pairs)  # type: ignore[no-untyped-call]
                return y + bias[0] if bias and bias[0] is not None else y
        return func(*args, **(kwargs or {}))

    def _of(self, weight: Tensor) -> tuple[Tensor, _Pairs]:
        if id(weight) not in self._known:
            pairs: _Pairs = []
            self._known[id(weight)] = (_Gather.apply(weight, pairs), pairs)  # type: ignore[no-untyped-call]
        return self._known[id(weight)]


class _Gather(torch.autograd.Function):
    """The matrix before the loop; going back, the loop has passed when its turn comes."""

    @staticmethod
    def forward(ctx: Any, weight: Tensor, pairs: _Pairs) -> Tensor:
        ctx.pairs, ctx.dtype = pairs, weight.dtype
        ctx.set_materialize_grads(False)
        return lowered(weight).view_as(weight)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, _: Any) -> Any:
        if not ctx.pairs:
            return None, None
        inputs, gradients = zip(*ctx.pairs, strict=True)
        ctx.pairs.clear()
        return weight_gradient(torch.cat(gradients), torch.cat(inputs)).to(ctx.dtype), None


class _Step(torch.autograd.Function):
    """One step: `y = W x`, whose backward pass keeps a pair instead of a product."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, pairs: _Pairs) -> Tensor:
        ctx.pairs, ctx.dtype = pairs, x.dtype
        x = x.to(weight.dtype)
        ctx.save_for_backward(x, weight)
        return multiply(x, weight)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> Any:
        x, weight = ctx.saved_tensors
        ctx.pairs.append((x.flatten(0, -2), gradient.flatten(0, -2)))
        wants_x = ctx.needs_input_grad[0]
        return multiply(gradient, weight.T).to(ctx.dtype) if wants_x else None, None, None
