"""Log-probabilities out of a back-off table: the head of an n-gram model, which has no features."""

from collections.abc import Mapping
from math import log
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor, nn

from saccade.errors import CheckpointError
from saccade.heads.base import Categorical
from saccade.kernels.backoff import ROOT, BackoffTable
from saccade.tokenizers._vocabulary import PAD, START

NEVER = -99 * log(10)  # what ARPA files call -99: a probability of 0


class BackoffHead(Categorical):
    """Looks every symbol up behind its context, and backs off to shorter contexts.

        log p(w | h) = log_prob(h w)                      if the n-gram h w is in the table
                       backoff(h) + log p(w | h')         if not; h' is h without its first symbol

    Katz 1987, whatever made the numbers. A feature is the number of a context, `[..., 1]` int64:
    the longest one in the table that what was written ends with. The parameters are those of
    `BackoffTable`; their sizes are those of the data.

    Args:
        width: 1.
        size: symbols.
        tied: nothing is.
    """

    general: ClassVar[bool] = False

    def __init__(self, width: int, size: int, tied: nn.Parameter | None) -> None:
        super().__init__(width, size)
        for name, tensor in uniform(size)._asdict().items():
            self.register_parameter(name, nn.Parameter(tensor, requires_grad=False))

    @property
    def table(self) -> BackoffTable:
        """All nodes."""
        return BackoffTable(*(getattr(self, name) for name in BackoffTable._fields))

    def put(self, table: BackoffTable) -> None:
        """Hold another table, of another size perhaps."""
        for name, tensor in table._asdict().items():
            self.get_parameter(name).data = tensor.detach().to(self.table.keys.device)

    def accept(self, given: Mapping[str, Tensor], where: str) -> None:
        """Check a table from a file, and hold one as large: its numbers are put in later."""
        names = [name for name in BackoffTable._fields if name not in given]
        if names:
            raise CheckpointError(
                f"{where}: the weights are another model's: {names[0]} is missing. Use the folder"
                " as it was written."
            )
        table = BackoffTable(*(given[name] for name in BackoffTable._fields))
        problem = fault(table, self.size)
        if problem:
            raise CheckpointError(
                f"{where}: {problem}; expected a back-off table of {self.size} symbols. The file is"
                " damaged or another model's: copy the model folder again."
            )
        self.put(table)

    def log_probs(self, features: Tensor) -> Tensor:
        """Turn contexts `[..., 1]` into log-probabilities of the next symbol `[..., V]`."""
        flat = features.reshape(-1)
        contexts, places = torch.unique(flat, return_inverse=True)
        return self._rows(contexts)[places].reshape(*features.shape[:-1], self.size)

    def loss(self, features: Tensor, gold: Tensor, smoothing: float = 0.0) -> tuple[Tensor, Tensor]:
        """Sum the cross-entropy; without smoothing only the gold symbols are looked up."""
        if smoothing:
            return super().loss(features, gold, smoothing)
        nll = -self.look_up(features[:, 0], gold)
        return nll.sum(), nll

    def look_up(self, contexts: Tensor, symbols: Tensor) -> Tensor:
        """Return the log-probabilities of symbols `[N]` behind contexts `[N]`."""
        table = self.table
        found, here = self._child(table, contexts, symbols), contexts
        spent = table.backoffs.new_zeros(len(contexts))
        while bool((missed := found < 0).any()):
            spent = torch.where(missed, spent + table.backoffs[here], spent)
            here = torch.where(missed, table.suffixes[here].long(), here)
            found = torch.where(missed, self._child(table, here, symbols), found)
        return spent + table.scores[found]

    def walk(self, contexts: Tensor, symbols: Tensor) -> Tensor:
        """Return the contexts behind symbols `[N]` that are written behind contexts `[N]`."""
        table = self.table
        found, here = self._child(table, contexts, symbols), contexts
        while bool((missed := found < 0).any()):
            here = torch.where(missed, table.suffixes[here].long(), here)
            found = torch.where(missed, self._child(table, here, symbols), found)
        longest = found >= len(table.backoffs)
        return torch.where(longest, table.suffixes[found].long(), found)

    def _child(self, table: BackoffTable, contexts: Tensor, symbols: Tensor) -> Tensor:
        """Return the nodes of symbols behind contexts; -1 where there is none."""
        keys = table.keys
        wanted = contexts * self.size + symbols
        found = torch.searchsorted(keys, wanted).clamp(max=len(keys) - 1)
        return found.masked_fill(keys[found] != wanted, -1)

    def _rows(self, contexts: Tensor) -> Tensor:
        """Return log-probabilities of all symbols behind contexts `[N]`: `[N, V]`."""
        table = self.table
        chain, spent = [contexts], [table.backoffs.new_zeros(len(contexts))]
        while bool((chain[-1] != ROOT).any()):
            here = chain[-1]
            inside = here != ROOT
            spent.append(torch.where(inside, spent[-1] + table.backoffs[here], spent[-1]))
            chain.append(table.suffixes[here].long())
        rows = spent[-1][:, None] + table.scores[1 : self.size + 1]  # [N, V]
        for here, before in zip(reversed(chain[:-1]), reversed(spent[:-1]), strict=True):
            inside = (here != ROOT).nonzero()[:, 0]
            first = table.begins[here[inside]].long()
            n = table.begins[here[inside] + 1].long() - first
            row, back = inside.repeat_interleave(n), n.cumsum(0) - n
            node = torch.arange(len(row), device=row.device)
            node = node + (first - back).repeat_interleave(n)
            symbol = table.keys[node] - here[row] * self.size
            rows[row, symbol] = before[row] + table.scores[node]
        return rows


