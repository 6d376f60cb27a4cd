"""A trellis: all ways through hidden states, place by place; their sums and the best of them.

Probabilities are held as they are, not as logarithms, and every message is scaled so that its
largest number is 1: a sum over all paths is then a few products, and no path is too long.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from saccade.errors import RecipeError
from saccade.flow import State, nested, tensor
from saccade.kernels import trellis as kernels

TRELLIS = "trellis"  # the entry of a State that holds one


class Trellis(NamedTuple):
    """The states that each place can be in, and how likely they follow each other.

    tables: `[U, A, C, C]`, probability of candidate c of a place behind candidate b of the place
    before it and a of the one before that; A is C for states that know two before them, else 1.
    leads: `[B, P]`, which table leads to a place.  scores: `[B, P, C]`, how well what stands there
    fits each candidate, 0 where there is none.  symbols: `[B, P, C]`, what a candidate writes.
    lengths: `[B]`, places before the one that is END, the last of a row. Candidate 0 is the only
    one before the first place and at END.
    """

    tables: Tensor
    leads: Tensor
    scores: Tensor
    symbols: Tensor
    lengths: Tensor

    def as_state(self) -> State:
        """Return what a search along a trellis finds in its state."""
        return {TRELLIS: dict(self._asdict())}

    @property
    def _over(self) -> int:
        """Which dimension of `[B, A, C, C]` is left behind by a step."""
        return 1 if self.tables.shape[1] > 1 else 2

    def _first(self) -> Tensor:
        """Return the message before the first place, `[B, A, C]`."""
        message = self.tables.new_zeros(len(self.leads), *self.tables.shape[1:3])
        message[:, 0, 0] = 1.0
        return message

    def _here(self, t: int) -> Tensor:
        """Return which rows have a place t, `[B, 1, 1]`."""
        return (t <= self.lengths)[:, None, None]

    def forward_sums(self) -> tuple[Tensor, Tensor]:
        """Sum over all paths that have come to a place: alpha `[B, P, A, C]`, and log p `[B]`.

            alpha[t, b, c] = e[t, c] sum_a alpha[t-1, a, b] p(c | a b)

        each divided by its sum. Rabiner 1989, section III A and V A. log p is that of everything.
        """
        alpha, every = self._first(), []
        total = self.tables.new_zeros(len(self.leads))
        for t in range(self.leads.shape[1]):
            stepped = (alpha[:, :, :, None] * self.tables[self.leads[:, t]]).sum(dim=self._over)
            stepped = stepped * self.scores[:, t, None]  # [B, A, C]
            size = stepped.sum(dim=(1, 2))  # [B]
            here = self._here(t)
            total = torch.where(here[:, 0, 0], total + size.log(), total)
            alpha = torch.where(here, stepped / size[:, None, None], alpha)
            every.append(alpha)
        return torch.stack(every, dim=1), total

    def backward_sums(self) -> Tensor:
        """Sum over all ways from a place to END: beta `[B, P, A, C]`, each with a largest of 1.

        beta[t, b, c] = sum_d p(d | b c) e[t+1, d] beta[t+1, c, d]
        """
        ones = torch.ones_like(self._first())
        beta, every = ones, [ones]
        for t in range(self.leads.shape[1] - 1, 0, -1):
            ahead = (beta * self.scores[:, t, None])[:, None]  # [B, 1, A, C]
            stepped = (self.tables[self.leads[:, t]] * ahead).sum(dim=3)  # [B, A, C]
            stepped = stepped / stepped.amax(dim=(1, 2), keepdim=True)
            beta = torch.where(self._here(t), stepped, ones)
            every.append(beta)
        return torch.stack(every[::-1], dim=1)

    def posteriors(self) -> Tensor:
        """Return how likely each candidate of each place is, given everything: `[B, P, C]`."""
        both = (self.forward_sums()[0] * self.backward_sums()).sum(dim=2)
        return both / both.sum(dim=2, keepdim=True)

    def best_path(self) -> Tensor:
        """Return the candidates of the likeliest path, `[B, P]`; of equals the first ones.

            delta[t, b, c] = e[t, c] max_a delta[t-1, a, b] p(c | a b)

        Viterbi 1967; Rabiner 1989, section III B. In C where there are kernels, bit for bit.
        """
        found = kernels.best_path(self.tables, self.leads, self.scores, self.lengths)
        return self._best_path() if found is None else found

    def _best_path(self) -> Tensor:
        delta, steps = self._first(), []
        for t in range(self.leads.shape[1]):
            ways = delta[:, :, :, None] * self.tables[self.leads[:, t]]  # [B, A, C, C]
            stepped, back = ways.max(dim=self._over)
            stepped = stepped * self.scores[:, t, None]
            largest = stepped.amax(dim=(1, 2), keepdim=True)
            delta = torch.where(self._here(t), stepped / largest, delta)
            steps.append(back)  # [B, A, C]
        rows = torch.arange(len(self.leads), device=self.leads.device)
        here = torch.zeros_like(self.lengths)  # END
        before = delta[:, :, 0].argmax(dim=1)  # [B], at order 2 the candidate before END
        path = [here]
        for t in range(len(steps) - 1, 0, -1):
            told = steps[t][rows, before, here]
            at_order_2 = self._over == 1
            ahead, behind = (before, told) if at_order_2 else (told, before)
            inside = t <= self.lengths
            here, before = torch.where(inside, ahead, here), torch.where(inside, behind, before)
            path.append(here)
        return torch.stack(path[::-1], dim=1)

    def gains(self, tokens: Tensor) -> Tensor:
        """Return the log-probability of each symbol of `[B, P]` behind those before it, `[B, P]`.

        p(y[t] | y[<t], everything) ~ sum over states that write y, behind states that wrote y[<t]

        What stands behind END means nothing. In C where there are kernels, to rounding.
        """
        given = (self.tables, self.leads, self.scores, self.lengths)
        found = kernels.gains(*given, (self.symbols, tokens))
        return self._gains(tokens) if found is None else found

    def _gains(self, tokens: Tensor) -> Tensor:
        beta, message, every = self.backward_sums(), self._first(), []
        for t in range(self.leads.shape[1]):
            reached = (message[:, :, :, None] * self.tables[self.leads[:, t]]).sum(dim=self._over)
            reached = reached * self.scores[:, t, None]  # [B, A, C]
            written = self.symbols[:, t] == tokens[:, t, None]  # [B, C]
            odds = likely(reached, beta[:, t], self.scores[:, t])
            every.append((odds * written).sum(dim=1))
            message = scaled(heard(reached, written))
        return torch.stack(every, dim=1).log()


def heard(message: Tensor, written: Tensor) -> Tensor:
    """Keep of a message `[B, A, C]` the states that `[B, C]` wrote; all of them if none did."""
    kept = message * written[:, None]
    some = kept.sum(dim=(1, 2), keepdim=True) > 0
    return torch.where(some, kept, message)


def likely(message: Tensor, beta: Tensor, scores: Tensor) -> Tensor:
    """Return how likely each candidate is, `[B, C]`, by what led to it and all that may follow.

    Where nothing can lead to it, only what stands there counts.
    """
    found = (message * beta).sum(dim=1)
    found = torch.where(found.sum(dim=1, keepdim=True) > 0, found, scores)
    return found / found.sum(dim=1, keepdim=True)


def scaled(message: Tensor) -> Tensor:
    """Divide a message `[B, A, C]` by its largest number."""
    largest = message.amax(dim=(1, 2), keepdim=True)
    return message / torch.where(largest > 0, largest, 1.0)


def trellis_of(state: State, kind: str) -> Trellis:
    """Return the trellis of a state; refuse one that has none."""
    if TRELLIS not in state:
        raise RecipeError(
            f"{kind}: the model has no trellis to search; expected one such as hmm. Use beam."
        )
    held = nested(state, TRELLIS)
    return Trellis(*(tensor(held, name) for name in Trellis._fields))
