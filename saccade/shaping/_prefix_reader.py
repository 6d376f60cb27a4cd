"""What a language model says behind prefixes, each of which it reads once."""

from dataclasses import dataclass, field

import torch
from torch import Tensor

from saccade.flow import State, map_state, padded, reorder
from saccade.models.base import Writer
from saccade.nouns import SOURCE_NAME
from saccade.tokenizers._vocabulary import END, START

Prefix = tuple[int, ...]
_MOST = 1 << 24  # numbers that are kept: 64 MB


@dataclass(slots=True)
class _Level:
    """Prefixes of one length that were read: where each stands, the states, and what follows."""

    rows: dict[Prefix, int] = field(default_factory=dict)
    state: State = field(default_factory=dict)
    log_probs: Tensor | None = None

    def add(self, prefixes: list[Prefix], log_probs: Tensor, state: State) -> None:
        """Put prefixes behind those that are here."""
        self.rows |= {prefix: len(self.rows) + i for i, prefix in enumerate(prefixes)}
        if self.log_probs is None:
            self.log_probs, self.state = log_probs, state
        else:
            self.log_probs = torch.cat([self.log_probs, log_probs])
            self.state = _joined(self.state, state)


class PrefixReader:
    """Reads prefixes symbol by symbol and keeps the states, so that a longer one is one step more.

    A search asks for prefixes that are one symbol longer than those before: with states kept, a
    line of n symbols is n steps instead of n (n + 1) / 2. What is said of a prefix does not depend
    on what is kept, since all of it comes about by the same steps. When more than `most` numbers
    are kept, all are let go.
    """

    def __init__(self, model: Writer, most: int = _MOST) -> None:
        self.model, self.most = model, most
        self._levels: dict[int, _Level] = {}
        self._kept = 0

    def __call__(self, prefixes: Tensor) -> Tensor:
        """Return log-probabilities `[N, V]` of what follows `prefixes [N, t]`."""
        if not len(prefixes):
            return self(prefixes.new_zeros(1, 0))[:0]
        if self._kept > self.most:
            self._levels, self._kept = {}, 0
        asked = [tuple(row) for row in prefixes.tolist()]
        length, device = prefixes.shape[1], prefixes.device
        for t, fresh in reversed(self._unread(asked, length)):
            self._read(t, fresh, device)
        level = self._levels[length]
        assert level.log_probs is not None
        return level.log_probs[[level.rows[prefix] for prefix in asked]]  # [N, V]

    def _unread(self, asked: list[Prefix], length: int) -> list[tuple[int, list[Prefix]]]:
        """List what must be read, the longest first."""
        unread = list[tuple[int, list[Prefix]]]()
        for t in range(length, -1, -1):
            rows = self._levels.setdefault(t, _Level()).rows
            asked = [prefix for prefix in dict.fromkeys(asked) if prefix not in rows]
            if not asked:
                break
            unread.append((t, asked))
            asked = [prefix[:-1] for prefix in asked]
        return unread

    def _read(self, t: int, fresh: list[Prefix], device: torch.device) -> None:
        """Read the last symbols of prefixes of `t` symbols."""
        if t == 0:
            state = self.model.start({SOURCE_NAME: padded([[END]]).to(device)})
            token = torch.tensor([START], device=device)
        else:
            before = self._levels[t - 1]
            index = torch.tensor([before.rows[prefix[:-1]] for prefix in fresh], device=device)
            state = reorder(before.state, index)
            token = torch.tensor([prefix[-1] for prefix in fresh], device=device)
        log_probs, after = self.model.step(token, state)
        self._levels[t].add(fresh, log_probs, after)
        self._kept += log_probs.numel() + _size(after)


def _joined(one: State, other: State) -> State:
    """Put the rows of one state behind those of another."""
    more = list[Tensor]()
    map_state(lambda tensor: _listed(more, tensor), other)
    rest = iter(more)
    return map_state(lambda tensor: torch.cat([tensor, next(rest)]), one)


def _size(state: State) -> int:
    found = list[Tensor]()
    map_state(lambda tensor: _listed(found, tensor), state)
    return sum(tensor.numel() for tensor in found)


def _listed(found: list[Tensor], tensor: Tensor) -> Tensor:
    found.append(tensor)
    return tensor
