"""Weights in and out of safetensors files, and averages of them."""

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from zlib import crc32

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor, nn
from torch.autograd.graph import increment_version

from saccade.errors import CheckpointError
from saccade.intake.tensors import StoredTensor, read_header
from saccade.train.files import aside

Weights = dict[str, Tensor]


def of(model: nn.Module) -> Weights:
    """Return a model's parameters by name; a matrix with two names appears once."""
    return {name: parameter.detach() for name, parameter in model.named_parameters()}


def count(model: nn.Module) -> int:
    """Count the numbers that training moves."""
    return sum(one.numel() for one in model.parameters() if one.is_floating_point())


def check(
    model: nn.Module, weights: Mapping[str, Tensor], where: str, *, finite: bool = True
) -> None:
    """Refuse weights from a file whose numbers are of another type, or none: NaN or infinite.

    `finite` is False for a model that says itself which numbers it takes.
    """
    for name, tensor in of(model).items():
        given = weights.get(name)
        if given is None:  # `put` says so
            continue
        if given.dtype != tensor.dtype:
            found, expected = (str(t.dtype).removeprefix("torch.") for t in (given, tensor))
            raise CheckpointError(
                f"{where}: {name} is of type {found}; expected {expected}. The file was changed, or"
                " is another model's: copy the model folder again."
            )
        if finite and given.is_floating_point() and not _is_finite(given):
            odd = int((~given.isfinite()).sum())
            raise CheckpointError(
                f"{where}: {name} holds {odd:,} numbers that are not finite; expected none. The"
                " file is damaged: copy the model folder again."
            )


def _is_finite(tensor: Tensor) -> bool:
    """Add up first, which shows any number that is not finite, and takes less than to look at each.

    A sum that is too large for its type is looked at again.
    """
    return bool(tensor.sum().isfinite()) or bool(tensor.isfinite().all())


def sums(model: nn.Module) -> dict[str, int]:
    """Return a checksum of every parameter, to see whether others have the same."""
    return {
        name: crc32(one.cpu().contiguous().numpy().tobytes()) for name, one in of(model).items()
    }


def put(model: nn.Module, weights: Mapping[str, Tensor], where: str) -> None:
    """Copy `weights` into a model; names and shapes must be the model's own."""
    own = of(model)
    missing, extra = sorted(own.keys() - weights.keys()), sorted(weights.keys() - own.keys())
    if missing or extra:
        raise CheckpointError(
            f"{where}: the weights are another model's: {_some(missing)} missing, {_some(extra)}"
            " unknown. Use the folder as it was written."
        )
    for name, tensor in own.items():
        if tensor.shape != weights[name].shape:
            raise CheckpointError(
                f"{where}: {name} has shape {list(weights[name].shape)}; the recipe's model needs"
                f" {list(tensor.shape)}. The vocabulary or the recipe is another model's."
            )
        _copy(weights[name], tensor)


def _copy(source: Tensor, target: Tensor) -> None:
    """Copy by one thread, which is all it takes: several wait for each other if cores are busy."""
    if source.dtype == target.dtype == torch.float32 and source.is_cpu and target.is_cpu:
        target.numpy()[...] = source.detach().numpy()
        increment_version(target)  # who packed the old ones must notice
    else:
        target.copy_(source)


def put_fitting(model: nn.Module, weights: Mapping[str, Tensor], where: str) -> list[str]:
    """Copy into a model those of `weights` that have a name and shape of its own; name them."""
    own = of(model)
    fitting = [n for n, t in own.items() if n in weights and weights[n].shape == t.shape]
    if not fitting:
        raise CheckpointError(
            f"{where}: none of its {len(weights)} weights fits the recipe's model; expected an"
            " embedding or layers of the same width. Give both models the same decoder and width."
        )
    for name in fitting:
        own[name].copy_(weights[name])
    return fitting


def _some(names: Sequence[str]) -> str:
    return f"{len(names)} (such as {names[0]})" if names else "none"


def save(path: Path, weights: Mapping[str, Tensor]) -> None:
    """Write weights to a safetensors file.

    The library writes aside under a name of its own. It does so in a folder of ours, which
    sweeps know: else every kill would leave a file of that size.
    """
    room = aside(path.with_name(path.name.lstrip(".")))
    room.mkdir(exist_ok=True)
    try:
        made = room / "weights"
        save_file({name: t.detach().cpu().contiguous() for name, t in weights.items()}, made)
        made.replace(path)
    finally:
        shutil.rmtree(room, ignore_errors=True)


def header(path: Path) -> dict[str, StoredTensor]:
    """Say which tensors a safetensors file holds, without reading them."""
    try:
        return read_header(path)
    except FileNotFoundError:
        raise CheckpointError(
            f"{path}: missing; this checkpoint is not whole. Use another."
        ) from None
    except (OSError, ValueError) as error:
        raise CheckpointError(
            f"{path}: not a whole safetensors file ({error}); it was cut short or damaged. Use"
            " another checkpoint."
        ) from None


def load(path: Path) -> Weights:
    """Read weights from a safetensors file."""
    header(path)
    try:
        with safe_open(path, framework="pt") as file:
            return {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError, RuntimeError) as error:  # the last is torch's, as it maps it
        raise CheckpointError(
            f"{path}: not a whole safetensors file ({error}); it was cut short or damaged. Use"
            " another checkpoint."
        ) from None


def average(all_weights: Sequence[Mapping[str, Tensor]]) -> Weights:
    """Return the mean of several models' weights, computed in float64."""
    first = all_weights[0]
    return {
        name: torch.stack([w[name].double() for w in all_weights]).mean(dim=0).to(first[name].dtype)
        for name in first
    }
