"""Hypotheses of many sentences as arrays: what a beam carries from step to step.

The steps of a model are torch's; the bookkeeping between them is a few hundred numbers, for which
numpy takes a tenth of the time.
"""

from typing import NamedTuple

import numpy as np

from saccade.nouns import Hypothesis
from saccade.search._best import Array
from saccade.search._rules import NEVER, read


class Lines(NamedTuple):
    """Hypotheses of every sentence, best first.

    score: `[B, N]`, -inf marks an empty place.  length: `[B, N]`, symbols written.
    tokens, token_scores: `[B, N, T]`, of which the first `length` count.
    """

    score: Array
    length: Array
    tokens: Array
    token_scores: Array

    def take(self, place: Array) -> "Lines":
        """Pick hypotheses `place[b]`, `[B, M]`, of each sentence."""
        row = np.arange(len(place))[:, None]
        return Lines(*(entry[row, place] for entry in self))

    def append(self, score: Array, token: Array, token_score: Array, step: int) -> "Lines":
        """Write one more symbol, all `[B, N]`, at place `step`; these lines are used up by it."""
        self.tokens[:, :, step], self.token_scores[:, :, step] = token, token_score
        return Lines(score, self.length + 1, self.tokens, self.token_scores)

    def merge(self, other: "Lines", n: int) -> "Lines":
        """Keep the `n` best of both; of equals, those of `self` and those that stand first."""
        both = Lines(*(np.concatenate(pair, axis=1) for pair in zip(self, other, strict=True)))
        return both.take(np.argsort(-both.score, axis=1, kind="stable")[:, :n])

    def sentences(self, index: Array) -> "Lines":
        """Pick sentences."""
        return Lines(*(entry[index] for entry in self))

    def read(self, end: int) -> list[list[Hypothesis]]:
        """Turn the hypotheses of each sentence that are not empty into plain values."""
        rows = zip(*(entry.tolist() for entry in self), strict=True)
        return [
            [
                read(tokens, token_scores, length, score, end)
                for score, length, tokens, token_scores in zip(*row, strict=True)
                if score > NEVER
            ]
            for row in rows
        ]


def empty(n_sentences: int, n: int, n_steps: int) -> Lines:
    """Make places for `n` hypotheses a sentence, none of them taken."""
    return Lines(
        np.full((n_sentences, n), NEVER, dtype=np.float32),
        np.zeros((n_sentences, n), dtype=np.int64),
        np.zeros((n_sentences, n, n_steps), dtype=np.int64),
        np.zeros((n_sentences, n, n_steps), dtype=np.float32),
    )
