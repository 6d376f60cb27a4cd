"""Building a model whose weights are read from a file, without drawing any to begin with."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from saccade.embedders._trunk import read_trained

_FILLS = {
    *(Tensor.uniform_, Tensor.normal_),
    *(nn.init.uniform_, nn.init.normal_, nn.init.kaiming_uniform_, nn.init.kaiming_normal_),
    read_trained,
}


class Undrawn(TorchFunctionMode):
    """Leaves memory as it is where numbers would be drawn, so every weight must be put in later.

    Drawn are uniform and normal numbers; of normal ones orthogonal matrices are made, by the
    decomposition QR, which is left out too, and so are weights that were trained elsewhere.
    Everything else is computed as ever.
    """

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
        if func is torch.randn:
            return torch.empty(*args, **{k: v for k, v in given.items() if k != "generator"})
        if func is torch.linalg.qr:
            return args[0], args[0]
        return func(*args, **given)
