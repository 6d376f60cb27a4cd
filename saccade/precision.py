"""Products in bfloat16: half the bits and twice the speed, where a processor is made for it."""

from contextlib import AbstractContextManager
from typing import Literal

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from saccade.blocked import blocked

Precision = Literal["float32", "bfloat16", "auto"]


def products(precision: Precision, device: torch.device) -> AbstractContextManager[object]:
    """Within it, matrix products are made with the precision that a recipe names.

    Weights, their gradients and the moments of the optimiser stay in float32. `auto` is bfloat16
    where the processor multiplies it natively; elsewhere it would be many times slower.
    """
    lower = precision == "bfloat16" or (precision == "auto" and native(device))
    return torch.autocast(device.type, dtype=torch.bfloat16) if lower else blocked()


def native(device: torch.device) -> bool:
    """Tell whether a device has instructions for products in bfloat16."""
    if device.type == "cuda":
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    return bool(torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported())


def lowered(x: Tensor) -> Tensor:
    """Return `x` as products within `products` take it: for functions with their own gradient."""
    device = x.device.type
    return x.to(torch.get_autocast_dtype(device)) if torch.is_autocast_enabled(device) else x


def restored(x: Tensor) -> Tensor:
    """Return what came out of a product in bfloat16 as float32, and anything else as it is."""
    return x.float() if x.dtype == torch.bfloat16 else x


def attend(query: Tensor, keys: Tensor, values: Tensor, mask: Tensor, dropout: float) -> Tensor:
    """Call torch's fused attention, on a processor always in float32.

    Its backward pass in bfloat16 takes seven times as long there (torch 2.13).
    """
    if query.dtype != torch.bfloat16 or query.device.type != "cpu":
        return scaled_dot_product_attention(query, keys, values, mask, dropout)
    with torch.autocast("cpu", enabled=False):
        whole = (query.float(), keys.float(), values.float())
        return scaled_dot_product_attention(*whole, mask, dropout)
