"""The rule that stops a run which went astray, and what it leaves alone."""

from pathlib import Path
from typing import Any

import pytest

from saccade.errors import TrainingError
from saccade.recipe import Training
from saccade.train.checkpoint import Checkpoints
from saccade.train.divergence import FACTOR, FEW, UPDATES, check_divergence
from saccade.train.progress import Progress
from tests.train import small


def watch(losses: list[float], **settings: float) -> Progress:
    progress = Progress()
    for loss in losses:
        progress.step += 1
        check_divergence(progress, loss, 0.5, Training(**settings))  # type: ignore[arg-type]
    return progress


def test_a_loss_that_stays_far_above_the_start_stops_the_run() -> None:
    with pytest.raises(TrainingError) as caught:
        watch([4.0] + [4.0 * FACTOR + 1] * UPDATES, learning_rate=0.5, clip=0.0)
    assert str(caught.value) == (
        f"step {UPDATES + 1}: the training loss is 21, and was above 20 for 100 updates; it began"
        " at 4, so training has diverged. The last checkpoint is kept. Begin a new run with a lower"
        " training.learning_rate (it is 0.5, and 0.5 at this step), set training.clip=1, or give"
        " training.schedule a longer warmup."
    )
    with pytest.raises(TrainingError) as caught:
        watch([4.0] + [21.0] * UPDATES, clip=1.0)
    assert "at this step), or give training.schedule a longer warmup." in str(caught.value)


def test_one_update_below_the_limit_begins_anew() -> None:
    nearly = [21.0] * (UPDATES - 1)
    assert watch([4.0, *nearly, 20.0, *nearly]).high == UPDATES - 1
    with pytest.raises(TrainingError, match="was above 20 for 100 updates"):
        watch([4.0, *nearly, 20.0, *nearly, 21.0])


def test_a_run_from_a_trained_model_may_rise_to_what_others_start_from() -> None:
    assert watch([0.01] + [4.9] * 300).high == 0
    assert watch([-2.0] + [9.9] * 300).high == 0  # a surrogate may be negative


def test_a_learning_rate_without_measure_ends_the_run(tmp_path: Path) -> None:
    with pytest.raises(TrainingError) as caught:
        small.run(tmp_path, max_steps=400, learning_rate=1e30, validate_every=500)
    assert "it began at 2.4" in str(caught.value)
    assert "so training has diverged." in str(caught.value)
    assert Checkpoints(tmp_path).index().last == "step-00000000"


def test_a_loss_that_is_a_thousand_times_the_start_stops_the_run_soon() -> None:
    with pytest.raises(TrainingError) as caught:
        watch([4.0] + [4001.0] * FEW, learning_rate=0.5)
    assert str(caught.value).startswith(
        "step 11: the training loss is 4001, and was above 4000 for 10 updates; it began at 4, so"
        " training has diverged."
    )
    assert watch([4.0, *[4001.0] * (FEW - 1), 3999.0]).far == 0


@pytest.mark.parametrize("options", [{}, {"optimiser": "sgd"}, {"clip": 0.0}])
@pytest.mark.parametrize("steps", [1, 3, 30])
@pytest.mark.parametrize("rate", [1e30, 1e4])
def test_no_run_is_finished_that_ends_far_above_its_start(
    tmp_path: Path, rate: float, steps: int, options: dict[str, Any]
) -> None:
    constant = {"kind": "constant"}
    with pytest.raises(TrainingError) as caught:
        small.run(tmp_path, max_steps=steps, learning_rate=rate, schedule=constant, **options)
    said = str(caught.value)
    assert "so training has diverged." in said
    assert f"Begin a new run with a lower training.learning_rate (it is {rate:g}" in said
    assert not (tmp_path / "model.safetensors").exists()


def test_a_run_that_ends_too_high_is_not_finished(tmp_path: Path) -> None:
    options: dict[str, Any] = {"optimiser": "sgd", "schedule": {"kind": "constant"}}
    with pytest.raises(TrainingError) as caught:
        small.run(tmp_path, max_steps=12, learning_rate=1e3, **options)
    assert "the training loss was above 12.17 for the last 11 updates" in str(caught.value)


def test_the_count_is_resumed(tmp_path: Path) -> None:
    small.run(tmp_path, max_steps=2)
    progress = Checkpoints(tmp_path).progress("step-00000002")
    assert progress.first_loss is not None
    assert 1 < progress.first_loss < 5
    again = small.run(tmp_path, resume=True, max_steps=3).progress
    assert again.first_loss == progress.first_loss
