"""Checkpoints in shards: each process writes its rows; any number of processes reads what it needs.

The files are safetensors, in the layout of torch's distributed checkpoints (DCP) of that kind: the
metadata of a file says where in each tensor its rows begin. So `torch.distributed.checkpoint` cuts
them anew when they are read. DCP's own format, which has a pickle, is neither written nor read.
"""

import json
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.torch import save_file
from torch import Tensor
from torch.distributed.checkpoint.hf_storage import HuggingFaceStorageReader
from torch.distributed.checkpoint.metadata import Metadata, TensorStorageMetadata
from torch.distributed.checkpoint.state_dict_loader import load
from torch.distributed.tensor import DTensor

from saccade.errors import CheckpointError
from saccade.train.holding import Room

_KEY, _OFFSETS = "DCP_SHARDING_INFO", "saved_offsets"


def write_part(path: Path, tensors: Mapping[str, Tensor], rank: int) -> None:
    """Write the rows of this process; what has no parts is written by process 0."""
    parts, places = dict[str, Tensor](), dict[str, dict[str, list[int]]]()
    for name, tensor in tensors.items():
        first = first_row(tensor, rank) if isinstance(tensor, DTensor) else 0
        part = tensor.to_local() if isinstance(tensor, DTensor) else tensor
        if part.numel() and (isinstance(tensor, DTensor) or rank == 0):
            parts[name] = part.detach().cpu().contiguous()
            places[name] = {_OFFSETS: [first, *[0] * (part.dim() - 1)][: part.dim()]}
    save_file(parts, path, {_KEY: json.dumps(places)})


def first_row(tensor: DTensor, rank: int) -> int:
    """Return where the part of a process begins: parts are of ceil(rows / processes) rows."""
    rows, n = tensor.shape[0], tensor.device_mesh.size()
    return min(rank * -(-rows // n), rows)


def read_parts(folder: Path, files: Sequence[str], room: Room, advice: str) -> dict[str, Tensor]:
    """Read the tensors of some files of one checkpoint, into what `room` makes for each.

    Nobody is asked: every process reads by itself, and none runs what another says.
    """
    reader = _Reader(folder, files)
    try:
        known = _complete(reader.read_metadata(), folder, advice)
        found = {name: room(name, one.size, one.properties.dtype) for name, one in known.items()}
        with warnings.catch_warnings():  # that nobody is asked is what is wanted
            warnings.filterwarnings("ignore", message="torch.distributed is disabled")
            load(found, storage_reader=reader, no_dist=True)
    except (SafetensorError, OSError, KeyError, ValueError, TypeError) as error:
        raise CheckpointError(
            f"{folder}: its shards cannot be put together ({error}); expected all that were"
            f" written. {advice}"
        ) from None
    return found


class _Reader(HuggingFaceStorageReader):
    """Reads some of the files of a folder."""

    def __init__(self, folder: Path, files: Sequence[str]) -> None:
        super().__init__(str(folder))
        self.fs: Any = _Listing([str(folder / name) for name in files])


class _Listing:
    """The only files that there are."""

    def __init__(self, files: list[str]) -> None:
        self._files = files

    def ls(self, _: object) -> list[str]:
        return self._files


def _complete(found: Metadata, folder: Path, advice: str) -> dict[str, TensorStorageMetadata]:
    """Refuse tensors of which rows are missing."""
    known = dict[str, TensorStorageMetadata]()
    for name, one in found.state_dict_metadata.items():
        assert isinstance(one, TensorStorageMetadata)
        there = sum(chunk.sizes.numel() for chunk in one.chunks)
        if there != one.size.numel():
            raise CheckpointError(
                f"{folder}: its shards hold {there:,} numbers of {name}; expected"
                f" {one.size.numel():,}. {advice}"
            )
        known[name] = one
    return known
