"""When training has gone astray: a loss that is far above where it began, and stays there."""

from saccade.errors import TrainingError
from saccade.recipe import Training
from saccade.train.progress import Progress

FACTOR = 5.0
UPDATES = 100


def check_divergence(progress: Progress, loss: float, rate: float, settings: Training) -> None:
    """Note the training loss of one update; stop a run that diverged.

        diverged = loss[n - 99 .. n] are all > 5 max(1, |loss[0]|)

    loss[0] is that of the first update, before anything is learned; of a run that an older version
    began, that of the first update after resuming. The loss of a run that learns falls below its
    start, so that 100 updates in a row at five times the start are never healthy. The 1 is for runs
    that start from a trained model: its loss may be near 0, and may rise on other data. A loss that
    is no number stops a run at once; see loop.py.
    """
    if progress.first_loss is None:
        progress.first_loss = loss
    limit = FACTOR * max(1.0, abs(progress.first_loss))
    progress.high = progress.high + 1 if loss > limit else 0
    if progress.high < UPDATES:
        return
    clip = "" if settings.clip else " set training.clip=1,"
    raise TrainingError(
        f"step {progress.step}: the training loss is {loss:.4g}, and was above {limit:.4g} for"
        f" {UPDATES} updates; it began at {progress.first_loss:.4g}, so training has diverged. The"
        f" last checkpoint is kept. Begin a new run with a lower training.learning_rate (it is"
        f" {settings.learning_rate:g}, and {rate:g} at this step),{clip} or give"
        " training.schedule a longer warmup."
    )
