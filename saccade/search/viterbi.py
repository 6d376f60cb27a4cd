"""Viterbi search: the likeliest path through a trellis, exactly."""

from typing import ClassVar

import torch

from saccade.errors import RecipeError
from saccade.flow import State, StepFunction
from saccade.nouns import Hypothesis
from saccade.search._tree import paths
from saccade.search._trellis import Trellis, trellis_of
from saccade.search.base import Found, Search, Task


class Viterbi(Search):
    """Find the likeliest sequence of states of a hidden Markov model, and write what they write.

        y = argmax p(y | x)                              score = log p(y | x)

    Viterbi 1967. For every state of a place only the best way to it is kept, so that all K^n
    sequences are compared in n K^2 steps, n K^3 if a state knows the two before it. `token_scores`
    are those of each symbol given those before it and the whole source: they sum to the score.
    Where several states write the same symbol, the best path need not be the best output.
    """

    once: ClassVar[bool] = True
    trellis: ClassVar[bool] = True

    @torch.no_grad()
    def __call__(
        self, step: StepFunction, state: State, task: Task, *, trace: bool = False
    ) -> list[Found]:
        """Search the trellis of `state`; the tree is a single path."""
        _check(task)
        trellis = trellis_of(state, "viterbi")
        if not len(trellis.leads):
            return []
        path = _allowed(trellis, task).best_path()  # [B, P]
        tokens = trellis.symbols.gather(2, path[:, :, None])[:, :, 0]
        gains = trellis.gains(tokens).float()
        rows = zip(
            *(one.tolist() for one in (tokens, gains, trellis.lengths, task.limits)), strict=True
        )
        written = [_read(*row) for row in rows]
        if task.watch:
            for row, one in enumerate(written):
                if one.tokens:
                    seen = torch.tensor([one.tokens], device=task.limits.device)
                    task.watch(torch.tensor([row], device=task.limits.device), seen)
        return [Found((one,), paths([one], task.end) if trace else ()) for one in written]


def _allowed(trellis: Trellis, task: Task) -> Trellis:
    """Rule out what may not be written, unless a place has nothing else."""
    if not task.banned:
        return trellis
    banned = torch.tensor(task.banned, device=trellis.symbols.device)
    kept = trellis.scores.masked_fill(torch.isin(trellis.symbols, banned), 0.0)
    some = (kept > 0).any(dim=2, keepdim=True)
    return trellis._replace(scores=torch.where(some, kept, trellis.scores))


def _read(tokens: list[int], gains: list[float], n: int, limit: int) -> Hypothesis:
    """Write a row up to its END, or up to its limit."""
    finished = n <= limit
    scores = gains[: n + 1] if finished else gains[:limit]
    return Hypothesis(tuple(tokens[: min(n, limit)]), sum(scores), tuple(scores), finished)


def _check(task: Task) -> None:
    if any(task.prefixes):
        raise RecipeError(
            "viterbi: finds the best of all paths and cannot begin with a given text; expected no"
            " prefix. Use beam, which writes one symbol after the other."
        )
    if task.shapers:
        raise RecipeError(
            "viterbi: knows only the states of the model and cannot keep to a lexicon or a language"
            " model; expected none. Use beam."
        )
