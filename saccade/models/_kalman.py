"""The equations of the Kalman filter: filtering, smoothing, and EM for the matrices.

    x[1] ~ N(m, V)      x[t] = A x[t-1] + w[t]      w ~ N(0, Q)
                        y[t] = C x[t] + v[t]        v ~ N(0, diag(r))

All is computed in float64 for many series at once. How sure a filter is depends on where something
was seen and not on what, so covariances are computed once for each pattern of gaps.
Letters: B series, T places, P patterns of gaps, N states, C columns.
"""

import math
from typing import NamedTuple

import torch
from torch import Tensor

from saccade.errors import DataError

_ROOM = 1 << 23  # numbers of a covariance over all places of the series that are filtered at once


class LinearGaussian(NamedTuple):
    """The numbers of a model: A `[N, N]`, C `[C, N]`, Q `[N, N]`, r `[C]`, m `[N]`, V `[N, N]`."""

    A: Tensor
    C: Tensor
    Q: Tensor
    r: Tensor
    m: Tensor
    V: Tensor


class Belief(NamedTuple):
    """A Gaussian over states: mean `[..., N]` and covariance `[..., N, N]`."""

    mean: Tensor
    cov: Tensor


class Observed(NamedTuple):
    """What was seen: y `[B, T, C]`, seen `[B, T, C]`, and which places there are, `[B, T]`."""

    y: Tensor
    seen: Tensor
    inside: Tensor

    def rows(self, index: slice) -> "Observed":
        """Take series."""
        return Observed(self.y[index], self.seen[index], self.inside[index])


class FilteredStates(NamedTuple):
    """What is believed of every place after reading it.

    mean: `[B, T, N]`.  cov: `[P, T, N, N]`.  ahead: the covariances before it was read.
    gain: `[P, T, N, C]`.  fit: C' S^-1 e, `[B, T, N]`.  info: C' S^-1 C, `[P, T, N, N]`.
    log_likelihood: `[B]`.  which: the pattern of every series, `[B]`.
    """

    mean: Tensor
    cov: Tensor
    ahead: Tensor
    gain: Tensor
    fit: Tensor
    info: Tensor
    log_likelihood: Tensor
    which: Tensor


class SmoothedStates(NamedTuple):
    """What is believed of every place after reading all.

    mean: `[B, T, N]`.  cov: `[P, T, N, N]`.  lag: Cov(x[t+1], x[t]), `[P, T, N, N]`; the last is 0.
    """

    mean: Tensor
    cov: Tensor
    lag: Tensor


class Moments(NamedTuple):
    """What EM expects, summed over all series.

    first: E x[1], `[N]`.  first2: E x[1] x[1]', `[N, N]`.  back, cross, ahead: sums over steps of
    E x[t-1] x[t-1]', E x[t] x[t-1]', E x[t] x[t]'.  seen_x: `[C, N, N]`, E x x' where a column was
    seen.  seen_yx: `[C, N]`.  seen_yy: `[C]`.  n_series, n_steps, n_seen `[C]`: how many.
    log_likelihood: of all series, by the numbers that the expectations were made with.
    """

    first: Tensor
    first2: Tensor
    back: Tensor
    cross: Tensor
    ahead: Tensor
    seen_x: Tensor
    seen_yx: Tensor
    seen_yy: Tensor
    n_series: Tensor
    n_steps: Tensor
    n_seen: Tensor
    log_likelihood: Tensor


def predict(model: LinearGaussian, belief: Belief) -> Belief:
    """Take a step: `A x` and `A P A' + Q`."""
    return Belief(belief.mean @ model.A.mT, symmetric(model.A @ belief.cov @ model.A.mT + model.Q))


class Correction(NamedTuple):
    """How a covariance changes where some columns are seen.

    cov: `[..., N, N]`.  gain: `[..., N, C]`.  root: the Cholesky factor of S, `[..., C, C]`.
    C: the rows of C that are seen, zeros elsewhere.
    """

    cov: Tensor
    gain: Tensor
    root: Tensor
    C: Tensor


