"""When a run ends, and what is said of a warm-up that it never gets to the end of."""

from typing import Any

from saccade.recipe import Training
from saccade.train.limits import LEAST_STEPS, RunLimits
from saccade.train.progress import Progress, Validation


def limits(warmup: int = 0, n_batches: int = 4, **settings: Any) -> RunLimits:
    return RunLimits(Training(**settings), warmup, n_batches)


def validated(*steps: int) -> Progress:
    """A run whose first validation was the best."""
    found = [Validation(step, float(n), {"loss": float(n)}) for n, step in enumerate(steps)]
    return Progress(step=steps[-1], validations=found)


def test_the_length_of_a_run_is_that_of_the_first_limit() -> None:
    assert limits(max_steps=100, max_epochs=40).steps == 100
    assert limits(max_steps=100, max_epochs=10).steps == 40
    assert limits(n_batches=7, accumulate=2, max_epochs=3).steps == 11
    assert limits(max_minutes=3.0, patience=2).steps is None


def test_patience_counts_after_warm_up_and_a_least_number_of_steps() -> None:
    assert limits().least == LEAST_STEPS
    assert limits(warmup=900).least == 900
    assert limits(warmup=20, min_steps=1).least == 20
    assert limits(warmup=20, min_steps=50).least == 50
    one = limits(warmup=20, min_steps=1, patience=2)
    assert one.reason(validated(4, 8, 12, 16, 20, 24)) == ""
    assert one.reason(validated(4, 8, 12, 16, 20, 24, 28)) == "no better loss in 2 validations"
    assert limits(patience=2).reason(validated(*range(4, 401, 4))) == ""


def test_limits_are_described() -> None:
    one = limits(max_steps=90, max_minutes=1.5, patience=3, warmup=500)
    assert one.describe() == (
        "90 steps or 1.5 minutes or 3 validations without a better one, after step 500"
    )


def test_a_warm_up_that_is_longer_than_the_run() -> None:
    said = limits(warmup=400, max_epochs=40, batch_tokens=4096).warning()
    assert said == (
        "Warning: warm-up of 400 steps, but this run has 160: the learning rate never gets as high"
        " as training.learning_rate. Set training.schedule.warmup=16, raise training.max_epochs, or"
        " make more steps of an epoch with a lower training.batch_tokens (it is 4096)."
    )
    assert "raise training.max_steps" in limits(warmup=400, max_steps=160).warning()
    assert limits(warmup=160, max_epochs=40).warning() == ""
    assert limits(warmup=400, max_minutes=1.0).warning() == ""