def uniform(size: int) -> BackoffTable:
    """Return the table of a model that has seen nothing: every symbol is as likely as any other."""
    log_probs = torch.full((size + 1,), -log(max(size - 2, 1)))
    log_probs[[ROOT, 1 + PAD, 1 + START]] = NEVER
    nothing = torch.zeros(size + 1, dtype=torch.int32)
    keys = torch.arange(-1, size)
    return BackoffTable(keys, nothing, torch.tensor([1, size + 1]).int(), log_probs, torch.zeros(1))


def fault(table: BackoffTable, size: int) -> str:
    """Say what is wrong with a table, so that nobody walks out of it; nothing if it is whole."""
    keys, suffixes, begins, scores, backoffs = (one.detach().numpy() for one in table)
    kinds = [str(one.dtype) for one in (keys, suffixes, begins, scores, backoffs)]
    if kinds != ["int64", "int32", "int32", "float32", "float32"]:
        return f"its numbers are {', '.join(kinds)}"
    n, contexts = len(keys), len(backoffs)
    shapes = [one.shape for one in (keys, suffixes, begins, scores, backoffs)]
    fitting = [(n,), (n,), (contexts + 1,), (n,), (contexts,)]
    if shapes != fitting or not 1 <= contexts <= n or n <= size:
        return f"its arrays have the shapes {', '.join(str(list(one)) for one in shapes)}"
    places, parents = np.arange(n), keys // size
    begun = np.searchsorted(keys, np.arange(contexts + 1) * size)
    shorter = np.minimum(np.maximum(places, 1), contexts)
    symbols = np.array_equal(keys[: size + 1], np.arange(-1, size))
    faults = {
        "its nodes are not in order": not symbols or (np.diff(keys) <= 0).any(),
        "a node stands before its context": (parents[1:] >= np.minimum(places, contexts)[1:]).any(),
        "its contexts do not find their nodes": not np.array_equal(begins, begun),
        "a suffix is no shorter context": (suffixes < 0).any() or (suffixes >= shorter).any(),
        "a number is not finite": not np.isfinite(np.concatenate([scores, backoffs])).all(),
        "a probability is above 1": (scores > 0).any(),
    }
    return next((told for told, wrong in faults.items() if wrong), "")
