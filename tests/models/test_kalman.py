"""The Kalman filter forecasts, filters and smooths as the equations say."""

from typing import Any

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from saccade.data.codecs import Codecs
from saccade.errors import CheckpointError, DataError, RecipeError
from saccade.flow import Padded
from saccade.folders.model import put_weights
from saccade.modalities.numbers import NumbersCodec, Scale
from saccade.models.base import LaidPairs, LaidSide
from saccade.models.kalman import Kalman
from saccade.predict.predictor import Predictor
from saccade.recipe import Decoding
from saccade.train import weights
from tests.models.test__kalman import Joint
from tests.samples import randn, series, windows


def counted(source: int = 1, target: int = 1, passes: int = 3, **options: Any) -> Kalman:
    """Fit a model to series that wander; the last column of a source with gaps says which."""
    model = Kalman(*series(source, target), **options)
    read = randn(80, source, seed=3).cumsum(dim=0).double().numpy() / 5
    if model.gaps:
        read[:, -1] = np.where(randn(80).numpy() > -0.8, 0.5, -2.0)
    came, lengths = read[:, :target], np.full(8, 10)
    corpus = LaidPairs({"source": LaidSide(read, lengths)}, LaidSide(came, lengths))
    for i in range(passes):
        model.count(corpus, i)
    return model


def joint_of(model: Kalman, n: int) -> Joint:
    return Joint(model.numbers, n)


def test_its_loss_is_the_exact_likelihood_of_what_came() -> None:
    model = counted(3, 2, states=3)
    read, came = randn(5, 3, seed=1), randn(4, 2, seed=2)
    batch = windows([read], [came])
    total, _ = model.head.loss(model(batch).features[0], batch.target.values[0])
    y = np.zeros((9, 3))
    y[:5], y[5:, :2] = read.numpy(), came.numpy()
    seen = np.ones((9, 3), dtype=bool)
    seen[5:, 2] = False
    joint = joint_of(model, 9)
    past = seen & (np.arange(9) < 5)[:, None]
    whole = (
        joint.given(y.flatten(), seen.flatten())[2] - joint.given(y.flatten(), past.flatten())[2]
    )
    assert float(total) == pytest.approx(-whole, rel=1e-4)


def test_a_forecast_is_the_mean_of_what_comes() -> None:
    model = counted(2, 2, states=3)
    read = randn(6, 2, seed=1)
    codec = NumbersCodec(Scale((0.0, 0.0), (1.0, 1.0)), 5)
    predictor = Predictor(model, Codecs({"source": codec}, codec), Decoding(metrics=[]))
    found = predictor.predict(read.double().numpy()).values
    y = np.zeros((11, 2))
    y[:6] = read.numpy()
    seen = np.arange(22) < 12
    mean = joint_of(model, 11).given(y.flatten(), seen)[0].reshape(11, -1)
    expected = mean[6:] @ model.numbers.C.numpy().T
    assert np.asarray(found) == pytest.approx(expected, abs=1e-3)
    one, other = (predictor.predict(read.double().numpy(), sample={"seed": s}) for s in (1, 2))
    assert one.text != other.text
    assert predictor.predict(read.double().numpy(), steps=9).values.shape == (9, 2)


def test_spreads_are_those_of_one_large_gaussian() -> None:
    """Of places ahead with their noise, the window alone being known; of states without it."""
    model = counted(2, 2, states=3)
    sources = windows([randn(6, 2, seed=1)], [randn(1, 2)]).sources
    found = model.read_spreads(sources, 5)[0].numpy()
    seen = np.arange(22) < 12
    cov = joint_of(model, 11).given(np.zeros(22), seen)[1]
    C, r = model.numbers.C.numpy(), model.numbers.r.numpy()
    for k in range(5):
        here = slice(3 * (6 + k), 3 * (7 + k))
        assert found[k] == pytest.approx(np.sqrt(np.diag(C @ cov[here, here] @ C.T) + r), rel=1e-6)
    smoother = counted(2, 2, states=3, mode="smooth")
    spread = smoother.read_spreads(sources, 6)[0].numpy()
    cov = joint_of(smoother, 6).given(np.zeros(12), np.ones(12, dtype=bool))[1][3:6, 3:6]
    C = smoother.numbers.C.numpy()
    assert spread[1] == pytest.approx(np.sqrt(np.diag(C @ cov @ C.T)), rel=1e-4)