def correct(model: LinearGaussian, cov: Tensor, seen: Tensor) -> Correction:
    """Read a place, as far as it changes how sure one is.

        S = C P C' + R,  K = P C' S^-1,  P <- (I - K C) P (I - K C)' + K R K'

    The last is Joseph's form: it stays a covariance whatever the rounding. A column that was not
    seen has a row of zeros in C, and a noise of its own that tells nothing.

    Args:
        model: the numbers.
        cov: `[..., N, N]`.
        seen: `[..., C]`.
    """
    C = model.C * seen[..., None]  # [..., C, N]
    noise = torch.where(seen, model.r, torch.ones_like(model.r))
    root = cholesky(C @ cov @ C.mT + torch.diag_embed(noise))
    gain = torch.cholesky_solve(C @ cov, root).mT  # [..., N, C]
    rest = torch.eye(C.shape[-1], dtype=C.dtype, device=C.device) - gain @ C
    joseph = rest @ cov @ rest.mT + (gain * noise[..., None, :]) @ gain.mT
    return Correction(symmetric(joseph), gain, root, C)


def update(model: LinearGaussian, belief: Belief, y: Tensor, seen: Tensor) -> Belief:
    """Read one place of every row: y `[B, C]`, seen `[B, C]`."""
    made = correct(model, belief.cov, seen)
    error = torch.where(seen, y - belief.mean @ model.C.mT, torch.zeros_like(y))
    return Belief(belief.mean + _times(made.gain, error), made.cov)


def filtered(model: LinearGaussian, series: Observed) -> FilteredStates:
    """Read series from the first place to the last (Kalman 1960)."""
    y, seen, inside = series
    n_rows, n_places, n_columns = y.shape
    whole = torch.cat([seen, inside[..., None]], dim=2).flatten(1)
    patterns, which = torch.unique(whole, dim=0, return_inverse=True)
    patterns = patterns.unflatten(1, (n_places, n_columns + 1))[..., :n_columns]  # [P, T, C]
    mean, cov = model.m.expand(n_rows, -1), model.V.expand(len(patterns), -1, -1)
    log_likelihood = y.new_zeros(n_rows)
    kept: list[tuple[Tensor, ...]] = []
    for t in range(n_places):
        made, here = correct(model, cov, patterns[:, t]), seen[:, t]
        error = torch.where(here, y[:, t] - mean @ model.C.mT, torch.zeros_like(y[:, t]))
        told = torch.cholesky_solve(torch.eye(n_columns).to(y), made.root)  # S^-1
        weighed = _times(told[which], error)  # [B, C]
        spread = 2 * made.root.diagonal(dim1=-2, dim2=-1).log().sum(dim=-1)[which]
        size = here.sum(dim=1) * math.log(2 * math.pi)
        log_likelihood = log_likelihood - 0.5 * (size + spread + (error * weighed).sum(dim=1))
        fit = _times(made.C.mT[which], weighed)  # [B, N]
        after = mean + _times(made.gain[which], error)
        kept.append((after, made.cov, cov, made.gain, fit, made.C.mT @ told @ made.C))
        mean, cov = predict(model, Belief(after, made.cov))
    after, cov, ahead, gain, fit, info = (
        torch.stack(one, dim=1) for one in zip(*kept, strict=True)
    )
    return FilteredStates(after, cov, ahead, gain, fit, info, log_likelihood, which)


def smoothed(model: LinearGaussian, series: Observed, read: FilteredStates) -> SmoothedStates:
    """Go back from the last place to the first.

        x^ = x + P A' g,  P^ = P - P A' G A P,  Cov(x[t+1], x[t]) = (I - P[t+1|t] G) A P
        g <- C' S^-1 e + (I - K C)' A' g,  G <- C' S^-1 C + (I - K C)' A' G A (I - K C)

    The form of Bryson & Frazier 1963 and de Jong 1989. It inverts no covariance of states, as that
    of Rauch, Tung & Striebel 1965 does, so Q may be singular: a season that never changes.
    """
    seen, (n_rows, n_places) = series.seen, series.inside.shape
    g, G = read.mean.new_zeros(n_rows, len(model.m)), torch.zeros_like(read.cov[:, 0])
    unit = torch.eye(len(model.m)).to(G)
    first = torch.zeros(len(read.cov), dtype=torch.long, device=g.device)
    first[read.which] = torch.arange(n_rows, device=g.device)  # a series of every pattern
    kept = []
    for t in reversed(range(n_places)):
        forward = read.cov[:, t] @ model.A.mT  # P A'
        mean = read.mean[:, t] + _times(forward[read.which], g)
        cov = symmetric(read.cov[:, t] - forward @ G @ forward.mT)
        beyond = read.ahead[:, t + 1] if t + 1 < n_places else torch.zeros_like(G)
        lag = (unit - beyond @ G) @ forward.mT
        kept.append((mean, cov, lag))
        C = model.C * seen[first, t][..., None]
        onward = model.A @ (unit - read.gain[:, t] @ C)  # [P, N, N]
        g = read.fit[:, t] + _times(onward.mT[read.which], g)
        G = symmetric(read.info[:, t] + onward.mT @ G @ onward)
    return SmoothedStates(*(torch.stack(one[::-1], dim=1) for one in zip(*kept, strict=True)))


