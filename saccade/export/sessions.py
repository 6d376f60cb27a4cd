"""Run the two graphs of `export/onnx.py` with onnxruntime, as search wants it: start and step."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from saccade.errors import CheckpointError, RecipeError
from saccade.export.onnx import ENCODE, NEXT, STEP
from saccade.flow import SOURCE, Padded, State, Step, nested, tensor

Arrays = Mapping[str, NDArray[Any]]


class Sessions:
    """A model in onnxruntime: gives search the same `start` and `step` as a model of torch.

    Its State is flat, with the names of the graphs: what depends on the source alone is in SOURCE.
    Tensors and arrays share their memory; nothing is copied between torch and onnxruntime.

    Args:
        folder: where `encode.onnx` and `step.onnx` are.
        threads: processor threads to compute with; torch's number if 0.
    """

    def __init__(self, folder: Path, *, threads: int = 0) -> None:
        self._encode = _session(folder / ENCODE, threads)
        self._step = _session(folder / STEP, threads)
        names = [one.name for one in self._step.get_inputs()]
        self._fixed = [name for name in names if _is_fixed(name)]
        self._moving = [name for name in names if name != "token" and not _is_fixed(name)]
        self._outputs = ["log_probs", *(NEXT + name for name in self._moving)]

    def start(self, source: Padded) -> State:
        """Read the source `[B, S]`; return the state before the first symbol."""
        feeds = {"ids": _array(source.values), "mask": _array(source.mask)}
        wanted = [*self._fixed, *self._moving]
        found = dict(zip(wanted, self._encode.run(wanted, feeds), strict=True))
        fixed: State = {name: torch.from_numpy(found[name]) for name in self._fixed}
        return {SOURCE: fixed, **{name: torch.from_numpy(found[name]) for name in self._moving}}

    def step(self, token: Tensor, state: State) -> Step:
        """Read one symbol `[B]`; return log-probabilities of the next `[B, V]` and the state."""
        fixed = nested(state, SOURCE)
        feeds: dict[str, NDArray[Any]] = {"token": _array(token)}
        feeds |= {name: _array(tensor(fixed, name)) for name in self._fixed}
        feeds |= {name: _array(tensor(state, name)) for name in self._moving}
        log_probs, *after = map(torch.from_numpy, self._step.run(self._outputs, feeds))
        return Step(log_probs, {SOURCE: fixed, **dict(zip(self._moving, after, strict=True))})


def _is_fixed(name: str) -> bool:
    return name.startswith(f"{SOURCE}.")


def _array(values: Tensor) -> NDArray[Any]:
    return np.ascontiguousarray(values.numpy())


def _session(path: Path, threads: int) -> Any:
    try:
        import onnxruntime  # noqa: PLC0415 - an extra
    except ImportError:
        raise RecipeError(
            "engine onnx: onnxruntime is not installed; expected the extra export. Install it with"
            " `pip install 'saccade[export]'`."
        ) from None
    if not path.exists():
        raise CheckpointError(
            f"{path}: no such file; expected a graph that `saccade export MODEL --to onnx` writes."
            " Export the model again."
        )
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads or torch.get_num_threads()
    options.inter_op_num_threads = 1
    options.log_severity_level = 3  # errors
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
