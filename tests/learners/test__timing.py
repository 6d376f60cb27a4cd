"""How long a run takes, told before and while it runs; timing leaves no trace."""

import io
from pathlib import Path
from typing import Any

import pytest
import torch
from rich.console import Console

from saccade.learners._bench import Bench
from saccade.learners._timing import (
    Estimate,
    Pace,
    Timing,
    estimate,
    open_end,
    roughly,
    time_evaluation,
    time_updates,
    time_validation,
)
from saccade.learners.gradient import Trainer
from saccade.recipe import Training
from saccade.run import train
from saccade.train import weights
from saccade.train.limits import RunLimits
from saccade.train.log import Log
from saccade.train.progress import Progress
from tests.train import small

TIMING = Timing(0.5, 10.0)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SACCADE_HOME", str(tmp_path / "home"))


def limits(n_batches: int = 100, **settings: Any) -> RunLimits:
    return RunLimits(Training(**settings), 0, n_batches)


def found(progress: Progress | None = None, **settings: Any) -> Estimate:
    one = estimate(limits(**settings), TIMING, progress)
    assert one is not None
    return one


def test_updates_and_validations_are_counted() -> None:
    whole = found(max_epochs=4)
    assert (whole.updates, whole.validations, whole.seconds) == (400, 4, 240.0)
    often = found(max_steps=250, validate_every=100)
    assert (often.updates, often.validations) == (250, 3), "one at the end"
    assert found(max_steps=50, max_epochs=4).updates == 50
    assert found(max_steps=900, max_epochs=4).updates == 400


def test_what_was_done_is_not_left() -> None:
    left = found(Progress(step=150, elapsed=80.0), max_epochs=4)
    assert (left.updates, left.validations, left.seconds) == (250, 3, 155.0)
    assert found(Progress(step=400), max_epochs=4).seconds == 0.0


def test_minutes_come_first_if_they_are_fewer() -> None:
    short = found(max_epochs=4, max_minutes=2.0)
    assert short.seconds == 120.0
    assert (short.updates, short.validations) == (200, 2)
    assert found(max_epochs=4, max_minutes=9.0).seconds == 240.0
    alone = found(Progress(step=100, elapsed=60.0), max_minutes=3.0)
    assert (alone.seconds, alone.updates, alone.validations) == (120.0, 200, 2)
    over = found(Progress(step=100, elapsed=600.0), max_minutes=3.0)
    assert (over.seconds, over.updates) == (0.0, 0)


def test_patience_may_end_it_before() -> None:
    assert str(found(max_epochs=4, patience=3)) == (
        "about 4 min on this machine, less if patience ends it: 400 updates of 0.5 s, 4 validations"
        " of 10 s"
    )
    assert estimate(limits(patience=3), TIMING) is None
    assert open_end(limits(patience=3), TIMING) == (
        "Patience alone ends this run: 100 updates and a validation take about 60 s on this"
        " machine."
    )


def test_times_are_rounded() -> None:
    assert [roughly(s) for s in (0.2, 99.4, 150, 3599, 7300)] == [
        "0 s",
        "99 s",
        "2 min",
        "1 h 0 min",
        "2 h 2 min",
    ]


def test_an_evaluation_is_timed_for_all_examples_and_leaves_no_trace() -> None:
    with torch.random.fork_rng(devices=[]):
        bench = Bench(small.recipe(metrics=["cer"]), Path(), "cpu", None, None)
        before = {name: w.clone() for name, w in weights.of(bench.model).items()}
        state, mode = torch.get_rng_state(), bench.model.training
        few = time_evaluation(bench, bench.examples[:2])
        many = time_evaluation(bench, bench.examples[:2] * 3200)
        assert torch.equal(torch.get_rng_state(), state)
        small.equal(before, weights.of(bench.model))
        assert bench.model.training == mode
    assert many > 5 * few > 0, "64 are measured of 6,400"
    assert time_evaluation(bench, []) == 0.0


def test_timing_leaves_no_trace(tmp_path: Path) -> None:
    options: dict[str, Any] = {
        "metrics": ["cer"],
        "ema": 0.9,
        "max_steps": 4,
        "schedule": "plateau",
    }
    small.run(tmp_path / "plain", **options)
    recipe = small.recipe(**options)
    with torch.random.fork_rng(devices=[]):
        bench = Bench(recipe, Path(), "cpu", None, None)
        before = {name: w.clone() for name, w in weights.of(bench.model).items()}
        state, mode = torch.get_rng_state(), bench.model.training
        timing = time_updates(bench, updates=3)
        assert torch.equal(torch.get_rng_state(), state)
        small.equal(before, weights.of(bench.model))
        assert bench.model.training == mode
        assert not bench.objective.learned
        (tmp_path / "timed").mkdir()
        trainer = Trainer(recipe, bench, tmp_path / "timed", Log(tmp_path / "timed", small.quiet()))
        trainer.save()
        trainer.run()
    assert timing.seconds_per_update > 0
    assert timing.seconds_per_validation > 0
    small.assert_same(tmp_path / "plain", tmp_path / "timed")


def test_a_validation_without_metrics_is_its_loss() -> None:
    bench = Bench(small.recipe(), Path(), "cpu", None, None)
    assert 0 < time_validation(bench) < 60


def test_the_time_left_is_told_once(tmp_path: Path) -> None:
    text = io.StringIO()
    console = Console(file=text, width=300)
    recipe = small.recipe(max_steps=40, validate_every=30, report_every=10, metrics=["cer"])
    train(recipe, tmp_path / "run", console=console)
    lines = text.getvalue().splitlines()
    told = [line for line in lines if line.startswith("About ")]
    assert len(told) == 1
    assert "left on this machine: 20 updates of " in told[0]
    assert ", 2 validations of " in told[0]
    at = lines.index(told[0])
    assert any("step 10 " in line for line in lines[:at])
    assert "step 20 " in lines[at + 1]
    assert lines[at + 1].endswith(" left")


def test_pace_measures_what_happens() -> None:
    pace = Pace(limits(max_steps=100, validate_every=50))
    progress = Progress(step=10, seconds=500.0, elapsed=900.0)
    pace.begin(progress)
    progress.step, progress.seconds = 11, 530.0  # the first compiles
    pace.updated(progress)
    assert pace.timing(progress) == Timing(30.0, 0.0)
    progress.step, progress.seconds = 13, 531.0
    pace.updated(progress)
    assert pace.timing(progress) == Timing(0.5, 0.0)
    for seconds in (4.0, 6.0):
        pace.validated(seconds)
    assert pace.timing(progress) == Timing(0.5, 5.0)
    pace.saved(2.0)
    assert pace.timing(progress) == Timing(0.5, 6.0)
    assert pace.left(progress) == 87 * 0.5 + 2 * 6.0
    assert Pace(limits(patience=1)).left(progress) is None
