"""Run the two graphs of `export/_graphs.py` with onnxruntime, as a model that search can step."""

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import torch
from numpy.typing import NDArray
from onnxruntime.capi import onnxruntime_pybind11_state as refusals
from torch import Tensor

from saccade.errors import CheckpointError, ShapeError
from saccade.export._graphs import ENCODE, NEXT, STEP
from saccade.flow import (
    SOURCE,
    Batch,
    Decoded,
    Sources,
    State,
    Stepped,
    nested,
    only,
    tensor,
)
from saccade.heads.base import Categorical
from saccade.models.base import Model, Writer

Arrays = dict[str, NDArray[Any]]


class Sessions(Writer):
    """A model in onnxruntime: the same `start` and `step` as the model of torch it was made of.

    Its State is flat, with the names of the graphs; what depends on the source alone is in SOURCE.
    Tensors and arrays share their memory: nothing is copied between torch and onnxruntime.

    Args:
        folder: where `encode.onnx` and `step.onnx` are.
        reads: whether there is a source.
        original: opens the model of torch, which says where it looks, if that is at hand.
    """

    def __init__(
        self,
        folder: Path,
        *,
        reads: bool = True,
        original: Callable[[], Model | None] | None = None,
    ) -> None:
        super().__init__()
        self.reads = reads  # type: ignore[misc]
        self.head = _LogProbs(0, 0)
        self._original = original
        self._encode, self._step = (_session(folder / name) for name in (ENCODE, STEP))
        names = [one.name for one in self._step.get_inputs() if one.name != "token"]
        self._fixed = [name for name in names if name.startswith(f"{SOURCE}.")]
        self._moving = [name for name in names if not name.startswith(f"{SOURCE}.")]
        self._outputs = ["log_probs", *(NEXT + name for name in self._moving)]

    def start(self, sources: Sources) -> State:
        """Read the source; return the state before the first symbol."""
        names, source = [*self._fixed, *self._moving], only(sources).flat()
        feeds = {"ids": _array(source.values), "mask": _array(source.mask)}
        found = dict(zip(names, _run(self._encode, names, feeds), strict=True))
        fixed: State = {name: found[name] for name in self._fixed}
        return {SOURCE: fixed, **{name: found[name] for name in self._moving}}

    def advance(self, token: Tensor, state: State, *, look: bool = False) -> Stepped:
        """Read one symbol `[B]`; the features are log-probabilities of the next `[B, V]`."""
        fixed = nested(state, SOURCE)
        feeds = {"token": _array(token)}
        feeds |= {name: _array(tensor(fixed, name)) for name in self._fixed}
        feeds |= {name: _array(tensor(state, name)) for name in self._moving}
        log_probs, *after = _run(self._step, self._outputs, feeds)
        state = {SOURCE: fixed, **dict(zip(self._moving, after, strict=True))}
        return Stepped(log_probs, None, state)

    def forward(self, batch: Batch, *, look: bool = False) -> Decoded:
        """Step through the prefix; the features are the log-probabilities. Torch looks."""
        state, written = self.start(batch.sources), []
        for token in batch.prefix.unbind(dim=1):
            log_probs, state = self.step(token, state)
            written.append(log_probs)
        features = torch.stack(written, dim=1)  # [B, T, V]
        return Decoded(features, self._look(batch) if look else None)

    @property
    def attention_names(self) -> tuple[str, ...]:
        """Those of the model of torch; none if it is not at hand."""
        return self._torch.attention_names if self._torch else ()

    @property
    def origin(self) -> Model | None:
        """The model of torch, if it is at hand."""
        return self._torch

    @cached_property
    def _torch(self) -> Model | None:
        return self._original() if self._original else None

    def _look(self, batch: Batch) -> Tensor:
        if self._torch is None:
            return torch.zeros(*batch.prefix.shape, 0, batch.source.mask.shape[1])  # no maps
        weights: Tensor | None = self._torch(batch, look=True).weights
        assert weights is not None
        return weights


class _LogProbs(Categorical):
    """The head of a graph that ends in log-probabilities."""

    def log_probs(self, features: Tensor) -> Tensor:
        """Return the features: they are log-probabilities."""
        return features


def _array(values: Tensor) -> NDArray[Any]:
    return np.ascontiguousarray(values.numpy())


def _run(session: Any, names: list[str], feeds: Arrays) -> list[Tensor]:
    try:
        found = session.run(names, feeds)
    except (refusals.Fail, refusals.InvalidArgument, refusals.RuntimeException) as error:
        raise ShapeError(
            f"engine onnx: onnxruntime cannot take these sentences ({str(error).splitlines()[0]});"
            " expected none longer than the model was built for. Use --engine torch, which says"
            " more."
        ) from None
    return [torch.from_numpy(one) for one in found]


def _session(path: Path) -> Any:
    if not path.exists():
        raise CheckpointError(
            f"{path}: no such file; expected a graph that `saccade export MODEL --to onnx` writes."
            " Export the model again."
        )
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = torch.get_num_threads()
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # others work too
    options.log_severity_level = 3  # errors only
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except (refusals.Fail, refusals.InvalidGraph, refusals.InvalidProtobuf) as error:
        raise CheckpointError(
            f"{path}: damaged ({str(error).splitlines()[0]}); expected a graph that `saccade export"
            " MODEL --to onnx` writes. Export the model again."
        ) from None
