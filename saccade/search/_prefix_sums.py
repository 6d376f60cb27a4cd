"""CTC label by label: how likely every label is to follow those that were written.

    psi(g)      = p(the labels begin with g)
    p(c | g)    = psi(g c) / psi(g)                          p(END | g) = p(g) / psi(g)

Graves 2008, "Supervised sequence labelling", section 7.5.3; Watanabe et al. 2017 (IEEE JSTSP 11,
8), algorithm 2. By the chain rule these probabilities of a label sequence multiply to what CTC says
of it, so every search over symbols searches a CTC model.

Two sums over frames remember a prefix g: n[t] and b[t], the probability that frames 1..t spell g
and end in its last label, or in a blank. With y[t, c] what frame t says of c,

    n'[t] = y[t, c] (n'[t-1] + phi[t-1])          phi = b if c repeats the last label, else b + n
    b'[t] = y[t, blank] (b'[t-1] + n'[t-1])

Both recursions are linear, so each is one cumulative sum in logarithms: with Y the cumulative
product of y, n'[t] = Y[t] sum_{u <= t} phi[u-1] / Y[u-1]. Sums are in double precision.
"""

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import pad

from saccade.search._frames import BLANK, NEVER, POSSIBLE

IMPOSSIBLE = -1000.0  # the log-probability of what cannot be: finite, and below all that can
_LEAST = 1e-300


class Marks(NamedTuple):
    """The ids that are no labels: what is read before the first, and written behind the last."""

    start: int
    end: int


class PrefixSums(NamedTuple):
    """What is remembered of prefixes: `label` and `blank` `[N, S + 1]` from before the first frame.

    last: `[N]`, the label written last, START if none was.
    """

    label: Tensor
    blank: Tensor
    last: Tensor


class NextLabel(NamedTuple):
    """What may come next: log-probabilities `[..., V]`, and how likely it begins at each frame.

    onset: `[..., S]`, sums to one, or zeros where nothing can begin.
    """

    log_probs: Tensor
    onset: Tensor


def nothing_written(frames: Tensor, marks: Marks) -> PrefixSums:
    """Begin: nothing but blanks spells nothing. Frames `[N, S, V]`."""
    blank = _cumulative(frames[:, :, BLANK].double())
    last = torch.full_like(blank[:, 0], marks.start, dtype=torch.long)
    return PrefixSums(torch.full_like(blank, NEVER), blank, last)


def extended(sums: PrefixSums, token: Tensor, frames: Tensor, marks: Marks) -> PrefixSums:
    """Write one label more, `[N]`; START, which is read first, leaves all as it is."""
    spoken = _cumulative(_said(frames, token))  # [N, S + 1]
    silent = _cumulative(frames[:, :, BLANK].double())
    phi = _ready(sums, token)
    label = spoken[:, 1:] + torch.logcumsumexp((phi - spoken)[:, :-1], dim=1)  # [N, S]
    label = pad(label, (1, 0), value=NEVER)
    blank = silent[:, 1:] + torch.logcumsumexp((label - silent)[:, :-1], dim=1)
    blank = pad(blank, (1, 0), value=NEVER)
    ends = ((token == BLANK) | (token == marks.end))[:, None]  # nothing is spelt behind the end
    label, blank = label.masked_fill(ends, NEVER), blank.masked_fill(ends, NEVER)
    first = (token == marks.start)[:, None]
    return PrefixSums(
        torch.where(first, sums.label, label),
        torch.where(first, sums.blank, blank),
        torch.where(first[:, 0], sums.last, token),
    )


def next_label(sums: PrefixSums, probs: Tensor, marks: Marks) -> NextLabel:
    """Say how likely every label and END follow prefixes.

        psi(g c) = sum_t phi[t-1] y[t, c]            a product of a vector and a matrix

    Args:
        sums: of T prefixes a row: `[B, T, S + 1]`, `last` `[B, T]`.
        probs: the probabilities of the frames, `[B, S, V]`, double.
    """
    both = torch.logaddexp(sums.blank, sums.label)  # [B, T, S + 1]
    highest = both.detach().amax(dim=2, keepdim=True)  # [B, T, 1]
    phi = (both - highest).exp()
    again = (sums.blank - highest).exp()[:, :, :-1]  # [B, T, S], to repeat the last label
    mass = phi[:, :, :-1] @ probs  # [B, T, V]
    of_last = probs.gather(2, sums.last[:, None].expand(-1, probs.shape[1], -1))  # [B, S, T]
    of_last = of_last.transpose(1, 2)  # [B, T, S]
    repeated = (again * of_last).sum(dim=2, keepdim=True)  # [B, T, 1]
    mass = mass.scatter(2, sums.last[:, :, None], repeated)
    fixed = torch.tensor([BLANK, marks.start], device=mass.device)
    mass = mass.index_fill(2, fixed, 0.0)
    end = torch.full_like(sums.last, marks.end)[:, :, None]
    mass = mass.scatter(2, end, phi[:, :, -1:])
    log_probs = mass.clamp(min=_LEAST).log() - mass.sum(dim=2, keepdim=True).clamp(min=_LEAST).log()
    log_probs = log_probs.masked_fill(mass <= _LEAST, IMPOSSIBLE)
    ended = torch.full_like(mass, IMPOSSIBLE).scatter(2, end, 0.0)
    spelt = highest > POSSIBLE  # what cannot be spelt can only end
    begins = phi[:, :, :-1] * (1 - probs[:, None, :, BLANK])  # [B, T, S]
    begins = (begins - (phi[:, :, :-1] - again) * of_last).clamp(min=0.0) * spelt
    onset = begins / begins.sum(dim=2, keepdim=True).clamp(min=_LEAST)
    return NextLabel(torch.where(spelt, log_probs, ended), onset)


def spelling(frames: Tensor, labels: Tensor, lengths: Tensor, marks: Marks) -> Tensor:
    """Return log-probabilities of labels `[N, L]` and of END behind them, one by one: `[N, L + 1]`.

    Those of a row, `lengths` and END, add up to log p(labels); what stands behind END is 0. It is
    what `next_label` says of them, without what it says of all others.
    """
    sums, before = nothing_written(frames, marks), frames.new_zeros(len(labels)).double()  # [N]
    found = []
    for i in range(labels.shape[1] + 1):
        whole = torch.logaddexp(sums.blank[:, -1], sums.label[:, -1])  # [N], log p(so far)
        gain = torch.where(lengths == i, whole - before, 0.0)
        if i == labels.shape[1]:
            found.append(gain)
            break
        token = labels[:, i]
        psi = torch.logsumexp(_ready(sums, token)[:, :-1] + _said(frames, token), dim=1)
        found.append(torch.where(lengths > i, psi - before, gain))
        sums, before = extended(sums, token, frames, marks), psi
    return torch.stack(found, dim=1)


def _said(frames: Tensor, token: Tensor) -> Tensor:
    """Return what every frame says of one label a row, `[N, S]`."""
    index = token[:, None, None].expand(-1, frames.shape[1], 1)
    return frames.gather(2, index)[:, :, 0].double()


def _ready(sums: PrefixSums, token: Tensor) -> Tensor:
    """Return phi, `[N, S + 1]`: to repeat the last label, a blank must come before."""
    again = (token == sums.last)[:, None]
    return torch.where(again, sums.blank, torch.logaddexp(sums.blank, sums.label))


def _cumulative(log_probs: Tensor) -> Tensor:
    """Add up along the frames `[N, S]`, from nothing: `[N, S + 1]`."""
    return pad(log_probs.cumsum(dim=1), (1, 0))
