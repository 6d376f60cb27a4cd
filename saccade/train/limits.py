"""When a run ends: after so many steps, epochs or minutes, or when nothing gets better any more."""

import math

from saccade.recipe import Training
from saccade.train.progress import Progress

LEAST_STEPS = 400  # before patience counts, unless the recipe says otherwise


class RunLimits:
    """What ends a run, and how long it can be.

    steps: after how many updates the run ends at the latest, as far as that is known: None if only
    time or patience ends it.  least: patience counts validations after this step alone. That is
    the end of the schedule's warm-up, and `training.min_steps` or else 400 updates if that is
    later: before, a model has had no chance to get better.

    Args:
        settings: of the recipe.
        warmup: of the schedule.
        n_batches: of an epoch.
    """

    def __init__(self, settings: Training, warmup: int, n_batches: int) -> None:
        self.settings, self.warmup = settings, warmup
        self.steps_an_epoch = n_batches / settings.accumulate
        self.least = max(warmup, settings.min_steps or LEAST_STEPS)
        known = [settings.max_steps, math.ceil(settings.max_epochs * self.steps_an_epoch)]
        self.steps = min((n for n in known if n), default=None)

    @property
    def every(self) -> float:
        """How many updates there are between two validations."""
        return self.settings.validate_every or self.steps_an_epoch

    def reason(self, progress: Progress) -> str:
        """Say why to stop now, or nothing."""
        settings = self.settings
        if settings.max_steps and progress.step >= settings.max_steps:
            return f"reached max_steps {settings.max_steps}"
        if settings.max_epochs and progress.epoch >= settings.max_epochs:
            return f"reached max_epochs {settings.max_epochs}"
        if settings.max_minutes and progress.elapsed >= settings.max_minutes * 60:
            return f"reached max_minutes {settings.max_minutes:g}"
        if settings.patience and progress.stale(self.least) >= settings.patience:
            return f"no better {settings.select} in {settings.patience} validations"
        return ""

    def describe(self) -> str:
        """Say what ends the run."""
        settings = self.settings
        limits = {
            "steps": settings.max_steps,
            "epochs": settings.max_epochs,
            "minutes": settings.max_minutes,
        }
        said = [f"{n:g} {what}" for what, n in limits.items() if n]
        if settings.patience:
            said.append(
                f"{settings.patience} validations without a better one, after step {self.least}"
            )
        return " or ".join(said)

    def warning(self) -> str:
        """Say that the warm-up is longer than the run, if it is."""
        if self.steps is None or self.warmup <= self.steps:
            return ""
        limit = "max_steps" if self.steps == self.settings.max_steps else "max_epochs"
        return (
            f"Warning: warm-up of {self.warmup:,} steps, but this run has {self.steps:,}: the"
            " learning rate never gets as high as training.learning_rate. Set"
            f" training.schedule.warmup={max(self.steps // 10, 1)}, raise training.{limit}, or make"
            f" more steps of an epoch with a lower training.batch_tokens (it is"
            f" {self.settings.batch_tokens})."
        )
