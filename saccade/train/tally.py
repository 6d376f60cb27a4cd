"""What a share of an update was: sums and counts, which add up over batches and processes."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar


@dataclass(frozen=True, slots=True)
class UpdateTally:
    """Sums over pairs: the loss, its part `nll`, target symbols, source places, and counts.

    lengths: the six sums that price.py tells of.  counts: those of the objective.

    >>> (UpdateTally(total=2.0, count=3) + UpdateTally(total=1.0, count=1)).total
    3.0
    """

    total: float = 0.0
    nll: float = 0.0
    count: int = 0
    source_tokens: int = 0
    lengths: list[float] = field(default_factory=lambda: [0.0] * 6)
    counts: Mapping[str, int] = field(default_factory=dict)

    nothing: ClassVar[tuple[float, ...]] = (0.0,) * 6  # lengths to begin with

    def __add__(self, other: "UpdateTally") -> "UpdateTally":
        counts = Counter(self.counts)
        counts.update(other.counts)
        return UpdateTally(
            self.total + other.total,
            self.nll + other.nll,
            self.count + other.count,
            self.source_tokens + other.source_tokens,
            [a + b for a, b in zip(self.lengths, other.lengths, strict=True)],
            dict(counts),
        )

    def plain(self) -> dict[str, Any]:
        """Return what JSON can hold."""
        return asdict(self)
