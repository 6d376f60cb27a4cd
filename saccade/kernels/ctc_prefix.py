"""The prefix beam of CTC in C. None without kernels."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from saccade.kernels import library, structures

Row = tuple[list[tuple[int, ...]], list[float]]  # prefixes, best first, and their scores


def prefix_beam(frames: Tensor, limits: NDArray[Any], width: int) -> list[Row] | None:
    """Go along frames `[B, S, V]` with `width` prefixes a row; return them, best first.

    What `search/_prefix_beam.py` finds without shapers; `limits` `[B]` are the most labels.
    """
    kernels = library.found().kernels if library.fits(frames) else None
    if kernels is None:
        return None
    frames, (rows, places, size) = frames.contiguous(), frames.shape
    limits = np.ascontiguousarray(limits, np.int64)
    tokens = np.zeros((rows, width, max(places, 1)), np.int32)
    lengths, scores = np.zeros((rows, width), np.int64), np.zeros((rows, width), np.float64)
    where = (one.ctypes.data for one in (limits, tokens, lengths, scores))
    sizes = (rows, places, size, width, min(torch.get_num_threads(), rows))
    call = structures.CtcPrefixCall(*sizes, frames.data_ptr(), *where)
    if kernels.ctc_prefix(call):  # there was not memory enough
        return None
    found: list[Row] = []
    for line, length, score in zip(tokens, lengths, scores.tolist(), strict=True):
        there = [k for k in range(width) if length[k] >= 0]
        prefixes = [tuple(line[k, : length[k]].tolist()) for k in there]
        found.append((prefixes, [score[k] for k in there]))
    return found
