"""When training has gone astray: a loss that is far above where it began, and stays there.

    base = max(1, |loss[0]|)
    diverged at n     loss[n - 99 .. n] are all > 5 base, or loss[n - 9 .. n] all > 1000 base
    diverged at its end     as above, with the last 10 updates > 5 base
    diverged at a validation     its loss > 1000 base

loss[0] is that of the first update, before anything is learned; of a run that an older version
began, that of the first update after resuming. The loss of a run that learns falls below its start,
so that 100 updates in a row at five times the start are never healthy, nor 10 at a thousand times.
The 1 is for runs that start from a trained model: its loss may be near 0, and may rise on other
data. A loss that is no number stops a run at once; see loop.py.
"""

from saccade.errors import TrainingError
from saccade.recipe import Training
from saccade.train.progress import Progress

FACTOR, UPDATES = 5.0, 100
FAR, FEW = 1000.0, 10


def check_divergence(progress: Progress, loss: float, rate: float, settings: Training) -> None:
    """Note the training loss of one update; stop a run that diverged."""
    if progress.first_loss is None:
        progress.first_loss = loss
    base = _base(progress)
    progress.high = progress.high + 1 if loss > FACTOR * base else 0
    progress.far = progress.far + 1 if loss > FAR * base else 0
    for times, n, most in ((FACTOR, progress.high, UPDATES), (FAR, progress.far, FEW)):
        if n >= most:
            said = f"the training loss is {loss:.4g}, and was above {times * base:.4g} for {most}"
            raise _diverged(progress, f"{said} updates", rate, settings)


def check_end(progress: Progress, settings: Training) -> None:
    """Stop a run that ends while its loss is far above where it began."""
    if progress.high >= FEW:
        limit = FACTOR * _base(progress)
        said = f"the training loss was above {limit:.4g} for the last {progress.high} updates"
        raise _diverged(progress, said, None, settings)


def check_validation(progress: Progress, loss: float, settings: Training) -> None:
    """Stop a run whose validation loss is a thousand times what it began at."""
    if progress.first_loss is not None and loss > FAR * _base(progress):
        limit = FAR * _base(progress)
        said = f"the validation loss is {loss:.4g}; expected at most {limit:.4g}"
        raise _diverged(progress, said, None, settings)


def _base(progress: Progress) -> float:
    return max(1.0, abs(progress.first_loss or 0.0))


def _diverged(
    progress: Progress, said: str, rate: float | None, settings: Training
) -> TrainingError:
    clip = "" if settings.clip else " set training.clip=1,"
    here = "" if rate is None else f", and {rate:g} at this step"
    return TrainingError(
        f"step {progress.step}: {said}; it began at {progress.first_loss or 0:.4g}, so training has"
        " diverged. The last checkpoint is kept. Begin a new run with a lower"
        f" training.learning_rate (it is {settings.learning_rate:g}{here}),{clip} or give"
        " training.schedule a longer warmup."
    )
