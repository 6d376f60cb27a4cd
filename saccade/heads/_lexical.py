"""Words out of a table of translations: the head of the models of word alignment."""

from collections.abc import Mapping
from typing import ClassVar, NamedTuple

import torch
from torch import Tensor, nn

from saccade.errors import CheckpointError
from saccade.heads._backoff import NEVER
from saccade.heads.base import Categorical
from saccade.tokenizers._vocabulary import END, PAD, START

N_MARKS = 3  # PAD, START and END are no words
_MOST_ENTRIES = 4_000_000  # that are added up at once


class LexicalTable(NamedTuple):
    """What is known of target words beside source words; the last row is that of the empty word.

    keys: `[N]` int64, `source word * V + target word`, ascending.  rows: `[n_source + 2]` int64,
    the first key of each source word.  t: `[N]` float32, of the target word given the source word.
    floors: `[n_source + 1]` float32, of each word that was never beside the source word.
    """

    keys: Tensor
    rows: Tensor
    t: Tensor
    floors: Tensor


class Mixed(NamedTuple):
    """What the head reads, `[..., P]` for P places, the empty word the first of them.

    weights: how likely the next word comes from each, if there is one.  words: their ids.  going,
    ending: `[..., 1]`, log-probabilities that there is one, and that there is none.
    """

    weights: Tensor
    words: Tensor
    going: Tensor
    ending: Tensor

    def features(self) -> Tensor:
        """Put all behind each other, `[..., 2 P + 2]`."""
        kind = self.weights.dtype
        return torch.cat([self.weights, self.words.to(kind), self.going, self.ending], dim=-1)


def mixed(features: Tensor) -> Mixed:
    """Take apart what `Mixed.features` put together."""
    n = (features.shape[-1] - 2) // 2
    weights, words = features[..., :n], features[..., n : 2 * n]
    return Mixed(weights, words.round().long(), features[..., -2:-1], features[..., -1:])


