"""Products in bfloat16: half the bits and twice the speed, where a processor is made for it."""

from contextlib import AbstractContextManager, nullcontext
from typing import Literal

import torch
from torch import Tensor

from saccade.kernels.matmul import limit_onednn_cache, onednn_where_it_pays

Precision = Literal["float32", "bfloat16", "auto"]


def products(precision: Precision, device: torch.device) -> AbstractContextManager[object]:
    """Within it, matrix products are made with the precision that a recipe names.

    Weights, their gradients and the moments of the optimiser stay in float32. `auto` is bfloat16
    where the processor multiplies it natively; elsewhere it would be many times slower.
    """
    limit_onednn_cache()
    lower = precision == "bfloat16" or (precision == "auto" and native(device))
    return torch.autocast(device.type, dtype=torch.bfloat16) if lower else onednn_where_it_pays()


def native(device: torch.device) -> bool:
    """Tell whether a device has instructions for products in bfloat16."""
    if device.type == "cuda":
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    return bool(torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported())


def lowest(device: torch.device) -> AbstractContextManager[object]:
    """Within it, nothing is asked for in bfloat16 that a processor not made for it refuses."""
    on = torch.is_autocast_enabled(device.type)
    return (
        torch.autocast(device.type, enabled=False) if on and not native(device) else nullcontext()
    )


def lowered(x: Tensor) -> Tensor:
    """Return `x` as products within `products` take it: for functions with their own gradient."""
    device = x.device.type
    return x.to(torch.get_autocast_dtype(device)) if torch.is_autocast_enabled(device) else x


def restored(x: Tensor) -> Tensor:
    """Return what came out of a product in bfloat16 as float32, and anything else as it is."""
    return x.float() if x.dtype == torch.bfloat16 else x
