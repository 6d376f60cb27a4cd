"""What a picture network is: pixels in, a grid of features out.

A trunk can be the first layer of a model, where it learns or is held fixed (`TrunkEmbedder`), or it
can be run once over all pictures before training (modality `features`).
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.overrides import handle_torch_function, has_torch_function_variadic

from saccade.embedders._grid import GridProjection, extents
from saccade.embedders._pretrained import read_kept
from saccade.embedders.base import Embedder
from saccade.errors import RecipeError, ShapeError
from saccade.flow import Padded

CHANNELS = 3  # red, green, blue


class Trunk(nn.Module, ABC):
    """A convolutional network without what classifies: the features of squares of a picture.

    stride: pixels each way that a place of the grid stands for.  channels: features of a place.
    stages: all layers from the first to the last, for those who let only the last ones learn.

    A picture does not depend on those beside it: there are no statistics of a batch.
    """

    stride: ClassVar[int]
    channels: int

    @property
    @abstractmethod
    def stages(self) -> Sequence[nn.Module]:
        """The layers in order, the first first."""

    @abstractmethod
    def forward(self, pixels: Tensor) -> Tensor:
        """Read pixels `[B, H, W, 3]` from 0 to 255; return features `[B, H', W', C]`."""

    @abstractmethod
    def trained(self) -> Mapping[str, Tensor]:
        """Read weights that were trained elsewhere, by our names; {} if they are to be drawn."""

    def grid(self, shape: tuple[int, ...]) -> tuple[int, int]:
        """Return the rows and columns of the grid of a picture `[H, W, C]`."""
        return -(-shape[0] // self.stride), -(-shape[1] // self.stride)

    def fingerprint(self) -> str:
        """Hash the weights."""
        found = blake2b(digest_size=16)
        for name, weight in sorted(self.state_dict().items()):
            found.update(name.encode())
            found.update(weight.detach().cpu().contiguous().numpy().tobytes())
        return found.hexdigest()


def read_trained(trunk: Trunk) -> None:
    """Put weights that were trained elsewhere into a network.

    Like a function of torch that draws, it can be overridden: a model whose weights are read from
    its folder needs no others (see `train/initialisation.py`).
    """
    first = next(trunk.parameters())
    if has_torch_function_variadic(first):
        handle_torch_function(read_trained, (first,), trunk)
        return
    _put(trunk, trunk.trained())


def put_kept(trunk: Trunk, path: Path) -> None:
    """Put the weights that a model folder keeps of a network into it."""
    _put(trunk, read_kept(path, {name: p.shape for name, p in trunk.named_parameters()}))


def _put(trunk: Trunk, weights: Mapping[str, Tensor]) -> None:
    own = dict(trunk.named_parameters())
    kind = type(trunk).__name__
    odd = sorted(own.keys() ^ weights.keys()) if weights else []
    if odd:
        raise RecipeError(
            f"{kind}: the weights have other names than the network: {odd[0]} and {len(odd) - 1}"
            f" more stand on one side only; expected {len(own)} such as {next(iter(own))}."
            " Rename them."
        )
    with torch.no_grad():
        for name, weight in weights.items():
            if own[name].shape != weight.shape:
                raise RecipeError(
                    f"{kind}: {name} has shape {list(weight.shape)}; the network needs"
                    f" {list(own[name].shape)}. Use the weights of this network."
                )
            own[name].copy_(weight)


class TrunkEmbedder(Embedder, ABC):
    """A picture network, and a linear map from its features to vectors.

        f = trunk(p)
        x[i, j] = relu(W f[i, j] + C [r[i]; c[j]] + b)

    The weights of a trunk that was trained elsewhere are kept in the model's folder like all
    others. Those that do not learn get no gradient and no update.

    Args:
        size: channels of the pictures: three.
        dim: width of the vectors.
        trunk: the network.
        train: how many of its last stages learn: 0 is none.
        places: whether a vector knows where it lies (C).
    """

    raw: ClassVar[str] = "picture"

    def __init__(self, size: int, dim: int, trunk: Trunk, *, train: int, places: bool) -> None:
        super().__init__(size, dim)
        if size != CHANNELS:
            raise ShapeError(
                f"{type(trunk).__name__}: the picture has {size} channels; expected {CHANNELS}:"
                " red, green and blue. Use the embedder cnn or projected."
            )
        if train < 0:
            raise ShapeError(
                f"{type(trunk).__name__}: train is {train}; expected the number of last stages that"
                f" learn, 0 to {len(trunk.stages)}. Change it."
            )
        self.trunk = trunk
        self.projection = GridProjection(trunk.channels, dim, places=places)
        read_trained(trunk)
        for stage in trunk.stages[: max(0, len(trunk.stages) - train)]:
            stage.requires_grad_(requires_grad=False)

    def grid(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Return the rows and columns of the network's grid."""
        return self.trunk.grid(shape)

    def forward(self, source: Padded) -> Padded:
        """Read pixels `[B, H, W, 3]` from 0 to 255; return `[B, H' W', D]`, row by row.

        Pictures of one size go through the network together, those of another apart.
        """
        dtype = self.projection.W.weight.dtype
        if bool(source.mask.all()):
            features: Tensor = self.trunk(source.values.to(dtype))  # [B, H', W', C]
            mask = torch.ones(features.shape[:3], dtype=torch.bool, device=features.device)
            vectors: Padded = self.projection(Padded(features, mask))
            return vectors
        found: Padded = self.projection(self._unequal(source, dtype))
        return found

    def _unequal(self, source: Padded, dtype: torch.dtype) -> Padded:
        """Run pictures of unequal size, those of one size together."""
        sizes = torch.stack(extents(source.mask), dim=1)  # [B, 2]
        B, height, width = source.mask.shape
        rows, columns = self.trunk.grid((height, width))
        values = source.values.new_zeros((B, rows, columns, self.trunk.channels), dtype=dtype)
        mask = torch.zeros((B, rows, columns), dtype=torch.bool, device=values.device)
        for h, w in {(h, w) for h, w in sizes.tolist()}:
            own = (sizes == sizes.new_tensor([h, w])).all(dim=1)  # [B]
            features = self.trunk(source.values[own, :h, :w].to(dtype))  # [b, H', W', C]
            down, across = features.shape[1:3]
            values[own, :down, :across] = features
            mask[own, :down, :across] = True
        return Padded(values, mask)
