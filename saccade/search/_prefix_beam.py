"""A beam over prefixes that goes along frames, for all rows of a batch at once."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from saccade.search._best import Array
from saccade.search._frames import BLANK
from saccade.search._rules import NEVER

Deltas = Callable[[list[tuple[int, ...]]], Array]  # prefixes -> what shapers add to each, [N, V]
ROOT = 0


@dataclass(slots=True)
class Trie:
    """All prefixes that a row has had in its beam: node 0 is the empty one."""

    parents: list[int] = field(default_factory=lambda: [-1])
    symbols: list[int] = field(default_factory=lambda: [BLANK])
    children: dict[tuple[int, int], int] = field(default_factory=dict)

    def child(self, node: int, symbol: int) -> int:
        """Return the prefix that is one label longer; the same one whenever it is asked for."""
        found = self.children.setdefault((node, symbol), len(self.parents))
        if found == len(self.parents):
            self.parents.append(node)
            self.symbols.append(symbol)
        return found

    def read(self, node: int) -> tuple[int, ...]:
        """Return the labels of a prefix."""
        labels = []
        while node != ROOT:
            labels.append(self.symbols[node])
            node = self.parents[node]
        return tuple(reversed(labels))


class PrefixRow(NamedTuple):
    """What one row found: prefixes, best first, with what they were ranked by."""

    prefixes: list[tuple[int, ...]]
    scores: list[float]


class PrefixBeam:
    """The K best prefixes of every row, each with two sums over the paths that spell it.

    For a prefix g, n and b are the log-probabilities of all paths so far that spell g and end in
    its last label, or in a blank. With y the frame,

        b'(g)   = (b(g) + n(g)) y[blank]
        n'(g)   = n(g) y[last label of g] + what the prefix one shorter gives
        n'(g c) = (b(g) + n(g)) y[c], or b(g) y[c] if c repeats the last label

    Prefixes that spell the same are one. The K with the highest b + n go on, with what shapers add
    for each label counted in; of equals, first those that stay, then by parent and symbol.

    Args:
        frames: log-probabilities `[B, S, V]`, double, -inf where something cannot be.
        limits: `[B]`, most labels.
        width: K.
        deltas: what shapers add for each next symbol, if there are any.
    """

    def __init__(self, frames: Array, limits: Array, width: int, deltas: Deltas | None) -> None:
        self.frames, self.limits, self.deltas = frames, limits, deltas
        rows, _, self.size = frames.shape
        self.tries = [Trie() for _ in range(rows)]
        self.node = np.zeros((rows, width), dtype=np.int64)
        self.parent = np.full((rows, width), -1)
        self.last = np.zeros((rows, width), dtype=np.int64)
        self.length = np.zeros((rows, width), dtype=np.int64)
        self.blank, self.label = (np.full((rows, width), NEVER) for _ in range(2))
        self.blank[:, 0] = 0.0
        self.bonus = np.zeros((rows, width))
        self._known: dict[tuple[int, int], Array] = {}

    def advance(self, t: int) -> None:
        """Read frame `t` of every row."""
        y, (rows, width) = self.frames[:, t], self.node.shape  # [B, V]
        total = np.logaddexp(self.blank, self.label)  # [B, K]
        of_last = np.take_along_axis(y, self.last, axis=1)
        blank, label = total + y[:, BLANK, None], self.label + of_last
        longer = total[:, :, None] + y[:, None]  # [B, K, V]
        np.put_along_axis(longer, self.last[:, :, None], (self.blank + of_last)[:, :, None], axis=2)
        longer[:, :, BLANK] = NEVER
        longer[self.length >= self.limits[:, None]] = NEVER
        ranked = longer + self.bonus[:, :, None]
        added = self._added()
        if added is not None:
            ranked = ranked + added
        b, i, j = (self.node[:, :, None] == self.parent[:, None, :]).nonzero()
        there = np.isfinite(total[b, i]) & np.isfinite(total[b, j])  # places that are taken
        b, i, j = b[there], i[there], j[there]
        label[b, j] = np.logaddexp(label[b, j], longer[b, i, self.last[b, j]])
        ranked[b, i, self.last[b, j]] = NEVER
        stays = np.logaddexp(blank, label) + self.bonus  # [B, K]
        every = np.concatenate([stays, ranked.reshape(rows, -1)], axis=1)
        order = np.argsort(-every, axis=1, kind="stable")[:, :width]
        found = np.take_along_axis(every, order, axis=1) > NEVER
        self._take(order, found, blank, label, longer, added)

    def _take(
        self,
        order: Array,
        found: Array,
        blank: Array,
        label: Array,
        longer: Array,
        added: Array | None,
    ) -> None:
        """Let the chosen candidates be the beam: those that stay, and those one label longer."""
        rows, width = order.shape
        row, grows = np.arange(rows)[:, None], order >= width
        k = np.where(grows, (order - width) // self.size, order)
        symbol = np.where(grows, (order - width) % self.size, self.last[row, k])
        new_label = np.where(grows, longer[row, k, symbol], label[row, k])
        self.blank = np.where(found & ~grows, blank[row, k], NEVER)
        self.label = np.where(found, new_label, NEVER)
        gain = 0.0 if added is None else added[row, k, symbol]
        self.bonus = self.bonus[row, k] + np.where(grows & found, gain, 0.0)
        self.length = self.length[row, k] + grows
        self.parent = np.where(grows, self.node[row, k], self.parent[row, k])
        self.node, self.last = self.node[row, k], symbol
        for b, place in zip(*(grows & found).nonzero(), strict=True):
            parent = int(self.parent[b, place])
            self.node[b, place] = self.tries[b].child(parent, int(symbol[b, place]))

    def best(self) -> list[tuple[int, ...]]:
        """Return the best prefix of every row so far."""
        return [
            trie.read(int(node)) for trie, node in zip(self.tries, self.node[:, 0], strict=True)
        ]

    def found(self) -> list[PrefixRow]:
        """Return the prefixes of every row, best first."""
        scores = np.logaddexp(self.blank, self.label) + self.bonus  # [B, K]
        rows = []
        for trie, nodes, row in zip(self.tries, self.node.tolist(), scores, strict=True):
            there = np.flatnonzero(row > NEVER).tolist()
            rows.append(PrefixRow([trie.read(nodes[k]) for k in there], row[there].tolist()))
        return rows

    def _added(self) -> Array | None:
        """Return what shapers add for every next symbol, `[B, K, V]`; asked once a prefix."""
        if self.deltas is None:
            return None
        alive = np.isfinite(np.logaddexp(self.blank, self.label))  # [B, K]
        keys = [(int(b), int(self.node[b, k])) for b, k in zip(*alive.nonzero(), strict=True)]
        fresh = [key for key in dict.fromkeys(keys) if key not in self._known]
        if fresh:
            prefixes = [self.tries[b].read(node) for b, node in fresh]
            self._known |= dict(zip(fresh, self.deltas(prefixes), strict=True))
        added = np.zeros((*self.node.shape, self.size))
        added[alive] = [self._known[key] for key in keys]
        return added
