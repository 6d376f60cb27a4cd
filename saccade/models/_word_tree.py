"""All texts that were meant in training, as a tree, and the likeliest of them behind a source."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from saccade.errors import CheckpointError, DataError
from saccade.models._edit_channel import EditChannel
from saccade.tokenizers._vocabulary import START

Array = NDArray[Any]
MOST_NODES = 20_000_000
LONGEST = 60  # symbols of a source that is compared with the texts
_NAMES = ("parents", "symbols", "counts", "begins", "most")
_FIRST = 200  # nodes of a level that the first, quick descent keeps


class ChannelTables(NamedTuple):
    """The probabilities of a channel, not their logarithms; see `EditChannel`."""

    inserted: Array
    dropped: Array
    kept: Array
    taken: Array
    stop: Array

    @classmethod
    def of(cls, channel: EditChannel) -> "ChannelTables":
        """Take the tables out of a channel; dropped and kept begin with a stop."""
        stop = channel.stop[:, None]
        whole = (channel.inserted, stop + channel.dropped, stop + channel.kept, channel.taken)
        return cls(*(one.detach().exp().numpy(force=True) for one in (*whole, channel.stop)))


class TextCandidates(NamedTuple):
    """The likeliest texts of a source: symbols of each, and log p(x | y) + weight log p(y)."""

    texts: list[list[int]]
    scores: Array


class WordTree(nn.Module):
    """A tree of texts, each as often as it was met.

        p(y) = count(y) / sum of counts

    Node 0 is the empty text; nodes follow by their length, each length by parent and symbol, so
    that the children of a node stand side by side. Parameters, for each of M nodes:

        parents, symbols: the text without its last symbol, and that symbol
        counts: how often this was the whole text
        begins: `[M + 1]`, its first child
        most: the largest count of itself and all below

    Args:
        size: symbols.
    """

    counts: nn.Parameter
    symbols: nn.Parameter
    most: nn.Parameter

    def __init__(self, size: int) -> None:
        super().__init__()
        self.size = size
        for name, values in _whole(np.zeros(1), np.zeros(1), np.zeros(1)).items():
            self.register_parameter(name, nn.Parameter(values, requires_grad=False))

    def learn(self, values: Array, lengths: Array) -> None:
        """Count texts, which are laid end to end."""
        begins = np.cumsum(lengths, dtype=np.int64) - lengths
        node = np.zeros(len(lengths), np.int64)
        parents, symbols = [np.zeros(1, np.int64)], [np.zeros(1, np.int64)]
        n, there = 1, np.arange(len(lengths))
        for depth in range(int(lengths.max(initial=0))):
            there = there[lengths[there] > depth]
            keys, inverse = np.unique(
                node[there] * self.size + values[begins[there] + depth].astype(np.int64),
                return_inverse=True,
            )
            parents.append(keys // self.size)
            symbols.append(keys % self.size)
            node[there] = n + inverse
            n += len(keys)
            if n > MOST_NODES:
                raise DataError(
                    f"noisy_channel: the texts have more than {MOST_NODES:,} beginnings; expected"
                    " words. Set model.candidates: 0 for longer texts."
                )
        counts = np.bincount(node, minlength=n)
        self._put(_whole(np.concatenate(parents), np.concatenate(symbols), counts))

    def accept(self, given: Mapping[str, Tensor], where: str) -> None:
        """Check a tree from a file, and hold one as large."""
        lost = [name for name in _NAMES if name not in given]
        if lost:
            raise CheckpointError(
                f"{where}: the table {lost[0]} of texts is missing; expected a model of a noisy"
                " channel. Use the folder as it was written."
            )
        told = _fault({name: given[name] for name in _NAMES}, self.size)
        if told:
            raise CheckpointError(
                f"{where}: in the tree of texts {told}; expected a tree of {self.size} symbols."
                " The file is damaged: copy the model folder again."
            )
        self._put({name: given[name] for name in _NAMES})

    def _put(self, tables: Mapping[str, Tensor]) -> None:
        for name, table in tables.items():
            self.get_parameter(name).data = table.to(self.counts.device)

    def listed(self) -> list[tuple[list[int], int]]:
        """List all texts, and how often each was met."""
        found = self.arrays()
        texts, parents, symbols = (
            [list[int]()],
            found["parents"].tolist(),
            found["symbols"].tolist(),
        )
        for parent, symbol in zip(parents[1:], symbols[1:], strict=True):
            texts.append([*texts[parent], symbol])
        return [(text, n) for text, n in zip(texts, found["counts"].tolist(), strict=True) if n]

    def arrays(self) -> dict[str, Array]:
        """Return the tables."""
        return {name: self.get_parameter(name).numpy(force=True) for name in _NAMES}


class Descent:
    """Looks for the likeliest texts of sources, without missing one.

    The tree is descended level by level, with the sums of the edit lattice of every node. First
    the most promising nodes alone, so that n texts are known; then every node whose texts may
    still be likelier than the last of these:

        p(x, y) <= sum_s row[s] prod_{u > s} max(taken[:, x_u], inserted[:, x_u]) p(most)

    Args:
        tree: the texts.
        channel: how they become sources.
        weight: the power to which p(y) is raised.
        n: how many to find, at most.
    """

    def __init__(self, tree: WordTree, channel: EditChannel, weight: float, n: int) -> None:
        self.tables, self.n = ChannelTables.of(channel), n
        found = tree.arrays()
        self.parents, self.symbols = found["parents"], found["symbols"].copy()
        self.symbols[0] = START
        self.begins, self.ends = found["begins"], found["counts"] > 0
        total = max(int(found["counts"].sum()), 1)
        self.prior = (found["counts"] / total) ** weight * self.ends
        self.highest = (found["most"] / total) ** weight

    def __call__(self, source: Array) -> TextCandidates:
        """Find the likeliest texts of one source `[S]`."""
        if len(source) > LONGEST:
            return TextCandidates([], np.zeros(0))
        _, scores = self._descend(source, 0.0, _FIRST)
        floor = float(scores[-1]) if len(scores) == self.n else 0.0
        nodes, scores = self._descend(source, floor, 0)
        with np.errstate(divide="ignore"):
            return TextCandidates([self._text(int(node)) for node in nodes], np.log(scores))

    def _descend(self, source: Array, floor: float, width: int) -> tuple[Array, Array]:
        """Return the n best nodes and their scores; `width` 0 keeps all above `floor`."""
        t = self.tables
        likeliest = np.maximum(t.taken.max(axis=0), t.inserted.max(axis=0))[source]
        ahead = np.append(np.cumprod(likeliest[::-1])[::-1], 1.0)  # [S + 1]
        inserted = t.inserted[:, source].T  # [S, V]
        nodes = np.zeros(1, np.int64)
        rows = np.append(1.0, np.cumprod(inserted[:, START]))[:, None]  # [S + 1, 1]
        best, scores = nodes[:0], rows[0, :0]
        while len(nodes):
            whole = rows[-1] * t.stop[self.symbols[nodes]] * self.prior[nodes]
            good = np.flatnonzero((whole > 0) & (whole >= floor))
            best, scores = _best(
                np.append(best, nodes[good]), np.append(scores, whole[good]), self.n
            )
            bound = (ahead @ rows) * self.highest[nodes]
            kept = np.flatnonzero((bound >= floor) & (bound > 0))
            if width and len(kept) > width:
                kept = kept[np.argpartition(-bound[kept], width)[:width]]
            nodes, rows = self._below(nodes[kept], rows[:, kept], source, inserted)
        return best, scores

    def _below(
        self, nodes: Array, rows: Array, source: Array, inserted: Array
    ) -> tuple[Array, Array]:
        """Return the children of nodes and their rows `[S + 1, n]`."""
        t, first = self.tables, self.begins[nodes].astype(np.int64)
        n = self.begins[nodes + 1] - first
        parent = np.repeat(np.arange(len(nodes)), n)
        child = np.arange(len(parent)) + np.repeat(first - (np.cumsum(n) - n), n)
        a, c = self.symbols[nodes][parent], self.symbols[child]
        rows = rows[:, parent]
        grown = rows * t.dropped[a, c]
        grown[1:] += rows[:-1] * (t.kept[a, c] * t.taken[:, source].T[:, c])
        for s, row in enumerate(inserted):
            grown[s + 1] += grown[s] * row[c]
        return child, grown

    def _text(self, node: int) -> list[int]:
        found = []
        while node:
            found.append(int(self.symbols[node]))
            node = int(self.parents[node])
        return found[::-1]


def _best(nodes: Array, scores: Array, n: int) -> tuple[Array, Array]:
    """Keep the n best; of equals, the lower nodes."""
    order = np.lexsort((nodes, -scores))[:n]
    return nodes[order], scores[order]


def _whole(parents: Array, symbols: Array, counts: Array) -> dict[str, Tensor]:
    """Add to a tree what follows from it."""
    n = len(parents)
    begins = np.searchsorted(parents[1:], np.arange(n + 1)) + 1
    most = counts.astype(np.int64)
    depth, level = [np.arange(min(n, 1))], np.arange(1, begins[1])
    while len(level):
        depth.append(level)
        level = np.arange(begins[level[0]], begins[level[-1] + 1])
    for nodes in reversed(depth[1:]):
        np.maximum.at(most, parents[nodes].astype(np.int64), most[nodes])
    kinds = (np.int32, np.int32, np.int64, np.int32, np.int64)
    tables = zip(_NAMES, (parents, symbols, counts, begins, most), kinds, strict=True)
    return {name: torch.from_numpy(table.astype(kind)) for name, table, kind in tables}


def _fault(tables: Mapping[str, Tensor], size: int) -> str:
    """Say what is wrong with a tree, so that nobody walks out of it; nothing if it is whole."""
    parents, symbols, counts = (tables[name].numpy() for name in _NAMES[:3])
    n = len(parents)
    shapes = [table.shape for table in tables.values()]
    if [len(shape) for shape in shapes] != [1] * 5 or not n or n > MOST_NODES:
        return "the tables have other shapes"
    if [shape[0] for shape in shapes] != [n, n, n, n + 1, n]:
        return "the tables have other sizes"
    if any(table.is_floating_point() for table in tables.values()):
        return "the numbers are not whole"
    keys = parents[1:].astype(np.int64) * size + symbols[1:]
    faults = {
        "a symbol is out of range": ((symbols < 0) | (symbols >= size)).any(),
        "a node stands before its parent": (parents[1:] >= np.arange(1, n)).any()
        or (parents < 0).any(),
        "the nodes are not in order": (np.diff(keys) <= 0).any(),
        "a count is negative": (counts < 0).any(),
    }
    told = next((one for one, wrong in faults.items() if wrong), "")
    if told:
        return told
    whole = _whole(parents, symbols, counts)
    same = all(np.array_equal(whole[name].numpy(), tables[name].numpy()) for name in _NAMES)
    return "" if same else "the children or the largest counts are not those of the nodes"
