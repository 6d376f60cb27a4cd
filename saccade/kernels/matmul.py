"""Products in float32 by oneDNN, which blocks them for the cache better than the BLAS of torch.

    y = W x + b        dx = W' dy        dW = dy x'

On two cores of Zen 5, in GFLOP/s: 3,600 rows of 256 to 1,024 forward 238 by BLAS and 462 by oneDNN,
back 238 and 555, dW 218 and 418. On two cores of Zen 4: forward 181 and 206, back 190 and 217; 64
rows of 768 to 2,048 forward 163 and 201, back 167 and 214. On processors without AVX-512 BLAS is
the faster one, but for few rows and for the many outputs of a vocabulary: on two cores of Zen 3,
1,000 rows of 1,024 to 512 177 by BLAS and 140 by oneDNN, 384 of 256 to 8,000 115 and 143. Who
multiplies is a question of processor and shape alone, so that a run can be repeated bit by bit.
Layers need to know nothing of it.
"""

import os
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any, cast

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn.functional import linear
from torch.overrides import TorchFunctionMode

from saccade.kernels.library import fits

_LARGE = 1 << 22  # products of two numbers from which the call of oneDNN costs less than it saves
_LARGE_NEW_SHAPE = 1 << 27  # the same if it also has to be told of a new shape
_TALL = 5  # times as many rows as columns
_FEW_ROWS, _MANY_OUTPUTS = 128, 4096  # up to which and from which it pays without AVX-512
_CACHED_SHAPES = "512"
_onednn_linear = torch.ops.mkldnn._linear_pointwise.default


class OneDnnLinear(TorchFunctionMode):
    """Within it, `linear` is oneDNN's, forward and back, where that pays."""

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Iterable[type],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Take over `linear`, and leave everything else alone."""
        if func is linear and not kwargs and torch.is_grad_enabled():
            x, weight, bias = args if len(args) == 3 else (*args, None)
            if _onednn_pays(x, weight):
                return _Linear.apply(x, weight, bias)  # type: ignore[no-untyped-call]
        return func(*args, **(kwargs or {}))


@cache
def limit_onednn_cache() -> None:
    """Let oneDNN keep few programs, if nobody has told it otherwise.

    It writes one for every shape, and batches have some thousand shapes; those it has written it
    keeps, by default 1,024 of them. It asks once, when it first multiplies. With 16 an update of
    the benchmarks' Transformer held 1,237 MiB in place of 1,414. With 512 an update of their
    recurrent model, whose weight gradients oneDNN makes too, is 1.03 times as fast as with 128.
    """
    os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", _CACHED_SHAPES)


def onednn_where_it_pays() -> AbstractContextManager[object]:
    """Return `OneDnnLinear()`, or, where it would pay for few products, nothing.

    It looks at every call of torch: without it, on two cores of Zen 3 in turn, an update of the
    benchmarks' recurrent model is 1.02 to 1.05 times as fast.
    """
    return OneDnnLinear() if _available() and _has_avx512() else nullcontext()


def multiply(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return `linear(x, weight, bias)` without a gradient; either matrix may be transposed."""
    if _onednn_pays(x, weight):
        return cast("Tensor", _onednn_linear(x, weight, bias, "none", [], ""))
    return linear(x, weight, bias)


def weight_gradient(gradient: Tensor, x: Tensor) -> Tensor:
    """Return `dW = dy' x` for `dy [N, out]` and `x [N, in]`, without a gradient of its own.

    oneDNN is slow where dW has far more rows than columns: there it is the transposed view of
    `x' dy`.
    """
    n_out, n_in = gradient.shape[1], x.shape[1]
    large = len(x) * n_out * n_in >= _LARGE_NEW_SHAPE
    if not (large and _has_avx512() and _available() and fits(gradient, x)):
        return gradient.T @ x
    return _by_onednn(x, gradient).T if n_out >= _TALL * n_in else _by_onednn(gradient, x)


def _by_onednn(left: Tensor, right: Tensor) -> Tensor:
    """Return `left' right`; rows must lie side by side, or oneDNN is a hundred times slower."""
    left, right = left.contiguous(), right.contiguous()
    return cast("Tensor", _onednn_linear(left.T, right.T, None, "none", [], ""))


def _onednn_pays(x: Tensor, weight: Tensor) -> bool:
    if not fits(x, weight) or x.dim() < 2 or x.numel() * len(weight) < _LARGE:
        return False
    n_out, n_in = weight.shape
    few = x.numel() <= _FEW_ROWS * n_in
    return _available() and (_has_avx512() or few or n_out >= _MANY_OUTPUTS)


def _layer_product(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Do the same for a layer: each batch has other rows, and oneDNN writes a program for them."""
    worth_it = x.numel() * len(weight) >= _LARGE_NEW_SHAPE
    return multiply(x, weight, bias) if worth_it else linear(x, weight, bias)


@cache
def _has_avx512() -> bool:
    """Tell whether the processor has AVX-512, or is of a kind that was not measured."""
    return torch.backends.cpu.get_cpu_capability() != "AVX2"


@cache
def _available() -> bool:
    return bool(torch.backends.mkldnn.is_available())  # type: ignore[no-untyped-call]


class _Linear(torch.autograd.Function):
    """`y = W x + b` for `x [..., D]`."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        ctx.save_for_backward(x, weight)
        ctx.biased = bias is not None
        return _layer_product(x, weight, bias)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> Any:
        x, weight = ctx.saved_tensors
        wants_x, wants_weight, wants_bias = ctx.needs_input_grad
        rows = gradient.flatten(0, -2)  # [N, out]
        return (
            _layer_product(gradient, weight.T) if wants_x else None,
            weight_gradient(rows, x.flatten(0, -2)) if wants_weight else None,
            rows.sum(dim=0) if ctx.biased and wants_bias else None,
        )
