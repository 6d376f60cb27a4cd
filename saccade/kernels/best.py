"""The best few of many scores, and the best ways for a beam to go on. None without kernels."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from saccade.kernels import library, structures

Array = NDArray[Any]
_MANY = 1 << 17  # scores from which threads share the work


def highest(scores: Tensor, n: int) -> tuple[Array, Array] | None:
    """Find the `n` highest of each row of `[N, V]` and their places, both `[N, n]`, best first.

    Of equals, those that stand first.
    """
    kernels = _kernels_for(scores)
    if kernels is None:
        return None
    rows, size = scores.shape
    values, places = scores.new_empty(rows, n), scores.new_empty(rows, n, dtype=torch.long)
    where = (values.data_ptr(), places.data_ptr())
    kernels.best(scores.data_ptr(), rows, size, n, *where, _threads_for(scores))
    return values.numpy(), places.numpy()


def continuations(
    log_probs: Tensor, scores: Array, n: int
) -> tuple[Array, Array, Array, Array] | None:
    """Find the `n` best sums of a line's score and a symbol's log-probability, or all there are.

    Args:
        log_probs: `[B * K, V]`.
        scores: `[B, K]`.
        n: how many of each sentence.

    Returns:
        Sums, lines, symbols and the symbols' log-probabilities, `[B, n]` each, best first.
    """
    kernels = _kernels_for(log_probs)
    if kernels is None:
        return None
    (sentences, lines), size = scores.shape, log_probs.shape[1]
    n_each = min(n, size)
    shape, scores = (sentences, min(n, lines * n_each)), np.ascontiguousarray(scores, np.float32)
    totals, gains = (np.empty(shape, np.float32) for _ in range(2))
    parents, symbols = (np.empty(shape, np.int64) for _ in range(2))
    where = (one.ctypes.data for one in (totals, parents, symbols, gains))
    to, sizes = structures.BeamCandidates(*where), (sentences, lines, size, n_each, shape[1])
    threads = _threads_for(log_probs)
    kernels.ways_on(log_probs.data_ptr(), scores.ctypes.data, *sizes, to, threads)
    return totals, parents, symbols, gains


def _kernels_for(scores: Tensor) -> library.Kernels | None:
    """Return the kernels, if there are any and they can read these scores."""
    fits = scores.device.type == "cpu" and scores.dtype == torch.float32 and scores.is_contiguous()
    return library.found().kernels if fits else None


def _threads_for(scores: Tensor) -> int:
    return torch.get_num_threads() if scores.numel() >= _MANY else 1
