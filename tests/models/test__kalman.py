"""The Kalman equations are those of one large Gaussian, and of filterpy and pykalman."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.testing import assert_close

from saccade.errors import DataError
from saccade.models import _kalman
from saccade.models._kalman import (
    FilteredStates,
    LinearGaussian,
    Moments,
    Observed,
    SmoothedStates,
    cholesky,
    expect,
    filtered,
    smoothed,
)
from saccade.models._state_space import StatePlan, Structure, layout, maximise, realise
from tests.samples import randn

Array = NDArray[np.float64]


def covariance(n: int, seed: int) -> Tensor:
    root = randn(n, n, seed=seed, dtype=torch.float64)
    return root @ root.T / n + 0.1 * torch.eye(n).double()


def numbers(n: int = 3, c: int = 2, *, singular: bool = False) -> LinearGaussian:
    A = 0.5 * randn(n, n, seed=1, dtype=torch.float64)
    Q = torch.diag(torch.tensor([0.5] + [0.0] * (n - 1))).double() if singular else covariance(n, 3)
    r = torch.linspace(0.2, 0.6, c).double()
    m = randn(n, seed=5, dtype=torch.float64)
    return LinearGaussian(A, randn(c, n, seed=2, dtype=torch.float64), Q, r, m, covariance(n, 4))


def some_series(n: int = 5, places: int = 6, c: int = 2, *, gaps: bool = True) -> Observed:
    """Series of several lengths, with gaps."""
    y = randn(n, places, c, seed=9, dtype=torch.float64)
    lengths = torch.tensor([places - i % 3 for i in range(n)])
    inside = torch.arange(places) < lengths[:, None]
    seen = inside[..., None] & (randn(n, places, c, seed=8) > (-0.7 if gaps else -99.0))
    return Observed(torch.where(seen, y, torch.zeros_like(y)), seen, inside)


class Joint:
    """All states and all that is seen of one series, as one Gaussian."""

    def __init__(self, model: LinearGaussian, n_places: int) -> None:
        A, C, Q, r, m, V = (one.numpy() for one in model)
        n = len(m)
        means: list[Any] = [m]
        blocks: list[list[Any]] = [[V]]
        for t in range(1, n_places):
            means.append(A @ means[-1])
            blocks.append([A @ blocks[t - 1][s] for s in range(t)])
            blocks[t].append(A @ blocks[t - 1][t - 1] @ A.T + Q)
        self.mean: Any = np.concatenate(means)
        self.cov: Any = np.zeros((n_places * n, n_places * n))
        for t in range(n_places):
            for s in range(t + 1):
                self.cov[t * n : (t + 1) * n, s * n : (s + 1) * n] = blocks[t][s]
                self.cov[s * n : (s + 1) * n, t * n : (t + 1) * n] = blocks[t][s].T
        self.C: Any = np.kron(np.eye(n_places), C)
        self.R: Any = np.kron(np.eye(n_places), np.diag(r))

    def given(self, y: Any, seen: NDArray[np.bool_]) -> tuple[Array, Array, float]:
        """Return mean and covariance of all states, and the log-density of what was seen."""
        C: Any = self.C[seen]
        noise: Any = self.R[np.ix_(seen, seen)]
        S = C @ self.cov @ C.T + noise
        error = y[seen] - C @ self.mean
        K = self.cov @ C.T @ np.linalg.inv(S)
        _, logdet = np.linalg.slogdet(2 * np.pi * S) if len(S) else (1, 0.0)
        density = -0.5 * (logdet + error @ np.linalg.solve(S, error)) if len(S) else 0.0
        return self.mean + K @ error, self.cov - K @ C @ self.cov, float(density)


def both(model: LinearGaussian, series: Observed) -> tuple[FilteredStates, SmoothedStates]:
    read = filtered(model, series)
    return read, smoothed(model, series, read)


@pytest.mark.parametrize("singular", [False, True])
def test_it_is_one_large_gaussian(singular: bool) -> None:
    model, series = numbers(singular=singular), some_series()
    read, made = both(model, series)
    n, n_places = len(model.m), series.y.shape[1]
    joint = Joint(model, n_places)
    for b in range(len(series.y)):
        y, seen = series.y[b].flatten().numpy(), series.seen[b].flatten().numpy()
        mean, cov, density = joint.given(y, seen)
        assert_close(made.mean[b].flatten(), torch.from_numpy(mean))
        assert float(read.log_likelihood[b]) == pytest.approx(density)
        for t in range(n_places):
            here, next_ = slice(t * n, t * n + n), slice((t + 1) * n, (t + 2) * n)
            assert_close(made.cov[read.which[b], t], torch.from_numpy(cov[here, here]))
            if t + 1 < n_places:
                assert_close(made.lag[read.which[b], t], torch.from_numpy(cov[next_, here]))
            so_far = seen & (np.arange(len(seen)) < (t + 1) * len(model.r))
            mean_now, cov_now, _ = joint.given(y, so_far)
            assert_close(read.mean[b, t], torch.from_numpy(mean_now[here]))
            assert_close(read.cov[read.which[b], t], torch.from_numpy(cov_now[here, here]))


def test_what_em_expects_is_the_sum_of_all_series(monkeypatch: pytest.MonkeyPatch) -> None:
    model, series = numbers(), some_series(7)
    whole = expect(model, series)
    monkeypatch.setattr(_kalman, "_ROOM", 1)  # one series at a time
    assert_close(expect(model, series), whole)
    _, made = both(model, series)
    which = filtered(model, series).which
    second = made.cov[which] + made.mean[..., None] * made.mean[..., None, :]  # [B, T, N, N]
    inside = series.inside.double()
    assert_close(whole.ahead, (second[:, 1:] * inside[:, 1:, None, None]).sum(dim=(0, 1)))
    assert_close(whole.back, (second[:, :-1] * inside[:, 1:, None, None]).sum(dim=(0, 1)))
    assert_close(whole.seen_x[1], (second * series.seen[..., 1, None, None]).sum(dim=(0, 1)))
    assert float(whole.n_steps) == float(inside[:, 1:].sum())


def climb(structure: Structure, n: int) -> list[float]:
    series = some_series(12, 16, 2)
    form = layout(StatePlan(structure, states=4, seasons=(5,)), 2)
    model = realise(form.begin, series) if form.free else form.begin
    found = []
    for _ in range(n):
        moments: Moments = expect(model, series)
        found.append(float(moments.log_likelihood))
        model = maximise(model, moments, form)
    return found


@pytest.mark.parametrize("structure", ["free", "trend", "seasonal", "velocity"])
def test_em_never_falls(structure: Structure) -> None:
    found = climb(structure, 12)
    assert all(b >= a - 1e-7 for a, b in pairwise(found))
    assert found[-1] > found[0] + 1


def test_filterpy_finds_the_same() -> None:
    filters = pytest.importorskip("filterpy.kalman", reason="filterpy is not installed")
    model, series = numbers(), some_series(2, gaps=False)
    read, made = both(model, series)
    for b in range(2):
        n_places = int(series.inside[b].sum())
        one = filters.KalmanFilter(dim_x=3, dim_z=2)
        one.F, one.H, one.Q = model.A.numpy(), model.C.numpy(), model.Q.numpy()
        one.R = np.diag(model.r.numpy())
        one.x, one.P = model.m.numpy()[:, None].copy(), model.V.numpy().copy()
        means, covs, total = [], [], 0.0
        for t in range(n_places):
            if t:
                one.predict()
            one.update(series.y[b, t].numpy()[:, None])
            means.append(one.x.copy())
            covs.append(one.P.copy())
            total += one.log_likelihood
        assert_close(read.mean[b, :n_places], torch.from_numpy(np.stack(means)[..., 0]))
        assert float(read.log_likelihood[b]) == pytest.approx(total)
        back, *_ = one.rts_smoother(np.stack(means), np.stack(covs))
        assert_close(made.mean[b, :n_places], torch.from_numpy(back[..., 0]))


@pytest.mark.filterwarnings("ignore")
def test_pykalman_makes_the_same_step_of_em() -> None:
    pykalman = pytest.importorskip("pykalman", reason="pykalman is not installed")
    model, y = numbers(3, 1), randn(1, 20, 1, seed=3, dtype=torch.float64)
    gap = torch.arange(20) % 7 == 3
    seen = (~gap)[None, :, None]
    series = Observed(torch.where(seen, y, torch.zeros_like(y)), seen, torch.ones(1, 20).bool())
    form = layout(StatePlan("free", states=3), 1)
    made = maximise(model, expect(model, series), form)
    masked = np.ma.array(y[0].numpy(), mask=gap[:, None].numpy())
    oracle = pykalman.KalmanFilter(
        model.A.numpy(),
        model.C.numpy(),
        model.Q.numpy(),
        np.diag(model.r.numpy()),
        initial_state_mean=model.m.numpy(),
        initial_state_covariance=model.V.numpy(),
        em_vars="all",
    )
    assert float(filtered(model, series).log_likelihood[0]) == pytest.approx(
        oracle.loglikelihood(masked)
    )
    oracle.em(masked, n_iter=1, em_vars=["transition_matrices", "observation_matrices"])
    assert_close(made.A, torch.from_numpy(oracle.transition_matrices))
    assert_close(made.C, torch.from_numpy(oracle.observation_matrices))


def test_what_is_no_covariance_is_refused() -> None:
    with pytest.raises(DataError, match="kalman: the covariance of a place cannot be inverted: it"):
        cholesky(torch.tensor([[1.0, 2.0], [2.0, 1.0]]))
    with pytest.raises(DataError, match="kalman: the covariance of a place cannot be inverted: it"):
        cholesky(torch.full((2, 2), float("nan")))
