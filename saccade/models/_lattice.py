"""The lattice of CTC: all ways in which frames can spell a label sequence, summed or the best.

Frames are log-probabilities `[B, S, V]`. Behind its last frame a row says blank with certainty, so
that no sum needs to know where the row ends: staying there costs nothing, going on cannot be.
"""

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import pad

from saccade.search._frames import BLANK, NEVER, POSSIBLE


def frames_needed(labels: Tensor, lengths: Tensor) -> Tensor:
    """Count the frames that labels `[B, L]` need at least, `[B]`: each one, and a blank in doubles.

    >>> frames_needed(torch.tensor([[5, 5, 6], [5, 6, 6]]), torch.tensor([3, 2])).tolist()
    [4, 2]
    """
    inside = torch.arange(1, labels.shape[1], device=labels.device) < lengths[:, None]  # [B, L - 1]
    doubled = (labels[:, 1:] == labels[:, :-1]) & inside
    return lengths + doubled.sum(dim=1)


class Lattice(NamedTuple):
    """The states that spell labels: blank, label 1, blank, label 2, ..., blank; E = 2L + 1.

    emitted: `[B, S, E]`, log-probability of what each state says at each frame.  skips: `[B, E]`,
    True where a path may come from two states before: over a blank between different labels.
    lengths: `[B]`, labels of each row.
    """

    emitted: Tensor
    skips: Tensor
    lengths: Tensor

    def forward_sums(self) -> Tensor:
        """Sum over all paths that have come to a state: alpha `[B, S, E]`.

            alpha[t, s] = y[t, s] (alpha[t-1, s] + alpha[t-1, s-1] + [s skips] alpha[t-1, s-2])

        In logarithms. Graves et al. 2006, "Connectionist temporal classification", eqs. 6 and 7.
        """
        emitted = self.emitted
        first = torch.arange(emitted.shape[2], device=emitted.device) < 2  # a blank or label 1
        alpha = emitted[:, 0].masked_fill(~first, NEVER)  # [B, E]
        every = [alpha]
        for t in range(1, emitted.shape[1]):
            alpha = emitted[:, t] + torch.logsumexp(self._before(alpha), dim=0)
            every.append(alpha)
        return torch.stack(every, dim=1)

    def backward_sums(self) -> Tensor:
        """Sum over all ways from a state to the end, its own frame left out: beta `[B, S, E]`."""
        emitted, state = self.emitted, torch.arange(self.emitted.shape[2])
        last = 2 * self.lengths[:, None] - state.to(emitted.device)  # [B, E], 0 or 1 at an end
        beta = torch.full_like(emitted[:, 0], NEVER).masked_fill((last == 0) | (last == 1), 0.0)
        every = [beta]
        skipped = pad(self.skips, (0, 2))[:, 2:]  # [B, E], whether two states further may be next
        for t in range(emitted.shape[1] - 1, 0, -1):
            ahead = pad(beta + emitted[:, t], (0, 2), value=NEVER)  # [B, E + 2]
            jump = ahead[:, 2:].masked_fill(~skipped, NEVER)
            beta = torch.logsumexp(torch.stack([ahead[:, :-2], ahead[:, 1:-1], jump]), dim=0)
            every.append(beta)
        return torch.stack(every[::-1], dim=1)

    def total(self, alpha: Tensor) -> Tensor:
        """Return the log-probability of the labels `[B]`: paths end in the last two states."""
        ends = alpha[:, -1].gather(1, 2 * self.lengths[:, None])[:, 0]  # [B]
        before = alpha[:, -1].gather(1, (2 * self.lengths[:, None] - 1).clamp(min=0))[:, 0]
        return torch.logaddexp(ends, before.masked_fill(self.lengths == 0, NEVER))

    def posteriors(self) -> Tensor:
        """Return how likely each state is at each frame, given the labels: `[B, S, E]`.

        gamma[t, s] = alpha[t, s] beta[t, s] / p(labels);      zeros where labels cannot be spelt
        """
        alpha = self.forward_sums()
        total = self.total(alpha)[:, None, None]
        gamma = (alpha + self.backward_sums() - total).exp()
        return gamma.masked_fill(total < POSSIBLE, 0.0)

    def best_path(self) -> tuple[Tensor, Tensor]:
        """Return the state of the likeliest path at each frame `[B, S]`, and its log-prob `[B]`."""
        emitted = self.emitted
        first = torch.arange(emitted.shape[2], device=emitted.device) < 2
        best, steps = emitted[:, 0].masked_fill(~first, NEVER), []
        for t in range(1, emitted.shape[1]):
            highest, step = self._before(best).max(dim=0)  # of equals the one that stays
            best = emitted[:, t] + highest
            steps.append(step)
        end = 2 * self.lengths[:, None]  # [B, 1]
        before = (end - 1).clamp(min=0)
        state = torch.where(best.gather(1, before) > best.gather(1, end), before, end)
        score, path = best.gather(1, state)[:, 0], [state]
        for step in reversed(steps):
            state = state - step.gather(1, state)
            path.append(state)
        return torch.cat(path[::-1], dim=1), score

    def _before(self, value: Tensor) -> Tensor:
        """Return what each state gets from itself, the one before and the one before that."""
        moved = pad(value, (2, 0), value=NEVER)  # [B, E + 2]
        jump = moved[:, :-2].masked_fill(~self.skips, NEVER)
        return torch.stack([value, moved[:, 1:-1], jump])  # [3, B, E]


def lattice(frames: Tensor, labels: Tensor, lengths: Tensor) -> Lattice:
    """Lay out labels `[B, L]`, of which `lengths` count, over frames `[B, S, V]`."""
    states = torch.full_like(labels, BLANK)[:, :, None].expand(-1, -1, 2).flatten(1)
    states = pad(states, (0, 1), value=BLANK)  # [B, E]
    states[:, 1::2] = labels
    skips = pad(states[:, 2:] != states[:, :-2], (2, 0)) & (states != BLANK)
    emitted = frames.gather(2, states[:, None].expand(-1, frames.shape[1], -1))
    return Lattice(emitted, skips, lengths)
