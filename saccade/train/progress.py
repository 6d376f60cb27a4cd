"""Where a run stands: all that resuming needs besides weights and moments."""

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


@dataclass(slots=True)
class Progress:
    """Counts since the start of the run; `epoch` and `batch` say which batch comes next.

    `seconds` were spent on updates, `elapsed` on validations too.
    """

    step: int = 0
    epoch: int = 0
    batch: int = 0
    tokens: int = 0
    source_tokens: int = 0
    seconds: float = 0.0
    elapsed: float = 0.0
    validations: list[Validation] = field(default_factory=list)

    @property
    def best(self) -> Validation | None:
        """The validation with the best figure, the first of equals."""
        return min(self.validations, key=lambda v: v.figure, default=None)

    @property
    def last(self) -> Validation | None:
        """The validation of this very step, if there was one."""
        found = self.validations[-1:]
        return found[0] if found and found[0].step == self.step else None

    @property
    def stale(self) -> int:
        """How many validations there were since the best one."""
        best = self.best
        return len(self.validations) - 1 - self.validations.index(best) if best else 0

    def plain(self) -> dict[str, Any]:
        """Return what JSON can hold."""
        return asdict(self)

    @classmethod
    def from_plain(cls, raw: dict[str, Any]) -> "Progress":
        """Read what `plain` wrote."""
        validations = [Validation(**v) for v in raw["validations"]]
        return cls(**{**raw, "validations": validations})
