"""Share of bits that are wrong."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from saccade.errors import DataError
from saccade.metrics.base import Metric, Score, Stats
from saccade.modalities._bits import Bits, as_bits


class BitError(Metric):
    """Count the bits that differ from the reference.

        bit error = 100 * wrong / bits of the references

    All bits of a place that is missing, or that there is one too many of, are wrong, so the figure
    may be above 100. Of several references the nearest counts.

    detail: `wrong`, `bits`, `wrong_sequences`, `sequences`.
    """

    name = "bit error"
    label: ClassVar[str] = "bit error (wrong bits)"
    higher_is_better = False
    raw: ClassVar[str] = "bits"

    def stats(self, hypothesis: Any, references: Sequence[Any]) -> Stats:
        """Return wrong bits and all, and whether any is wrong, and 1: `[4]`."""
        found = as_bits(hypothesis, self.name)
        wanted = [as_bits(reference, self.name) for reference in references]
        wrong, bits = min((_wrong(found, one), one.size) for one in wanted)
        return np.array([wrong, bits, wrong > 0, 1], dtype=np.float64)

    def score(self, summed: Stats) -> Score:
        """Return the wrong bits in percent."""
        wrong, bits, wrong_sequences, sequences = summed.tolist()
        detail = {
            "wrong": wrong,
            "bits": bits,
            "wrong_sequences": wrong_sequences,
            "sequences": sequences,
        }
        value = 100 * wrong / max(bits, 1.0)
        return Score(self.name, value, "bits", detail, self.higher_is_better)


def _wrong(found: Bits, wanted: Bits) -> int:
    """Count the bits that differ, and those of all places that only one of them has."""
    n = min(len(found), len(wanted))
    width = int(wanted.shape[1])
    if len(found) and found.shape[1] != width:
        raise DataError(
            f"bit error: an output has {found.shape[1]} bits a place but its reference {width};"
            " expected as many. Compare outputs of the same task."
        )
    differ = int((found[:n] != wanted[:n]).sum()) if n else 0
    return differ + width * abs(len(found) - len(wanted))
