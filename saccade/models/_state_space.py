"""What the states of a Kalman filter stand for: structures, and how EM fits each of them.

A structure says which matrices are known and which are learned. Letters as in `_kalman.py`.
"""

import math
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from saccade.errors import DataError, RecipeError
from saccade.models._kalman import LinearGaussian, Moments, Observed, symmetric

Structure = Literal["free", "trend", "seasonal", "velocity"]
MOST = 64  # states
FLOOR = 1e-8  # of the variance of noise, on the scale of the training data
_NOISE = 0.1  # variance to begin with


@dataclass(frozen=True, slots=True)
class NoiseBlock:
    """States whose noise is a learned number times a known matrix: `base [k, k]`."""

    first: int
    base: Tensor

    @property
    def place(self) -> slice:
        """Where they stand."""
        return slice(self.first, self.first + len(self.base))


@dataclass(frozen=True, slots=True)
class StateLayout:
    """A structure: matrices to begin with, and the blocks of Q; none if all is learned."""

    begin: LinearGaussian
    blocks: tuple[NoiseBlock, ...]

    @property
    def free(self) -> bool:
        """Whether A, C and all of Q are learned."""
        return not self.blocks


@dataclass(frozen=True, slots=True)
class StatePlan:
    """What the states are: see the options of the model."""

    structure: Structure = "free"
    states: int = 8
    seasons: tuple[int, ...] = (12,)
    harmonics: int = 2
    damping: float = 1.0
    drift: float = 0.01

    def problems(self) -> list[str]:
        """Say what cannot be."""
        found = []
        if not 1 <= self.states <= MOST:
            found.append(
                f"kalman.states: {self.states} is not between 1 and {MOST}; 4 to 16 is usual."
            )
        if not self.seasons or min(self.seasons) < 2 or self.harmonics < 1:
            found.append(
                f"kalman: seasons {list(self.seasons)} and harmonics {self.harmonics} do not fit;"
                " expected seasons of 2 places or more and 1 wave or more each, as seasons: [12]."
            )
        if not 0 < self.damping <= 1:
            found.append(
                f"kalman.damping: {self.damping:g} is not above 0 and at most 1; 1 is none."
            )
        if not 0 < self.drift <= 1:
            found.append(
                f"kalman.drift: {self.drift:g} is not above 0 and at most 1; 0.01 is usual, much"
                " less where states stay as they are."
            )
        return found


