"""The prefix beam of CTC in C, and what its labels add. None without kernels."""

import ctypes
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from saccade.kernels import library, structures
from saccade.kernels.backoff import FusedTable, walk_of

Row = tuple[list[tuple[int, ...]], list[float]]  # prefixes, best first, and their scores


def prefix_beam(
    frames: Tensor, limits: NDArray[Any], width: int, fused: FusedTable | None = None
) -> list[Row] | None:
    """Go along frames `[B, S, V]` with `width` prefixes a row; return them, best first.

    What `search/_prefix_beam.py` finds without shapers, or with that of the table `fused`; `limits`
    `[B]` are the most labels.
    """
    kernels = library.found().kernels if library.fits(frames) else None
    walk = walk_of(fused) if fused and len(fused.ids) == frames.shape[2] else None
    if kernels is None or (fused and walk is None):
        return None
    frames, (rows, places, size) = frames.contiguous(), frames.shape
    limits = np.ascontiguousarray(limits, np.int64)
    tokens = np.zeros((rows, width, max(places, 1)), np.int32)
    lengths, scores = np.zeros((rows, width), np.int64), np.zeros((rows, width), np.float64)
    where = (one.ctypes.data for one in (limits, tokens, lengths, scores))
    sizes = (rows, places, size, width, min(torch.get_num_threads(), rows))
    place = ctypes.addressof(walk) if walk else None
    call = structures.CtcPrefixCall(*sizes, frames.data_ptr(), place, *where)
    if kernels.ctc_prefix(call):  # there was not memory enough
        return None
    found: list[Row] = []
    for line, length, score in zip(tokens, lengths, scores.tolist(), strict=True):
        there = [k for k in range(width) if length[k] >= 0]
        prefixes = [tuple(line[k, : length[k]].tolist()) for k in there]
        found.append((prefixes, [score[k] for k in there]))
    return found


def spelling(frames: Tensor, rows: Tensor, labels: Tensor, lengths: Tensor) -> Tensor | None:
    """Return log-probabilities of labels `[N, L]` and of END behind them, `[N, L + 1]`, double.

    What `search/_prefix_sums.py` says; each line has one row of frames `[B, S, V]`, `rows [N]`.
    """
    kernels = library.found().kernels if library.fits(frames) else None
    if kernels is None:
        return None
    frames, (lines, longest) = frames.contiguous(), labels.shape
    gains = torch.zeros(lines, longest + 1, dtype=torch.double)
    held = [one.contiguous() for one in (rows, labels, lengths)]
    sizes = (lines, *frames.shape[1:], longest, min(torch.get_num_threads(), max(lines, 1)))
    where = (one.data_ptr() for one in (frames, *held, gains))
    return None if kernels.ctc_spelling(structures.CtcSpellingCall(*sizes, *where)) else gains