def expect(model: LinearGaussian, series: Observed) -> Moments:
    """Return what EM expects, summed over all series, some of them at a time."""
    n_places, n_states = series.y.shape[1], len(model.m)
    each = max(1, _ROOM // max(n_places * n_states * n_states, 1))
    found = [_expect(model, series.rows(slice(i, i + each))) for i in range(0, len(series.y), each)]
    return Moments(*(torch.stack(one).sum(dim=0) for one in zip(*found, strict=True)))


def _expect(model: LinearGaussian, series: Observed) -> Moments:
    read = filtered(model, series)
    made, which, inside = smoothed(model, series, read), read.which, series.inside
    x, y, seen = made.mean, series.y, series.seen.to(series.y)
    weight = torch.bincount(which, minlength=len(made.cov)).to(x)  # [P]
    first = torch.zeros_like(weight, dtype=torch.long)
    first[which] = torch.arange(len(which), device=which.device)
    steps = inside[:, 1:].to(x)  # [B, T - 1]
    shared = weight[:, None] * steps[first]  # [P, T - 1]
    before, after = x[:, :-1] * steps[..., None], x[:, 1:] * steps[..., None]
    columns = weight[:, None, None] * seen[first]  # [P, T, C]
    first_x = x[:, 0]

    def over_steps(cov: Tensor) -> Tensor:
        return torch.einsum("pt,ptnm->nm", shared, cov)

    return Moments(
        first=first_x.sum(dim=0),
        first2=torch.einsum("p,pnm->nm", weight, made.cov[:, 0]) + first_x.mT @ first_x,
        back=over_steps(made.cov[:, :-1]) + torch.einsum("btn,btm->nm", before, x[:, :-1]),
        cross=over_steps(made.lag[:, :-1]) + torch.einsum("btn,btm->nm", after, x[:, :-1]),
        ahead=over_steps(made.cov[:, 1:]) + torch.einsum("btn,btm->nm", after, x[:, 1:]),
        seen_x=torch.einsum("ptc,ptnm->cnm", columns, made.cov)
        + torch.einsum("btc,btn,btm->cnm", seen, x, x),
        seen_yx=torch.einsum("btc,btn->cn", seen * y, x),
        seen_yy=(seen * y * y).sum(dim=(0, 1)),
        n_series=torch.tensor(float(len(x))).to(x),
        n_steps=steps.sum(),
        n_seen=seen.sum(dim=(0, 1)),
        log_likelihood=read.log_likelihood.sum(),
    )


def signal(model: LinearGaussian, belief: Belief, n: int, noise: Tensor | None) -> Belief:
    """Return what is believed of the first `n` columns: C x, with noise `[C]` if it is given."""
    C = model.C[:n]
    cov = C @ belief.cov @ C.mT
    return Belief(belief.mean @ C.mT, cov if noise is None else cov + torch.diag(noise[:n]))


def symmetric(matrix: Tensor) -> Tensor:
    """Return the mean of a matrix and its transpose."""
    return (matrix + matrix.mT) / 2


def cholesky(matrix: Tensor) -> Tensor:
    """Return the lower root of covariances, or say that they are none."""
    root: Tensor
    root, info = torch.linalg.cholesky_ex(matrix)
    if bool((info != 0).any()) or not bool(root.isfinite().all()):
        raise DataError(
            "kalman: the covariance of a place cannot be inverted: its numbers are too large, too"
            " small or none at all. Check the series for values far from all others, or ask for"
            " fewer states."
        )
    return root


def _times(matrix: Tensor, vector: Tensor) -> Tensor:
    """Multiply `[B, N, C]` by `[B, C]`."""
    return (matrix @ vector[..., None])[..., 0]
