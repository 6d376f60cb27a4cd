"""Models of alignment whose places depend on the length of the target, which is not yet known."""

from abc import ABC, abstractmethod

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from saccade.flow import State, tensor
from saccade.models._word_aligner import Place, WordAligner, hazard


class LengthAligner(WordAligner, ABC):
    """A model that writes with every length in mind, each as likely as what was written makes it.

        p(y_j | y_1..y_{j-1}) = sum_T p(T | y_1..y_{j-1}) sum_i p(a_j = i | j, S, T) t(y_j | x_i)

    So the probability of a target is exact: only its own length is left in the end. Lengths from
    twice the expected one on share a place prior.
    """

    @abstractmethod
    def _prior(self, place: Place, j: Tensor, T: Tensor) -> Tensor:
        """Return how likely word j `[B]` comes from each place, for lengths T `[N]`: `[B, N, P]`.

        Both count from 1. The empty word is the first place.
        """

    def _begin(self, place: Place) -> State:
        ratio, scale = self.length.double()
        S = place.lengths.double()
        most = (2 * ratio * S).ceil() + 10  # [B]
        T = torch.arange(int(most.max()) + 1, device=S.device, dtype=torch.double)  # [N]
        reached = logsigmoid(-(T - 0.5 - ratio * S[:, None]) / (scale * (S + 1).sqrt())[:, None])
        reached = torch.where(T > 0, reached, 0.0)
        exactly = reached + hazard(S[:, None], T[None], self.length.double())[1]
        known = torch.where(most[:, None] == T, reached, exactly)
        return {"lengths": known.masked_fill(most[:, None] < T, -torch.inf), "most": most}

    def _read(
        self, place: Place, state: State, written: Tensor, told: Tensor, is_word: Tensor
    ) -> State:
        known, most = tensor(state, "lengths"), tensor(state, "most")
        longer, _ = self._parted(place, known, most, written)
        prior = self._prior(place, written + 1, _lengths_of(known))
        likely = (prior @ told[:, :, None])[:, :, 0].clamp(min=1e-300).log()  # [B, N]
        fresh = longer + likely
        fresh = fresh - fresh.logsumexp(dim=1, keepdim=True)
        return {"lengths": torch.where(is_word[:, None], fresh, known), "most": most}

    def _next(self, place: Place, state: State, written: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        known, most = tensor(state, "lengths"), tensor(state, "most")
        longer, ending = self._parted(place, known, most, written)
        whole, more = known.logsumexp(dim=1), longer.logsumexp(dim=1)
        share = (longer - more[:, None]).exp()  # [B, N]
        prior = self._prior(place, written + 1, _lengths_of(known))
        weights = (share[:, None, :] @ prior)[:, 0]
        return weights, more - whole, ending - whole

    def _parted(
        self, place: Place, known: Tensor, most: Tensor, written: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Part lengths into longer ones `[B, N]` and the one that is reached `[B]`."""
        T = torch.arange(known.shape[1], device=known.device)
        going, ending = self._lengths(place, written)
        shared = (most[:, None] == T) & (most <= written)[:, None]  # the last, of many lengths
        longer = torch.where(shared, known + going[:, None], known)
        longer = longer.masked_fill((written[:, None] >= T) & ~shared, -torch.inf)
        reached = torch.where(shared, known + ending[:, None], known)
        reached = reached.masked_fill((written[:, None] != T) & ~shared, -torch.inf)
        return longer, reached.logsumexp(dim=1)


def _lengths_of(known: Tensor) -> Tensor:
    return torch.arange(known.shape[1], device=known.device).clamp(min=1)