@pytest.mark.parametrize("mode", ["filter", "smooth"])
def test_states_are_estimated_where_they_were(mode: Any) -> None:
    model = counted(3, 2, mode=mode, structure="velocity", gaps=True)
    read = randn(6, 3, seed=1)
    read[:, 2] = torch.tensor([0.3, 0.3, -2.0, 0.3, -2.0, 0.3])
    features = model(windows([read], [read[:, :2]])).features[0]
    seen = np.repeat(np.array([1, 1, 0, 1, 0, 1], dtype=bool), 2)
    joint, C = joint_of(model, 6), model.numbers.C.numpy()
    for t in range(6):
        known = seen & (np.arange(12) < 2 * t + 2) if mode == "filter" else seen
        mean, cov, _ = joint.given(read[:, :2].double().numpy().flatten(), known)
        here = slice(4 * t, 4 * t + 4)
        assert_close(model.head.best(features[t]), torch.from_numpy(C @ mean[here]))
        root = model.head.root(features[t])
        assert_close(root @ root.T, torch.from_numpy(C @ cov[here, here] @ C.T), atol=1e-6, rtol=0)


def test_an_estimate_is_as_long_as_what_was_read() -> None:
    model = counted(mode="smooth", structure="trend")
    codec = NumbersCodec(Scale((0.0,), (1.0,)), 10)
    predictor = Predictor(model, Codecs({"source": codec}, codec), Decoding(metrics=[]))
    found = predictor.predict(["1 2 3 4", "1 2"])
    assert [len(one.values) for one in found] == [4, 2]
    assert found[1].text == predictor.predict("1 2").text
    assert [len(predictor.predict("1 2 3", steps=n).values) for n in (2, 9)] == [2, 3]


def test_em_learns_a_line_and_finds_it_again() -> None:
    model = Kalman(*series(1), structure="trend", mode="smooth", iterations=1)
    line = np.linspace(-1, 1, 30)[:, None]
    noise = 0.3 * randn(20, 30, 1, seed=4).double().numpy()
    read = (line + noise).reshape(-1, 1)
    side = LaidSide(read, np.full(20, 30))
    figures = [model.count(LaidPairs({"source": side}, side), i).figures for i in range(30)]
    likely = [one["log_likelihood"] for one in figures]
    assert likely == sorted(likely)
    assert figures[-1]["noise"] == pytest.approx(0.3, rel=0.1)
    batch = windows([torch.from_numpy(read[:30]).float()], [torch.from_numpy(line).float()])
    found = model.head.best(model(batch).features)[0].numpy()
    assert np.abs(found - line).mean() < 0.1 < np.abs(read[:30] - line).mean()


def test_a_pass_depends_on_the_numbers_and_the_corpus_alone() -> None:
    model, other = counted(passes=2, states=2), counted(passes=4, states=2)
    put_weights(
        model, {n: t.clone() for n, t in weights.of(counted(passes=3, states=2)).items()}, ""
    )
    read = randn(80, 1, seed=3).cumsum(dim=0).double().numpy() / 5
    side = LaidSide(read, np.full(8, 10))
    model.count(LaidPairs({"source": side}, side), 3)
    assert all(torch.equal(a, b) for a, b in zip(model.numbers, other.numbers, strict=True))


def test_a_damaged_file_is_refused() -> None:
    model = counted(states=2)
    for name, value in [("A", float("nan")), ("Q", -1.0), ("r", 0.0), ("V", -3.0)]:
        odd = {n: t.clone() for n, t in weights.of(model).items()}
        odd[name].view(-1)[0] = value
        with pytest.raises(CheckpointError, match="here: a covariance is none, or a number is not"):
            put_weights(counted(states=2), odd, "here")


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(RecipeError, match=r"kalman.iterations: 0 is below 1; 20 to 100 is usual."):
        Kalman(*series(1), iterations=0)
    with pytest.raises(RecipeError, match=r"kalman.gaps: the source has 1 columns and the last"):
        Kalman(*series(1), gaps=True)
    model = Kalman(*series(1), states=1)
    nothing = LaidSide(np.zeros((0, 1)), np.zeros(0, dtype=np.int64))
    with pytest.raises(DataError, match="kalman: there is nothing to learn from; expected some se"):
        model.count(LaidPairs({"source": nothing}, nothing), 0)
    short = LaidSide(np.zeros((1, 1)), np.ones(1, dtype=np.int64))
    with pytest.raises(DataError, match="kalman: the longest series has 1 place; expected 2 or mo"):
        Kalman(*series(1), mode="filter").count(LaidPairs({"source": short}, short), 0)
    odd = LaidSide(np.array([[1.0], [np.nan], [0.0]]), np.array([3]))
    with pytest.raises(DataError, match="kalman: a series holds NaN or infinity; expected numbers"):
        model.count(LaidPairs({"source": odd}, odd), 0)


def test_series_that_never_change_are_learned() -> None:
    model = Kalman(*series(1), states=2)
    flat = LaidSide(np.zeros((40, 1)), np.full(4, 10))
    for i in range(3):
        model.count(LaidPairs({"source": flat}, flat), i)
    state = model.start({"source": Padded(torch.zeros(1, 4, 1), torch.ones(1, 4).bool())})
    value, _ = model.follow(torch.zeros(1, 1), state)
    assert float(value.abs().max()) < 1e-3
