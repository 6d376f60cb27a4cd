"""All ways in which a channel can make one sequence of another, summed.

A pair is a source x, what was seen, and a target y, what was meant. Cell (j, s) of the lattice: j
symbols of the target are written, s of the source are made. All sums are in logarithms.
"""

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import pad

NEVER = -1e30  # the logarithm of 0


class EditScores(NamedTuple):
    """What the edits of pairs cost, in log-probabilities.

    emitted: `[B, T, S]`, target j makes source s.  dropped: `[B, T]`, target j makes nothing.
    inserted: `[B, T + 1, S]`, source s comes out of nothing behind target j; j = 0 is the start.
    ended: `[B]`, nothing more is inserted behind the last.  source_lengths, target_lengths: `[B]`.
    """

    emitted: Tensor
    dropped: Tensor
    inserted: Tensor
    ended: Tensor
    source_lengths: Tensor
    target_lengths: Tensor


class EditSums(NamedTuple):
    """Sums over the ways to a cell and from it: `[B, T + 1, S + 1]`, and over all: `[B]`."""

    forward: Tensor
    backward: Tensor
    total: Tensor


class EditPosteriors(NamedTuple):
    """How likely every edit is, given the pair: shaped as in `EditScores`, not logarithms."""

    emitted: Tensor
    dropped: Tensor
    inserted: Tensor


def scanned(before: Tensor, inserted: Tensor) -> Tensor:
    """Let symbols of the source come out of nothing.

        f[s] = before[s] + f[s-1] i[s]                 in logarithms, by one running sum

    Args:
        before: `[..., S + 1]`.
        inserted: `[..., S]`.
    """
    along = pad(inserted.cumsum(dim=-1), (1, 0))  # [..., S + 1]
    return along + torch.logcumsumexp(before - along, dim=-1)


def extended_row(row: Tensor, emitted: Tensor, dropped: Tensor, inserted: Tensor) -> Tensor:
    """Write one more symbol of the target.

        f'[s] = f[s] drop + f[s-1] emit[s] + f'[s-1] insert[s]

    Args:
        row: the sums so far, `[B, S + 1]`.
        emitted: `[B, S]`.
        dropped: `[B]`.
        inserted: behind the new symbol, `[B, S]`.
    """
    made = pad(row[:, :-1] + emitted, (1, 0), value=NEVER)
    return scanned(torch.logaddexp(row + dropped[:, None], made), inserted)


def first_row(inserted: Tensor) -> Tensor:
    """Return the sums before the first symbol of the target, `[B, S + 1]`."""
    nothing = pad(torch.full_like(inserted, NEVER), (1, 0), value=0.0)
    return scanned(nothing, inserted)


def edit_sums(scores: EditScores) -> EditSums:
    """Sum over all alignments of pairs, forward and backward.

    Ristad & Yianilos 1998 (IEEE PAMI 20, 5), section 3: forward and backward evaluation.
    """
    emitted, dropped, inserted = scores.emitted, scores.dropped, scores.inserted
    n_target = emitted.shape[1]
    rows = [first_row(inserted[:, 0])]
    for j in range(n_target):
        rows.append(extended_row(rows[-1], emitted[:, j], dropped[:, j], inserted[:, j + 1]))
    forward = torch.stack(rows, dim=1)  # [B, T + 1, S + 1]
    pairs = torch.arange(len(emitted), device=emitted.device)
    total = forward[pairs, scores.target_lengths, scores.source_lengths] + scores.ended
    place = torch.arange(emitted.shape[2] + 1, device=emitted.device)
    last = torch.where(place == scores.source_lengths[:, None], scores.ended[:, None], NEVER)
    back = _scanned_back(last, inserted[:, n_target])
    found = [back]
    for j in range(n_target - 1, -1, -1):
        made = pad(back[:, 1:] + emitted[:, j], (0, 1), value=NEVER)
        ahead = torch.logaddexp(back + dropped[:, j, None], made)
        here = torch.where((scores.target_lengths == j)[:, None], last, ahead)
        back = _scanned_back(here, inserted[:, j])
        found.append(back)
    return EditSums(forward, torch.stack(found[::-1], dim=1), total)


def edit_posteriors(scores: EditScores, sums: EditSums) -> EditPosteriors:
    """Return how likely every edit is: the way to it, itself, the way from it, over all ways."""
    forward, backward = sums.forward, sums.backward
    total = sums.total[:, None, None]
    inside = torch.arange(scores.emitted.shape[1], device=total.device)
    there = inside < scores.target_lengths[:, None]  # [B, T]
    places = torch.arange(scores.emitted.shape[2], device=total.device)
    here = places < scores.source_lengths[:, None]  # [B, S]
    emitted = (forward[:, :-1, :-1] + scores.emitted + backward[:, 1:, 1:] - total).exp()
    emitted = emitted * there[:, :, None] * here[:, None]
    dropped = forward[:, :-1] + scores.dropped[:, :, None] + backward[:, 1:] - total
    open_to = pad(here, (1, 0), value=True)  # [B, S + 1]
    dropped = (dropped.exp() * open_to[:, None]).sum(dim=2) * there
    inserted = (forward[:, :, :-1] + scores.inserted + backward[:, :, 1:] - total).exp()
    gaps = pad(there, (1, 0), value=True)  # [B, T + 1]
    return EditPosteriors(emitted, dropped, inserted * gaps[:, :, None] * here[:, None])


def _scanned_back(before: Tensor, inserted: Tensor) -> Tensor:
    """Do as `scanned`, from the last place to the first."""
    return scanned(before.flip(-1), inserted.flip(-1)).flip(-1)
