"""Arrays that a model holds as parameters, whatever their number and size."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from saccade.errors import CheckpointError

Array = NDArray[Any]


class HeldArrays(nn.Module):
    """Arrays by name, in parameters without a gradient; others of other sizes may take their place.

    >>> held = HeldArrays({"t": np.zeros(0, np.float32)})
    >>> held.put({"t": np.ones(2, np.float32)})
    >>> held.arrays()["t"].tolist()
    [1.0, 1.0]
    """

    def __init__(self, arrays: Mapping[str, Array]) -> None:
        super().__init__()
        for name, array in arrays.items():
            held = torch.from_numpy(np.ascontiguousarray(array))
            self.register_parameter(name, nn.Parameter(held, requires_grad=False))

    def arrays(self) -> dict[str, Array]:
        """Return the arrays by name; they share the memory of the parameters."""
        return {name: one.detach().numpy(force=True) for name, one in self.named_parameters()}

    def put(self, arrays: Mapping[str, Array]) -> None:
        """Hold other arrays under the same names."""
        for name, array in arrays.items():
            own = self.get_parameter(name)
            own.data = torch.from_numpy(np.ascontiguousarray(array)).to(own.device)

    def given(self, weights: Mapping[str, Tensor], prefix: str, where: str) -> dict[str, Array]:
        """Return what a file has for these arrays, under names that begin with `prefix`."""
        names = [name for name, _ in self.named_parameters()]
        missing = [name for name in names if prefix + name not in weights]
        if missing:
            raise CheckpointError(
                f"{where}: the weights are another model's: {prefix}{missing[0]} is missing. Use"
                " the folder as it was written."
            )
        return {name: weights[prefix + name].detach().numpy() for name in names}
