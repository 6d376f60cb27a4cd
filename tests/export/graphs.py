"""Models as graphs, small: written once a model, and compared with torch step by step."""

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path

import torch
from torch import Tensor
from torch.testing import assert_close

from saccade.engines._open import load
from saccade.engines._sessions import Sessions
from saccade.export import _graphs
from saccade.flow import Padded, reorder
from saccade.flow import padded as pad
from saccade.models.base import Model, Writer, writer
from tests.train import small

SOURCES = [[4, 5, 6, 2], [5, 2], [7, 4, 8, 9, 6, 2]]
TOKENS = torch.tensor([[1, 1, 1], [4, 8, 6], [5, 5, 7], [9, 4, 8]])  # [T, B]


def sessions_of(model: Model, folder: Path) -> Sessions:
    _graphs.write(model, folder)
    return Sessions(folder, reads=model.reads)


@torch.no_grad()
def steps(model: Writer, source: Padded, tokens: Tensor) -> list[Tensor]:
    """Log-probabilities of every step; half-way the rows change places, as in a beam."""
    state, found = model.start({"source": source}), []
    for t, token in enumerate(tokens):
        log_probs, state = model.step(token, state)
        found.append(log_probs)
        if t == 1:
            state = reorder(state, torch.arange(len(token)).flip(0))
    return found


def assert_same_steps(model: Model, sessions: Sessions) -> None:
    """Compare a batch of ragged rows, and one row of one symbol, with torch."""
    for rows in (SOURCES, [[2]]):
        source, tokens = pad(rows), TOKENS[:, : len(rows)]
        ours, theirs = steps(sessions, source, tokens), steps(writer(model), source, tokens)
        for one, other in zip(ours, theirs, strict=True):
            assert_close(one, other, atol=1e-5, rtol=1e-5)


@cache
def small_run() -> Path:
    """A trained model folder with its graphs in engines/onnx-float32; written once, only read."""
    folder = Path(tempfile.mkdtemp(prefix="saccade-test-")) / "run"
    atexit.register(shutil.rmtree, folder.parent)
    small.run(folder, max_steps=40)
    load(folder, engine="onnx")
    return folder
