"""Edits of characters."""

from collections.abc import Sequence
from typing import ClassVar

from saccade.metrics import _edits
from saccade.metrics._text import case, tidy
from saccade.metrics.base import Metric, Score, Stats


class Cer(Metric):
    """Count the characters to replace, insert or delete on the way to the nearest reference.

        CER = 100 * (substitutions + insertions + deletions) / characters of the reference

    A character is a code point of the NFC form, spaces inside the text included. Totals are
    divided, not rates averaged. Can pass 100; an empty reference makes 100 of any output and 0 of
    none.

    detail: `substitutions`, `insertions`, `deletions`, `reference_length`.
    """

    name = "CER"
    label: ClassVar[str] = "CER (edits of characters)"
    higher_is_better = False

    def __init__(self, *, lowercase: bool = False) -> None:
        self._lowercase = lowercase

    def stats(self, hypothesis: str, references: Sequence[str]) -> Stats:
        """Return the three kinds of edits and the reference's characters: `[4]`."""
        lines = [tidy(line, lowercase=self._lowercase) for line in references]
        return _edits.edits(tidy(hypothesis, lowercase=self._lowercase), lines)

    def score(self, summed: Stats) -> Score:
        """Return edits in percent of the reference's characters."""
        signature = f"{case(lowercase=self._lowercase)}|norm:nfc|tok:char"
        value, detail = _edits.rate(summed), _edits.detail(summed)
        return Score(self.name, value, signature, detail, self.higher_is_better)
