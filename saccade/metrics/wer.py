"""Edits of words."""

from collections.abc import Sequence
from typing import ClassVar

from saccade.metrics import _edits
from saccade.metrics._text import case, tidy
from saccade.metrics.base import Metric, Score, Stats


class Wer(Metric):
    """Count the words to replace, insert or delete on the way to the nearest reference.

        WER = 100 * (substitutions + insertions + deletions) / words of the reference

    Words stand between white space, in NFC. Totals are divided, not rates averaged. Can pass 100;
    an empty reference makes 100 of any output and 0 of none. For the share of wholly wrong
    segments, which work on pronunciation calls WER, see `error_rate`; for phones, see `per`.

    detail: `substitutions`, `insertions`, `deletions`, `reference_length`.
    """

    name = "WER"
    label: ClassVar[str] = "WER (edits of words)"
    higher_is_better = False

    def __init__(self, *, lowercase: bool = False) -> None:
        self._lowercase = lowercase

    def stats(self, hypothesis: str, references: Sequence[str]) -> Stats:
        """Return the three kinds of edits and the reference's words: `[4]`."""
        return _edits.edits(self._words(hypothesis), [self._words(line) for line in references])

    def score(self, summed: Stats) -> Score:
        """Return edits in percent of the reference's words."""
        signature = f"{case(lowercase=self._lowercase)}|norm:nfc|tok:whitespace"
        value, detail = _edits.rate(summed), _edits.detail(summed)
        return Score(self.name, value, signature, detail, self.higher_is_better)

    def _words(self, text: str) -> list[str]:
        return tidy(text, lowercase=self._lowercase).split()
