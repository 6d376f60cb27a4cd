"""Is the output made up? What its loops, its gaps, its length and its probabilities say."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saccade.guards.confidence import confidence
from saccade.guards.coverage import coverage
from saccade.guards.flag import Flag
from saccade.guards.length import length
from saccade.guards.loop import loop
from saccade.guards.profile import Profile


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of one output.

    Args:
        source: the source's pieces, without END.
        words: the number of the word that each belongs to.
        target: the output's pieces, without END.
        token_scores: log-probability of each, and of END last if the output came to its end.
        finished: False if the output was cut at its length limit.
        weights: where each piece looked, `[T, S + 1]`; None for a model without attention.
        profile: what was usual in training; None if nobody knows.
    """

    source: Sequence[str]
    words: Sequence[int]
    target: Sequence[str]
    token_scores: Sequence[float]
    finished: bool
    weights: NDArray[np.float32] | None
    profile: Profile | None


def hallucination(evidence: Evidence) -> tuple[Flag, ...]:
    """Return all flags that an output raises: loops, holes, odd length, low confidence."""
    source, target = evidence.source, evidence.target
    return (
        *loop(source, target),
        *coverage(source, evidence.words, evidence.weights),
        *length(len(source), len(target), evidence.profile, finished=evidence.finished),
        *confidence(target, evidence.token_scores),
    )
