"""Hypotheses of many sentences as tensors: what a beam carries from step to step."""

from typing import NamedTuple

import torch
from torch import Tensor

from saccade.nouns import Hypothesis
from saccade.search._rules import NEVER, read


class Lines(NamedTuple):
    """Hypotheses of every sentence, best first.

    score: `[B, N]`, -inf marks an empty place.  length: `[B, N]`, symbols written.
    tokens, token_scores: `[B, N, T]`, of which the first `length` count.
    """

    score: Tensor
    length: Tensor
    tokens: Tensor
    token_scores: Tensor

    def take(self, place: Tensor) -> "Lines":
        """Pick hypotheses `place[b]`, `[B, M]`, of each sentence."""
        wide = place[:, :, None].expand(-1, -1, self.tokens.shape[2])  # [B, M, T]
        return Lines(
            self.score.gather(1, place),
            self.length.gather(1, place),
            self.tokens.gather(1, wide),
            self.token_scores.gather(1, wide),
        )

    def append(self, score: Tensor, token: Tensor, token_score: Tensor, step: int) -> "Lines":
        """Write one more symbol, all `[B, N]`, at place `step`."""
        tokens, token_scores = self.tokens.clone(), self.token_scores.clone()
        tokens[:, :, step], token_scores[:, :, step] = token, token_score
        return Lines(score, self.length + 1, tokens, token_scores)

    def merge(self, other: "Lines", n: int) -> "Lines":
        """Keep the `n` best of both; of equals, those of `self` and those that stand first."""
        both = Lines(*(torch.cat(pair, dim=1) for pair in zip(self, other, strict=True)))
        return both.take(both.score.sort(dim=1, descending=True, stable=True).indices[:, :n])

    def sentences(self, index: Tensor) -> "Lines":
        """Pick sentences."""
        return Lines(*(entry.index_select(0, index) for entry in self))

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


def empty(n_sentences: int, n: int, n_steps: int, device: torch.device) -> Lines:
    """Make places for `n` hypotheses a sentence, none of them taken."""
    return Lines(
        torch.full((n_sentences, n), NEVER, device=device),
        torch.zeros(n_sentences, n, dtype=torch.long, device=device),
        torch.zeros(n_sentences, n, n_steps, dtype=torch.long, device=device),
        torch.zeros(n_sentences, n, n_steps, device=device),
    )
