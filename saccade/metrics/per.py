"""Edits of phones."""

from collections.abc import Sequence
from typing import ClassVar

from saccade.metrics import _edits
from saccade.metrics._text import case, tidy
from saccade.metrics.base import Metric, Score, Stats


class Per(Metric):
    """Count the phones to replace, insert or delete on the way to the nearest reference.

        PER = 100 * (substitutions + insertions + deletions) / phones of the reference

    A phone is what stands between white space, as in `h ə l oʊ`, in NFC. Totals are divided, not
    rates averaged. Can pass 100; an empty reference makes 100 of any output and 0 of none. The same
    number as `wer`, which is the name for words of a sentence. What work on pronunciation calls WER
    is `error_rate`.

    detail: `substitutions`, `insertions`, `deletions`, `reference_length`.
    """

    name = "PER"
    label: ClassVar[str] = "PER (phone error rate)"
    higher_is_better = False

    def __init__(self, *, lowercase: bool = False) -> None:
        self._lowercase = lowercase

    def stats(self, hypothesis: str, references: Sequence[str]) -> Stats:
        """Return the three kinds of edits and the reference's phones: `[4]`."""
        return _edits.edits(self._phones(hypothesis), [self._phones(line) for line in references])

    def score(self, summed: Stats) -> Score:
        """Return edits in percent of the reference's phones."""
        signature = f"{case(lowercase=self._lowercase)}|norm:nfc|tok:whitespace"
        value, detail = _edits.rate(summed), _edits.detail(summed)
        return Score(self.name, value, signature, detail, self.higher_is_better)

    def _phones(self, text: str) -> list[str]:
        return tidy(text, lowercase=self._lowercase).split()
