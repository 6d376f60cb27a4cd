"""The Kalman filter and smoother: states that move by a matrix, seen in noise."""

from collections.abc import Mapping
from typing import ClassVar, Literal

import numpy as np
import torch
from torch import Tensor, nn

from saccade.errors import CheckpointError, DataError, RecipeError
from saccade.flow import (
    SOURCE,
    Batch,
    Decoded,
    Padded,
    Sources,
    State,
    Stepped,
    nested,
    only,
    tensor,
)
from saccade.heads.gaussian import GaussianHead
from saccade.models._kalman import (
    Belief,
    FilteredStates,
    LinearGaussian,
    Observed,
    cholesky,
    expect,
    filtered,
    predict,
    signal,
    smoothed,
    update,
)
from saccade.models._state_space import FLOOR, StatePlan, Structure, layout, maximise, realise
from saccade.models.base import CountedModel, CountedPass, LaidPairs, LaidSide, SpreadWriter
from saccade.nouns import Side

Mode = Literal["forecast", "filter", "smooth"]


class Kalman(CountedModel, SpreadWriter):
    """Believes in a state that moves by a matrix, and reads what is seen of it in noise.

        x[t] = A x[t-1] + w[t],  w ~ N(0, Q)      y[t] = C x[t] + v[t],  v ~ N(0, diag(r))

    Kalman 1960; all numbers are learned by EM (Shumway & Stoffer 1982), an iteration a pass.
    `_kalman.py` has the equations, `_state_space.py` the structures. In mode `forecast` it reads a
    window and writes how it goes on: the mean of the next place given all before it. Its loss is
    the exact negative log-likelihood. In mode `filter` it writes for every place read what was
    there without the noise, knowing the places up to it, in mode `smooth` knowing all. EM sees the
    noisy places only, not the truth. Windows that overlap count as series of their own.

    Args:
        sources: a series of numbers, `[S, C]`.
        target: its first columns: how it goes on, or what it was without noise.
        mode: what is written.
        structure: what states are. `free`: anything, all matrices are learned. `trend`: a level and
            a slope of every column, which drift. `velocity`: a place and a velocity of every
            column, which is pushed. `seasonal`: a trend, and waves for every season.
        states: how many, if they are free.
        seasons: after how many places a season comes again; one or more numbers.
        harmonics: waves for each season: once, twice, ... a season.
        damping: a level and its slope are multiplied by it at every step, so that below 1 they go
            back to the mean of the training data.
        drift: the variance of their noise that EM begins with, for states that are not free. EM is
            slow where it is far off.
        gaps: the last column of the source says what was seen: 1, or 0 for a gap.
        iterations: of EM.
    """

    objective: ClassVar[str] = "likelihood"
    source_raws: ClassVar[tuple[str, ...]] = ("numbers",)
    target_raws: ClassVar[tuple[str, ...]] = ("numbers",)
    discrete: ClassVar[bool | None] = False
    head: GaussianHead

    def __init__(  # noqa: PLR0913 - all but two are options
        self,
        sources: Mapping[str, Side],
        target: Side,
        *,
        mode: Mode = "forecast",
        structure: Structure = "free",
        states: int = 8,
        seasons: list[int] = [12],  # noqa: B006 - only read
        harmonics: int = 2,
        damping: float = 1.0,
        drift: float = 0.01,
        gaps: bool = False,
        iterations: int = 30,
    ) -> None:
        super().__init__()
        (side,) = sources.values()
        self.mode, self.gaps, self.iterations = mode, gaps, iterations
        self.n_columns = side.size - gaps
        plan = StatePlan(structure, states, tuple(seasons), harmonics, damping, drift)
        problems = plan.problems()
        if iterations < 1:
            problems.append(f"kalman.iterations: {iterations} is below 1; 20 to 100 is usual.")
        if problems:
            raise RecipeError(problems)
        if target.size > self.n_columns:
            raise RecipeError(
                f"kalman.gaps: the source has {side.size} columns and the last says what was seen,"
                f" so {self.n_columns} are left for the {target.size} of the target. Add the column"
                " to the source, or set gaps: false."
            )
        self.pieces_each = 0 if mode == "forecast" else 1
        self.form = layout(plan, self.n_columns)
        for name, matrix in self.form.begin._asdict().items():
            self.register_parameter(name, nn.Parameter(matrix.clone(), requires_grad=False))
        self.head = GaussianHead(1, target.size, None)

    @property
    def numbers(self) -> LinearGaussian:
        """All that was learned, in float64."""
        return LinearGaussian(
            *(self.get_parameter(name).detach().double() for name in LinearGaussian._fields)
        )

    @property
    def attention_names(self) -> tuple[str, ...]:
        """None."""
        return ()

    def count(self, corpus: LaidPairs, iteration: int) -> CountedPass:
        """Make one iteration of EM; the first begins with the matrices of the structure."""
        (side,) = corpus.sources.values()
        series, numbers = self._series(side, corpus.target), self.numbers
        if iteration == 0 and self.form.free:
            numbers = realise(numbers, series)
        found = expect(numbers, series)
        made = maximise(numbers, found, self.form)
        for name, matrix in made._asdict().items():
            self.get_parameter(name).data = matrix.to(self.get_parameter(name).device)
        per_place = float(found.log_likelihood / found.n_seen.sum().clamp(min=1))
        figures = {
            "log_likelihood": float(found.log_likelihood),
            "log_likelihood_per_number": per_place,
            "noise": float(made.r.mean().sqrt()),
        }
        radius = float(torch.linalg.eigvals(made.A).abs().max())
        return CountedPass(
            figures,
            f"EM {iteration + 1}: log-likelihood {per_place:.4f} a number before this pass;"
            f" largest eigenvalue {radius:.4f}.",
        )

    def _series(self, side: LaidSide, target: LaidSide) -> Observed:
        """Lay out what was seen; a forecaster learns from what came as well."""
        if not len(side.lengths):
            raise DataError("kalman: there is nothing to learn from; expected some series.")
        n_after = target.lengths if self.mode == "forecast" else np.zeros_like(side.lengths)
        lengths = (side.lengths + n_after).astype(np.int64)
        if lengths.max() < 2:
            raise DataError(
                "kalman: the longest series has 1 place; expected 2 or more, to learn how a state"
                " moves. Give longer series."
            )
        y = np.zeros((len(lengths), int(lengths.max()), self.n_columns))
        seen = np.zeros(y.shape, dtype=bool)
        values = np.asarray(side.values, dtype=np.float64)
        row, at = _places(side.lengths)
        y[row, at] = values[:, : self.n_columns]
        seen[row, at] = self._seen(torch.from_numpy(values)).numpy()
        if self.mode == "forecast":
            row, at = _places(target.lengths)
            at = at + side.lengths[row]
            y[row, at, : self.head.size] = target.values
            seen[row, at, : self.head.size] = True
        if not np.isfinite(y[seen]).all():
            raise DataError(
                "kalman: a series holds NaN or infinity; expected numbers. Leave the place out, or"
                " mark it as a gap: gaps: true."
            )
        inside = np.arange(y.shape[1]) < lengths[:, None]
        found = Observed(*map(torch.from_numpy, (np.where(seen, y, 0.0), seen, inside)))
        return Observed(*(one.to(self.get_parameter("A").device) for one in found))

    def _seen(self, values: Tensor) -> Tensor:
        """Tell which columns were seen: the flag is scaled, so that 0 is below its mean."""
        here = values[..., self.n_columns :].ge(0).any(dim=-1) if self.gaps else None
        shape = (*values.shape[:-1], self.n_columns)
        if here is None:
            return torch.ones(shape, dtype=torch.bool, device=values.device)
        return here[..., None].expand(shape)

    def accept(self, weights: Mapping[str, Tensor], where: str) -> None:
        """Check the numbers of a file: finite, and covariances where they must be."""
        given = [weights[name] for name in LinearGaussian._fields if name in weights]
        finite = all(bool(one.isfinite().all()) for one in given)
        own = [self.get_parameter(name).shape for name in LinearGaussian._fields]
        if [one.shape for one in given] != own:
            return  # whoever copies them says what does not fit
        numbers = LinearGaussian(*(one.double() for one in given))
        if not finite or bool((numbers.r < FLOOR / 2).any()) or _odd(numbers.Q) or _odd(numbers.V):
            raise CheckpointError(
                f"{where}: a covariance is none, or a number is not finite; expected what EM"
                " learned. The file is damaged or another model's: copy the model folder again."
            )

    def forward(self, batch: Batch, *, look: bool = False) -> Decoded:
        """Write the features of every place `[B, T, C + C C]`, the truth before it being known."""
        state, found = self.start(batch.sources), []
        for t in range(batch.prefix.shape[1]):
            stepped = self.advance(batch.prefix[:, t], state)
            found.append(stepped.features)
            state = stepped.state
        features = torch.stack(found, dim=1)
        places = batch.source.mask.shape[1]
        weights = features.new_zeros(*features.shape[:2], 0, places) if look else None
        return Decoded(features, weights)

    def start(self, sources: Sources) -> State:
        """Read the source; believe something of the place behind it, or of all its places."""
        numbers, source = self.numbers, only(sources)
        series = self._read(source)
        read = filtered(numbers, series)
        place = torch.zeros(len(series.y), dtype=torch.long, device=series.y.device)
        if self.mode != "forecast":
            return {SOURCE: {"features": self._estimates(numbers, series, read)}, "place": place}
        last, rows = (source.lengths - 1).clamp(min=0), torch.arange(len(place)).to(place)
        belief = Belief(read.mean[rows, last], read.cov[read.which, last])
        mean, cov = predict(numbers, belief)
        return {SOURCE: {}, "mean": mean, "cov": cov, "place": place}

    def read_spreads(self, sources: Sources, n_places: int) -> Tensor:
        """Return how far off each place may be, the source alone being known, `[B, T, C]`.

            forecast: sqrt diag(C P[k] C' + R),  P[k] = A P[k-1] A' + Q      else: sqrt diag(C P C')

        Nothing is read on the way, unlike in `advance`, so P grows with every step.
        """
        state, size = self.start(sources), self.head.size
        if self.mode != "forecast":
            every = tensor(nested(state, SOURCE), "features")[:, :n_places]
            return self.head.root(every).square().sum(dim=-1).sqrt()
        numbers, found = self.numbers, []
        belief = Belief(tensor(state, "mean"), tensor(state, "cov"))
        for _ in range(n_places):
            shown = signal(numbers, belief, size, numbers.r)
            found.append(shown.cov.diagonal(dim1=-2, dim2=-1).clamp(min=0).sqrt())
            belief = predict(numbers, belief)
        return torch.stack(found, dim=1)

    def _read(self, source: Padded) -> Observed:
        values = source.values.double()
        seen = self._seen(values) & source.mask[..., None]
        y = torch.where(seen, values[..., : self.n_columns], torch.zeros_like(values[..., :1]))
        return Observed(y, seen, source.mask)

    def _estimates(self, numbers: LinearGaussian, series: Observed, read: FilteredStates) -> Tensor:
        """Return the features of all places, `[B, S, C + C C]`; behind the last, those of it."""
        belief = Belief(read.mean, read.cov)
        if self.mode == "smooth":
            made = smoothed(numbers, series, read)
            belief = Belief(made.mean, made.cov)
        every = self._features(signal(numbers, belief, self.head.size, None), read.which)
        n = series.inside.sum(dim=1, keepdim=True)  # [B, 1]
        place = torch.arange(every.shape[1], device=n.device).minimum((n - 1).clamp(min=0))
        return every.gather(1, place[:, :, None].expand_as(every))

    def _features(self, shown: Belief, which: Tensor | None = None) -> Tensor:
        tiny = FLOOR * torch.eye(self.head.size).to(shown.cov)
        root = cholesky(shown.cov + tiny).flatten(-2)
        return torch.cat([shown.mean, root if which is None else root[which]], dim=-1)

    def advance(self, token: Tensor, state: State, *, look: bool = False) -> Stepped:
        """Read what was written last and write the next place; the first token was read before."""
        place = tensor(state, "place")
        if self.mode != "forecast":
            every = tensor(nested(state, SOURCE), "features")
            index = place.clamp(max=every.shape[1] - 1)[:, None, None]
            features = every.gather(1, index.expand(-1, 1, every.shape[2]))[:, 0]
            after: State = {**state, "place": place + 1}
        else:
            numbers, belief = self.numbers, Belief(tensor(state, "mean"), tensor(state, "cov"))
            if bool((place > 0).any()):
                belief = self._moved(numbers, belief, token.double(), place > 0)
            shown = signal(numbers, belief, self.head.size, numbers.r)
            features = self._features(shown)
            after = {**state, "mean": belief.mean, "cov": belief.cov, "place": place + 1}
        weights = features.new_zeros(len(features), 0, 1) if look else None
        return Stepped(features, weights, after)

    def _moved(self, numbers: LinearGaussian, old: Belief, token: Tensor, here: Tensor) -> Belief:
        """Read a token `[B, C]` of the first columns where `here [B]`, and take a step."""
        y = token.new_zeros(len(token), self.n_columns)
        y[:, : self.head.size] = token
        seen = torch.zeros_like(y, dtype=torch.bool)
        seen[:, : self.head.size] = True
        new = predict(numbers, update(numbers, old, y, seen))
        mean = torch.where(here[:, None], new.mean, old.mean)
        return Belief(mean, torch.where(here[:, None, None], new.cov, old.cov))


def _places(lengths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return for values that are laid end to end which series they are of, and where in it."""
    row = np.repeat(np.arange(len(lengths)), lengths)
    begins = np.cumsum(lengths) - lengths
    return row, np.arange(len(row)) - begins[row]


def _odd(matrix: Tensor) -> bool:
    """Tell whether a matrix is no covariance."""
    if not torch.allclose(matrix, matrix.mT, atol=1e-9, rtol=1e-9):
        return True
    return bool(torch.linalg.eigvalsh(matrix).min() < -1e-9 * max(1.0, float(matrix.abs().max())))