def layout(plan: StatePlan, n_columns: int) -> StateLayout:
    """Lay out the states of so many columns."""
    structure, harmonics = plan.structure, plan.harmonics
    if structure == "free":
        return _free(n_columns, plan.states)
    pieces = [_line("velocity" if structure == "velocity" else "trend", plan.damping)]
    if structure == "seasonal":
        pieces += [_wave(s, h) for s in plan.seasons for h in range(1, min(harmonics, s // 2) + 1)]
    size = sum(len(one[0]) for one in pieces) * n_columns
    if size > MOST:
        raise RecipeError(
            f"kalman: {structure} has {size} states for {n_columns} columns; expected at most"
            f" {MOST}. Name fewer seasons, harmonics or columns."
        )
    A, C = torch.zeros(size, size).double(), torch.zeros(n_columns, size).double()
    blocks, at = list[NoiseBlock](), 0
    for column in range(n_columns):
        for step, bases, row in pieces:
            A[at : at + len(step), at : at + len(step)] = step
            C[column, at : at + len(step)] = row
            for base in bases:
                blocks.append(NoiseBlock(at, base))
                at += len(base)
    Q = torch.zeros_like(A)
    for block in blocks:
        Q[block.place, block.place] = plan.drift * block.base
    return StateLayout(_begun(A, C, Q), tuple(blocks))


Piece = tuple[Tensor, list[Tensor], Tensor]  # how states move, the bases of their noise, what shows


def _line(kind: Literal["trend", "velocity"], damping: float) -> Piece:
    """A level and its slope: each drifts by itself, or a push of the slope moves both."""
    step = damping * torch.tensor([[1.0, 1.0], [0.0, 1.0]]).double()
    row = torch.tensor([1.0, 0.0]).double()
    if kind == "trend":
        return step, [torch.ones(1, 1).double()] * 2, row
    return step, [torch.tensor([[1 / 3, 1 / 2], [1 / 2, 1.0]], dtype=torch.float64)], row


def _wave(season: int, harmonic: int) -> Piece:
    """A wave that comes `harmonic` times a season: a point that goes round a circle."""
    angle = 2 * math.pi * harmonic / season
    cos, sin = math.cos(angle), math.sin(angle)
    step = torch.tensor([[cos, sin], [-sin, cos]], dtype=torch.float64)
    return step, [torch.eye(2).double()], torch.tensor([1.0, 0.0]).double()


def _free(n_columns: int, states: int) -> StateLayout:
    A = 0.9 * torch.eye(states).double()
    C = torch.eye(n_columns, states).double()
    return StateLayout(_begun(A, C, _NOISE * torch.eye(states).double()), ())


def _begun(A: Tensor, C: Tensor, Q: Tensor) -> LinearGaussian:
    n = len(A)
    noise = torch.full((len(C),), _NOISE, dtype=torch.float64)
    return LinearGaussian(A, C, Q, noise, torch.zeros(n).double(), torch.eye(n).double())


def realise(model: LinearGaussian, series: Observed) -> LinearGaussian:
    """Find A and C to begin with from how the past of all series foretells their future.

        H = sum_t f[t] p[t]' = U S V'      f: y[t..t+k-1], p: y[t-1..t-k], end to end
        O = U sqrt(S),  C = O[0],  A = O[0..k-2]^+ O[1..k-1]

    Ho & Kalman 1966; Akaike 1974. EM goes on from there. What was not seen counts as the mean.
    """
    y = torch.where(series.seen, series.y, torch.zeros_like(series.y))
    n_columns, n_states = y.shape[2], len(model.m)
    k = -(-n_states // n_columns) + 1
    if y.shape[1] < 2 * k:
        raise DataError(
            f"kalman: the longest series has {y.shape[1]} places; expected {2 * k} or more for"
            f" {n_states} free states. Ask for fewer states, or give longer series."
        )
    runs = y.unfold(1, 2 * k, 1).transpose(2, 3)  # [B, T', 2k, C]
    whole = series.inside[:, 2 * k - 1 :]  # [B, T']: windows that are in a series
    runs = runs[whole]  # [M, 2k, C]
    past, future = runs[:, :k].flip(1).flatten(1), runs[:, k:].flatten(1)
    U, S, _ = torch.linalg.svd(future.mT @ past / max(len(runs), 1))
    seen = U[:, :n_states] * S[:n_states].sqrt()  # [k C, N]
    A = torch.linalg.pinv(seen[:-n_columns]) @ seen[n_columns:]
    radius = float(torch.linalg.eigvals(A).abs().max())
    return model._replace(A=A / max(radius, 1.0), C=seen[:n_columns])


def maximise(model: LinearGaussian, found: Moments, form: StateLayout) -> LinearGaussian:
    """Return the numbers that are likeliest if states are as expected (Shumway & Stoffer 1982).

        A = E[x' x] E[x x]^-1,  Q = mean of E (x' - A x)(x' - A x)'
        C = E[y x] E[x x]^-1,   r = mean of E (y - C x)^2
        m = mean of E x[1],     V = mean of E (x[1] - m)(x[1] - m)'

    Known matrices stay as they are, and a block of Q is `q B` with q = tr(B^-1 M) / k.
    """
    A, C = model.A, model.C
    if form.free:
        A = _solved(found.cross, found.back)
        C = torch.stack(
            [_solved(yx[None], xx)[0] for yx, xx in zip(found.seen_yx, found.seen_x, strict=True)]
        )
    m = found.first / found.n_series
    V = _covariance(found.first2 / found.n_series - m[:, None] * m)
    moved = found.cross @ A.mT
    M = (found.ahead - moved - moved.mT + A @ found.back @ A.mT) / found.n_steps.clamp(min=1)
    Q = _covariance(M) if form.free else torch.zeros_like(M)
    for block in form.blocks:
        told = torch.linalg.solve(block.base, M[block.place, block.place])
        q = (told.trace() / len(block.base)).clamp(min=0)
        Q[block.place, block.place] = q * block.base
    explained = torch.einsum("cn,cnm,cm->c", C, found.seen_x, C)
    missed = found.seen_yy - 2 * (C * found.seen_yx).sum(dim=1) + explained
    r = torch.where(found.n_seen > 0, missed / found.n_seen.clamp(min=1), model.r)
    if not bool((found.n_steps > 0) & found.log_likelihood.isfinite()):
        raise DataError(
            "kalman: nothing can be learned from series of one place; give longer ones."
        )
    return LinearGaussian(A, C, Q, r.clamp(min=FLOOR), m, V)


def _solved(right: Tensor, square: Tensor) -> Tensor:
    """Return `right square^-1` for a square of expectations, which may be singular."""
    solved: Tensor = right @ torch.linalg.pinv(symmetric(square), hermitian=True, rtol=1e-13)
    return solved


def _covariance(matrix: Tensor) -> Tensor:
    """Return the nearest covariance: rounding may leave eigenvalues below zero."""
    values, vectors = torch.linalg.eigh(symmetric(matrix))
    if bool((values >= 0).all()):
        return symmetric(matrix)
    return symmetric(vectors * values.clamp(min=0) @ vectors.mT)
