"""Likelihood as a metric: what a model thinks of the texts, instead of what it writes.

The hypothesis of a segment is what the model found there. So intervals and paired tests over texts
are those of every metric.
"""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from saccade.metrics.base import Metric, Score, Stats, perplexity


class WeighedText(Protocol):
    """How likely a model finds one text, and how long the text is."""

    @property
    def log_prob(self) -> float:
        """Natural logarithm of the probability of the text, END included."""

    @property
    def pieces(self) -> int:
        """Symbols of the model, END included."""

    @property
    def characters(self) -> int:
        """Characters of the text."""


class NatsPerCharacter(Metric):
    """Compare models whatever their pieces are.

    nats a character = -log p(texts) / characters
    """

    name = "nats a character"
    higher_is_better = False

    def stats(self, hypothesis: WeighedText, references: Sequence[Any]) -> Stats:
        """Return log-probability and characters, `[2]`."""
        return np.array([hypothesis.log_prob, hypothesis.characters], dtype=np.float64)

    def score(self, summed: Stats) -> Score:
        """Return the mean of a character."""
        log_prob, characters = summed.tolist()
        value = -log_prob / max(characters, 1)
        return Score(self.name, value, "END:counted", {}, self.higher_is_better)


class PiecePerplexity(Metric):
    """Compare models that have the same pieces; see `perplexity`."""

    name = "perplexity a piece"
    higher_is_better = False

    def stats(self, hypothesis: WeighedText, references: Sequence[Any]) -> Stats:
        """Return log-probability and pieces, `[2]`."""
        return np.array([hypothesis.log_prob, hypothesis.pieces], dtype=np.float64)

    def score(self, summed: Stats) -> Score:
        """Return the perplexity of a piece, END included."""
        log_prob, pieces = summed.tolist()
        value = perplexity(log_prob, int(pieces))
        return Score(self.name, value, "END:counted", {}, self.higher_is_better)