class LexicalHead(Categorical):
    """Mixes the translations of the source words.

        p(v) = (1 - p(END)) sum_i w_i t(v | x_i)

    The places, the words there and the weights are the features: see `Mixed`.

    Args:
        width: of the features; it depends on the source.
        size: symbols of the target.
        tied: nothing is.
        n_source: symbols of the source.
    """

    general: ClassVar[bool] = False

    def __init__(self, width: int, size: int, tied: nn.Parameter | None, n_source: int = 0) -> None:
        super().__init__(width, size)
        for name, tensor in nothing(n_source, size)._asdict().items():
            self.register_parameter(name, nn.Parameter(tensor, requires_grad=False))

    @property
    def table(self) -> LexicalTable:
        """All that is known."""
        return LexicalTable(*(self.get_parameter(name) for name in LexicalTable._fields))

    def put(self, table: LexicalTable) -> None:
        """Hold another table, of another size perhaps."""
        for name, tensor in table._asdict().items():
            self.get_parameter(name).data = tensor.detach().to(self.table.keys.device)

    def accept(self, given: Mapping[str, Tensor], where: str) -> None:
        """Check a table from a file, and hold one as large: its numbers are put in later."""
        missing = [name for name in LexicalTable._fields if name not in given]
        if missing:
            raise CheckpointError(
                f"{where}: the weights are another model's: {missing[0]} is missing. Use the folder"
                " as it was written."
            )
        table = LexicalTable(*(given[name] for name in LexicalTable._fields))
        problem = fault(table, len(self.table.floors) - 1, self.size)
        if problem:
            raise CheckpointError(
                f"{where}: {problem}; expected translations of {len(self.table.floors) - 1} words"
                f" into {self.size}. The file is damaged or another model's: copy the model folder"
                " again."
            )
        self.put(table)

    def look_up(self, words: Tensor, symbols: Tensor) -> Tensor:
        """Return t of symbols `[N]` given words `[N, P]`: `[N, P]`."""
        keys, _, t, floors = self.table
        wanted = words * self.size + symbols[:, None]
        found = torch.searchsorted(keys, wanted).clamp(max=max(len(keys) - 1, 0))
        if not len(keys):
            return floors[words]
        return torch.where(keys[found] == wanted, t[found], floors[words])

    def log_probs(self, features: Tensor) -> Tensor:
        """Turn features `[..., 2 P + 2]` into log-probabilities of the next symbol `[..., V]`."""
        flat = mixed(features.reshape(-1, features.shape[-1]))
        rows = self.table.rows
        n = (rows[flat.words + 1] - rows[flat.words]).sum(dim=1)  # entries of each row of features
        parts, first = list[Tensor](), 0
        sums = n.cumsum(0)
        while first < len(n):
            before = int(sums[first - 1]) if first else 0
            end = int(torch.searchsorted(sums, before + _MOST_ENTRIES, right=True))
            end = max(end, first + 1)
            parts.append(self._words(flat.weights[first:end], flat.words[first:end]))
            first = end
        words = torch.cat(parts) if parts else flat.weights.new_zeros(0, self.size)
        found = words.clamp(min=1e-37).log() + flat.going
        found[:, [PAD, START]] = NEVER
        found[:, END] = flat.ending[:, 0]
        return found.reshape(*features.shape[:-1], self.size)

    def loss(self, features: Tensor, gold: Tensor, smoothing: float = 0.0) -> tuple[Tensor, Tensor]:
        """Sum the cross-entropy; without smoothing only the gold symbols are looked up."""
        if smoothing:
            return super().loss(features, gold, smoothing)
        flat = mixed(features)
        told = (flat.weights * self.look_up(flat.words, gold)).sum(dim=1)
        told = told.clamp(min=1e-37).log() + flat.going[:, 0]
        marks = (gold == PAD) | (gold == START)
        nll = -torch.where(gold == END, flat.ending[:, 0], told.masked_fill(marks, NEVER))
        return nll.sum(), nll

    def _words(self, weights: Tensor, words: Tensor) -> Tensor:
        """Mix the translations of words `[N, P]` by weights: `[N, V]`."""
        keys, rows, t, floors = self.table
        found = (weights * floors[words]).sum(dim=1, keepdim=True).repeat(1, self.size)
        first, n = rows[words].flatten(), (rows[words + 1] - rows[words]).flatten()
        place = torch.arange(len(n), device=n.device).repeat_interleave(n)
        back = n.cumsum(0) - n
        entry = torch.arange(len(place), device=n.device) + (first - back)[place]
        more = (t[entry] - floors[words.flatten()[place]]) * weights.flatten()[place]
        at = place // words.shape[1] * self.size + keys[entry] % self.size
        found.view(-1).index_add_(0, at, more.to(found.dtype))
        return found


def nothing(n_source: int, size: int) -> LexicalTable:
    """Return what is known before anything is read: all words are alike likely."""
    none = torch.zeros(0, dtype=torch.long)
    floors = torch.full((n_source + 1,), 1 / max(size - N_MARKS, 1))
    return LexicalTable(none, torch.zeros(n_source + 2).long(), torch.zeros(0), floors)


def fault(table: LexicalTable, n_source: int, size: int) -> str:
    """Say what is wrong with a table, so that nobody reads out of it; nothing if it is whole."""
    keys, rows, t, floors = table
    kinds = [str(one.dtype).removeprefix("torch.") for one in table]
    if kinds != ["int64", "int64", "float32", "float32"]:
        return f"its numbers are {', '.join(kinds)}"
    wanted = [(len(t),), (n_source + 2,), (t.numel(),), (n_source + 1,)]
    if [tuple(one.shape) for one in table] != wanted:
        return f"its arrays have the shapes {', '.join(str(list(one.shape)) for one in table)}"
    begun = torch.searchsorted(keys, torch.arange(n_source + 2) * size)
    inside = len(keys) == 0 or bool((keys[0] >= 0) & (keys[-1] < (n_source + 1) * size))
    numbers = torch.cat([t, floors])
    faults = {
        "its words are not in order": not inside or bool((keys.diff() <= 0).any()),
        "its rows do not find their words": not torch.equal(rows, begun),
        "a number is not finite": not bool(numbers.isfinite().all()),
        "a probability is not in 0 to 1": bool(((numbers < 0) | (numbers > 1.001)).any()),
    }
    return next((told for told, wrong in faults.items() if wrong), "")
