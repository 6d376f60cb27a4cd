"""What stands ahead of a prefix in a noisy channel: all ways to go on, summed by their bigrams."""

from typing import NamedTuple

import torch
from torch import Tensor

from saccade.flow import Padded
from saccade.heads._backoff import BackoffHead
from saccade.kernels.backoff import ROOT
from saccade.models._edit_channel import EditChannel
from saccade.models._edit_lattice import NEVER
from saccade.tokenizers._vocabulary import END, PAD, START

_SILENT = 8  # symbols in a row that may make nothing, in what is summed
_LEAST = 1e-300


class Ahead(NamedTuple):
    """What may still come at each place of sources.

    beyond: `[B, S + 1, V]`, the probability of what is left of the source behind that place, when
    the symbol was written last, over all ways to go on, divided by that of the place.  scales:
    `[B, S + 1]`, logarithm of the probability of the place.  made: `[B, S, V]`, how likely each
    symbol makes that of the source, times what is beyond it.  lengths: `[B]`.
    """

    beyond: Tensor
    scales: Tensor
    made: Tensor
    lengths: Tensor


class NextSymbol(NamedTuple):
    """Log-probabilities of the next symbol `[B, V]`, and which place it makes: onset `[B, S]`."""

    log_probs: Tensor
    onset: Tensor


def ahead_of(channel: EditChannel, prior: BackoffHead, source: Padded, weight: float) -> Ahead:
    """Sum up all ways to go on, from the last place to the first.

        G[c, s] = insert[c, x] G[c, s+1] + stop[c] p(END | c)^w             if s is the last place
                  + stop[c] sum_d p(d | c)^w (drop[c, d] G[d, s] + keep[c, d] taken[d, x] G[d, s+1])

    x is the symbol of the source behind place s. G is on both sides of the drops: their sum over
    up to eight symbols in a row is one matrix.
    """
    x, size = source.values, channel.size
    stop = channel.stop.exp()[:, None]  # [V, 1]
    follows = (weight * bigrams(prior).double()).exp()  # [V, V], c then d
    end = stop[:, 0] * follows[:, END]
    follows = follows.index_fill(1, torch.tensor([PAD, START, END], device=x.device), 0.0)
    silent = stop * follows * channel.dropped.exp()
    series = torch.eye(size, dtype=torch.double, device=x.device)
    for _ in range(_SILENT):
        series = torch.eye(size, dtype=torch.double, device=x.device) + silent @ series
    spoken = stop * follows * channel.kept.exp()
    seen = channel.taken.T[x].exp()  # [B, S, V]
    inserted = channel.inserted.T[x].exp()
    here = torch.zeros(len(x), size, dtype=torch.double, device=x.device)
    scale = torch.full_like(here[:, 0], NEVER)
    beyond, scales = list[Tensor](), list[Tensor]()
    for s in range(x.shape[1], -1, -1):
        if s < x.shape[1]:
            here = inserted[:, s] * here + (seen[:, s] * here) @ spoken.T
        last = (source.lengths == s)[:, None]
        here = torch.where(last, end, here) @ series.T
        scale = torch.where(last[:, 0], 0.0, scale)
        highest = here.amax(dim=1).clamp(min=_LEAST)
        here, scale = here / highest[:, None], scale + highest.log()
        beyond.append(here)
        scales.append(scale)
    whole = torch.stack(beyond[::-1], dim=1)  # [B, S + 1, V]
    made = seen * whole[:, 1:]
    return Ahead(whole, torch.stack(scales[::-1], dim=1), made, source.lengths)


def next_symbol(
    channel: EditChannel, ahead: Ahead, row: Tensor, last: Tensor, prior: Tensor
) -> NextSymbol:
    """Say how likely each symbol and END is next.

        p(c | y, x) ~ p(c | y)^w sum_s row[s] (drop G[c, s] + keep taken[c, x] G[c, s+1])
        p(END | y, x) ~ p(END | y)^w row[S]

    Args:
        channel: the edits.
        ahead: what may come behind.
        row: the sums of the edit lattice over what is written, `[B, S + 1]`.
        last: the symbol written last, `[B]`.
        prior: w log p of each symbol, `[B, V]`.
    """
    weighed = row + ahead.scales  # [B, S + 1]
    later = row[:, :-1] + ahead.scales[:, 1:]  # [B, S]
    whole = row.gather(1, ahead.lengths[:, None])  # [B, 1]
    highest = torch.maximum(weighed.amax(dim=1, keepdim=True), whole)
    if later.shape[1]:
        highest = torch.maximum(highest, later.amax(dim=1, keepdim=True))
    dropped = ((weighed - highest).exp()[:, None] @ ahead.beyond)[:, 0]  # [B, V]
    each = (later - highest).exp()  # [B, S]
    made = (each[:, None] @ ahead.made)[:, 0]  # [B, V]
    drop, keep = channel.dropped[last].exp(), channel.kept[last].exp()  # [B, V]
    mass = drop * dropped + keep * made
    mass = mass.index_fill(1, torch.tensor([PAD, START], device=mass.device), 0.0)
    mass[:, END] = (whole - highest).exp()[:, 0]
    scores = mass.clamp(min=_LEAST).log() + prior
    scores = torch.where(mass > 0, scores, NEVER)
    onset = each * (ahead.made @ (keep * prior.exp())[:, :, None])[:, :, 0]  # [B, S]
    onset = onset / onset.sum(dim=1, keepdim=True).clamp(min=_LEAST)
    return NextSymbol(scores.log_softmax(dim=1), onset)


def bigrams(prior: BackoffHead) -> Tensor:
    """Return log p(d | c) of all symbols, `[V, V]`; of c alone if there are no bigrams."""
    every = torch.arange(prior.size, device=prior.table.keys.device)
    contexts = prior.walk(torch.full_like(every, ROOT), every)
    return prior.log_probs(contexts[:, None])
