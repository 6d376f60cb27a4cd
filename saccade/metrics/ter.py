"""Edits of words, where moving a phrase counts as one."""

from collections.abc import Sequence

from saccade.metrics import _sacrebleu
from saccade.metrics.base import Metric, Score, Stats


class Ter(Metric):
    """Count the edits a person would need: insert, delete, replace a word, or move a phrase.

        TER = 100 * edits to the nearest reference / mean words of the references

    Snover et al. 2006 (2006.amta-papers.25), as sacrebleu computes it; case is ignored.
    Can pass 100.

    detail: `edits`, `reference_length`.
    """

    name = "TER"
    higher_is_better = False

    def __init__(self) -> None:
        self._scorer = _sacrebleu.scorer("TER")

    def stats(self, hypothesis: str, references: Sequence[str]) -> Stats:
        """Return the edits and the mean length of the references: `[5]`."""
        return _sacrebleu.segment(self._scorer, hypothesis, references)

    def score(self, summed: Stats) -> Score:
        """Return edits in percent of the reference's words."""
        value = _sacrebleu.figure(self._scorer, summed).score
        detail = {"edits": float(summed[0]), "reference_length": float(summed[1])}
        signature = _sacrebleu.signature(self._scorer, summed)
        return Score(self.name, value, signature, detail, self.higher_is_better)
