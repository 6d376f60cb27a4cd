"""Where to compute."""

import torch

from saccade.errors import RecipeError


def checked_device(name: str) -> str:
    """Refuse a device that this machine does not have."""
    try:
        torch.empty(0, device=name)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).splitlines()[0]
        raise RecipeError(
            f"--device {name}: cannot be used here: {reason}. Use --device cpu."
        ) from None
    return name
