"""Where a run stands: all that resuming needs besides weights and moments."""

import math
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(slots=True)
class Validation:
    """The figures of one validation and the one that chooses, smaller is better.

    One that was not `due` was made because the run ended there; a run that goes on forgets it, as
    one that had not stopped would never have made it.
    """

    step: int
    figure: float
    figures: dict[str, float]
    due: bool = True

    @property
    def rank(self) -> tuple[float, float]:
        """What validations are ordered by: the figure, and among equals the loss.

        A metric of whole outputs does not move for a while although a model learns.
        """
        return self.figure, self.loss

    @property
    def loss(self) -> float:
        """The validation loss; infinite if it is not known, or no number."""
        loss = self.figures.get("loss", math.inf)
        return loss if math.isfinite(loss) else math.inf


@dataclass(slots=True)
class Progress:
    """Counts since the start of the run; `epoch` and `batch` say which batch comes next.

    `seconds` were spent on updates, `elapsed` on validations and checkpoints too. `first_loss` is
    the training loss of the first update, and `high` and `far` how many updates in a row were
    above it, and far above; see divergence.py. `lengths` are the six sums over all pairs that
    price.py tells of, and `price` is what each costs, if anybody has counted. `place` is where the
    pairs of the next batch begin in data that is streamed; see data/plan.py.
    """

    step: int = 0
    epoch: int = 0
    batch: int = 0
    tokens: int = 0
    source_tokens: int = 0
    seconds: float = 0.0
    elapsed: float = 0.0
    validations: list[Validation] = field(default_factory=list)
    first_loss: float | None = None
    high: int = 0
    far: int = 0
    lengths: list[float] = field(default_factory=lambda: [0.0] * 6)
    price: list[float] = field(default_factory=list)
    place: list[int] = field(default_factory=list)

    @property
    def flops(self) -> float:
        """How many operations the updates took; not a number if a part of them was not counted."""
        pairs = zip(self.price, self.lengths, strict=True)
        return sum(c * length for c, length in pairs) if self.price else math.nan

    @property
    def best(self) -> Validation | None:
        """The validation with the best figure; of equals the lowest loss, then the first."""
        return min(self.validations, key=lambda v: v.rank, default=None)

    @property
    def last(self) -> Validation | None:
        """The validation of this very step, if there was one."""
        found = self.validations[-1:]
        return found[0] if found and found[0].step == self.step else None

    @property
    def grades(self) -> list[float]:
        """The figures for a schedule, which compares them: one that is better is smaller.

        They are the figures themselves, but for one that equals the best so far and has a lower
        loss: it is the next smaller number.
        """
        grades: list[float] = []
        best, low = (math.inf, math.inf), math.inf
        for validation in self.validations:
            grade = validation.figure
            if validation.rank < best:
                best = validation.rank
                grade = low = min(grade, math.nextafter(low, -math.inf))
            grades.append(grade)
        return grades

    def stale(self, after: int = 0) -> int:
        """Count the validations since the best one, of those that were made after step `after`."""
        best = self.best
        since = self.validations[self.validations.index(best) + 1 :] if best else []
        return sum(validation.step > after for validation in since)

    def plain(self) -> dict[str, Any]:
        """Return what JSON can hold."""
        return asdict(self)

    @classmethod
    def from_plain(cls, raw: dict[str, Any]) -> "Progress":
        """Read what `plain` wrote; what older versions did not write has its default."""
        validations = [Validation(**v) for v in raw["validations"]]
        uncounted = {} if "lengths" in raw else {"lengths": [math.nan] * 6}
        return cls(**{**raw, **uncounted, "validations": validations})
