"""Viterbi search in C, and what it needs: see `trellis.c`. None without kernels.

Tagging the test set of CoNLL-2000 (2,012 sentences) takes 0.79 s of processor time with it and
4.2 s without, one thread, one run: `python -m benchmarks.tagging RUN`.
"""

from collections.abc import Mapping

import torch
from torch import Tensor

from saccade.kernels import library
from saccade.kernels.trellis_structures import FollowersCall, TrellisCall


def best_path(tables: Tensor, leads: Tensor, scores: Tensor, lengths: Tensor) -> Tensor | None:
    """Find the candidates of the likeliest path, `[B, P]`: those of `Trellis.best_path`, exactly.

    None also where a row has no path at all.

    Args:
        tables: `[U, A, C, C]`, double.
        leads: `[B, P]`.
        scores: `[B, P, C]`, double.
        lengths: `[B]`, less than P each.
    """
    kernels = _kernels_for(tables, scores)
    if kernels is None:
        return None
    path = torch.empty_like(leads, memory_format=torch.contiguous_format)
    held = [one.contiguous() for one in (tables, scores, leads, lengths)]
    where = (one.data_ptr() for one in held)
    call = TrellisCall(*_sizes(tables, leads), *where, None, None, path.data_ptr(), None)
    return None if kernels.trellis_best(call) else path


def gains(
    tables: Tensor, leads: Tensor, scores: Tensor, lengths: Tensor, written: tuple[Tensor, Tensor]
) -> Tensor | None:
    """Measure what each symbol adds to the log-probability, `[B, P]`: `Trellis.gains`, to rounding.

    Args:
        tables, leads, scores, lengths: as for `best_path`.
        written: symbols of all candidates `[B, P, C]`, and those that were written `[B, P]`.
    """
    kernels = _kernels_for(tables, scores)
    if kernels is None:
        return None
    found = torch.zeros(leads.shape, dtype=torch.double)
    held = [one.contiguous() for one in (tables, scores, leads, lengths, *written)]
    where = (one.data_ptr() for one in held)
    call = TrellisCall(*_sizes(tables, leads), *where, None, found.data_ptr())
    return None if kernels.trellis_gains(call) else found


def followers(
    names: Tensor, candidates: Tensor, order: int, counted: Mapping[str, Tensor]
) -> Tensor | None:
    """Write how likely candidates follow each other, `[U, A, C, C]`: `HmmTables`, to rounding.

    Args:
        names: `[U]`, groups of candidates that follow each other, (a n + b) n + c.
        candidates: `[n, C]`, states; -1 behind the last of a group.
        order: states before one that it depends on, 1 or 2; A is C at order 2, else 1.
        counted: parameters of `HmmTables` by their names.
    """
    keys, values = ("pair_keys", "triple_keys"), ("ones", "pairs", "triples", "shares")
    kernels = _kernels_for(*(counted[name] for name in values))
    if kernels is None:
        return None
    width = candidates.shape[1]
    tables = torch.zeros(len(names), width if order > 1 else 1, width, width, dtype=torch.double)
    held = [names, candidates, *(counted[name] for name in (*keys, *values))]
    held = [one.detach().contiguous() for one in held]
    sizes = (len(names), len(candidates), width, len(counted["ones"]))
    known = (len(counted[name]) for name in keys)
    where = (one.data_ptr() for one in (*held, tables))
    call = FollowersCall(*sizes, *known, order, _threads(len(names)), *where)
    return None if kernels.trellis_followers(call) else tables


def _kernels_for(*numbers: Tensor) -> library.Kernels | None:
    """Return the kernels, if there are any and they can read these numbers."""
    if not all(one.device.type == "cpu" and one.dtype == torch.double for one in numbers):
        return None
    return library.found().kernels


def _sizes(tables: Tensor, leads: Tensor) -> tuple[int, ...]:
    return (*leads.shape, *tables.shape[1:3], _threads(len(leads)))


def _threads(most: int) -> int:
    return max(min(torch.get_num_threads(), most), 1)
