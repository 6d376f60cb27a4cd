"""How what is meant becomes what is seen: probabilities of edits, learned by EM."""

from collections.abc import Mapping
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from saccade.errors import CheckpointError, RecipeError
from saccade.models._edit_lattice import (
    EditPosteriors,
    EditScores,
    edit_posteriors,
    edit_sums,
)
from saccade.tokenizers._vocabulary import START

MOST_SYMBOLS = 500
_INSERTED, _DROPPED, _CHANGED = 0.03, 0.03, 0.06  # how often, before anything was seen
_NEAR = 1e-4
_LEAST = 1e-200  # for a probability of 0, so that no sum of logarithms loses its digits


class EditCounts(NamedTuple):
    """How often each edit is expected; as the tables of `EditChannel`.

    taken: `[V, V]`.  dropped, met: `[V, V]`, how often a symbol behind another was dropped, and
    how often it was there.  inserted: `[V, V]`.  gaps: `[V]`, how often a symbol was behind.
    """

    taken: Tensor
    dropped: Tensor
    met: Tensor
    inserted: Tensor
    gaps: Tensor


class EditChannel(nn.Module):
    """A stochastic edit transducer that makes a source x of a target y.

        p(x | y) = sum over alignments of prod of their edits

    Behind every symbol a of the target, and before the first, symbols come out of nothing until it
    stops; then the next symbol c is dropped, or makes one symbol of the source:

        inserted[a, x] = p(x comes out of nothing | behind a)  sum_x inserted[a, x] + stop[a] = 1
        dropped[a, c] = p(c makes nothing | behind a)
        taken[c, x] = p(x | c makes something)                 sum_x taken[c, x] = 1

    So p(x | y) adds up to one over all x. Ristad & Yianilos 1998 (IEEE PAMI 20, 5) have one table
    for the joint probability of a pair; Oncina & Sebban 2006 (Pattern Recognition 39, 9) condition
    it on one side, as here. That insertions and drops know the symbol before them is from
    Kernighan, Church & Gale 1990: letters are doubled, and doubled letters are made one.

    Args:
        size: symbols of both sides.
        neighbours: whether they know it.
        smoothing: edits that every row has seen before any were counted: mostly right ones.
    """

    inserted: nn.Parameter
    dropped: nn.Parameter
    taken: nn.Parameter

    def __init__(self, size: int, *, neighbours: bool, smoothing: float) -> None:
        super().__init__()
        if size > MOST_SYMBOLS:
            raise RecipeError(
                f"noisy_channel: {size:,} symbols; its tables have room for {MOST_SYMBOLS}. Use"
                " the tokenizer character."
            )
        self.size, self.neighbours, self.smoothing = size, neighbours, smoothing
        for name, table in _believed(size).items():
            self.register_parameter(name, nn.Parameter(table.log(), requires_grad=False))

    @property
    def stop(self) -> Tensor:
        """How likely nothing is inserted behind a symbol, `[V]`."""
        return (1 - self.inserted.exp().sum(dim=1)).clamp(min=_LEAST).log()

    @property
    def kept(self) -> Tensor:
        """How likely a symbol behind another makes something, `[V, V]`."""
        return (1 - self.dropped.exp()).clamp(min=_LEAST).log()

    def scores(
        self, source: Tensor, target: Tensor, source_lengths: Tensor, target_lengths: Tensor
    ) -> EditScores:
        """Look the edits of pairs up: sources `[B, S]`, targets `[B, T]`."""
        before = _behind(target)
        behind, stop = before[:, :-1], self.stop
        kept = stop[behind] + self.kept[behind, target]  # [B, T]
        last = before.gather(1, target_lengths[:, None])[:, 0]
        return EditScores(
            emitted=kept[:, :, None] + self.taken[target[:, :, None], source[:, None]],
            dropped=stop[behind] + self.dropped[behind, target],
            inserted=self.inserted[before[:, :, None], source[:, None]],
            ended=stop[last],
            source_lengths=source_lengths,
            target_lengths=target_lengths,
        )

    def expect(
        self, source: Tensor, target: Tensor, source_lengths: Tensor, target_lengths: Tensor
    ) -> tuple[Tensor, EditCounts]:
        """Return log p(x | y) of pairs `[B]`, and how often each edit is expected in them."""
        scores = self.scores(source, target, source_lengths, target_lengths)
        sums = edit_sums(scores)
        found = edit_posteriors(scores, sums)
        return sums.total, self._counted(source, target, target_lengths, found)

    def _counted(
        self, source: Tensor, target: Tensor, target_lengths: Tensor, found: EditPosteriors
    ) -> EditCounts:
        before = _behind(target)
        place = torch.arange(target.shape[1], device=target.device)
        there = (place < target_lengths[:, None]).double()  # [B, T]
        gaps = pad(there, (1, 0), value=1.0)  # [B, T + 1]
        pairs = before[:, :-1] * self.size + target
        seen = source[:, None].expand_as(found.emitted)
        behind = before[:, :, None].expand_as(found.inserted)
        drawn = source[:, None].expand_as(found.inserted)
        return EditCounts(
            taken=self._summed(
                target[:, :, None].expand_as(seen) * self.size + seen, found.emitted
            ),
            dropped=self._summed(pairs, found.dropped),
            met=self._summed(pairs, there),
            inserted=self._summed(behind * self.size + drawn, found.inserted),
            gaps=torch.bincount(before.flatten(), gaps.flatten(), minlength=self.size),
        )

    def _summed(self, keys: Tensor, weights: Tensor) -> Tensor:
        n = self.size
        return torch.bincount(keys.flatten(), weights.flatten(), minlength=n * n).reshape(n, n)

    def learn(self, counts: EditCounts) -> None:
        """Take the probabilities that make the counts, and what was believed, likeliest.

        p = (n + k q) / (sum n + k)                     k is `smoothing`, q what was believed

        So neither the likelihood of the pairs nor that times k sum q log p, a Dirichlet prior,
        falls, the first for k = 0.
        """
        k, q = self.smoothing, _believed(self.size)
        dropped, met, inserted, gaps = (
            one if self.neighbours else one.sum(dim=0, keepdim=True).expand_as(one)
            for one in (counts.dropped, counts.met, counts.inserted, counts.gaps)
        )
        taken = counts.taken
        self._put("taken", taken + k * q["taken"], taken.sum(dim=1, keepdim=True) + k, q)
        self._put("dropped", dropped + k * q["dropped"], met + k, q)
        told = inserted.sum(dim=1) + gaps
        self._put("inserted", inserted + k * q["inserted"], told[:, None] + k, q)

    def _put(self, name: str, n: Tensor, total: Tensor, believed: Mapping[str, Tensor]) -> None:
        p = torch.where(total > 0, n / total.clamp(min=_LEAST), believed[name])
        self.get_parameter(name).data = p.clamp(min=_LEAST).log().to(self.taken.device)

    def accept(self, given: Mapping[str, Tensor], where: str) -> None:
        """Check the tables of a file."""
        for name in ("inserted", "dropped", "taken"):
            found = given.get(name)
            if found is None or list(found.shape) != [self.size] * 2:
                told = "is missing" if found is None else f"has the shape {list(found.shape)}"
                raise CheckpointError(
                    f"{where}: the table {name} of edits {told}; expected"
                    f" {[self.size] * 2}. The file is another model's: copy the folder again."
                )
            sums = found.double().exp().sum(dim=1)
            adds_up = {
                "inserted": bool((sums < 1 + _NEAR).all()),
                "dropped": True,
                "taken": bool(((sums - 1).abs() < _NEAR).all()),
            }
            if not bool(found.isfinite().all()) or bool((found > 0).any()) or not adds_up[name]:
                raise CheckpointError(
                    f"{where}: the table {name} of edits holds no probabilities; expected rows that"
                    " add up to one at most. The file is damaged: copy the model folder again."
                )


def _behind(target: Tensor) -> Tensor:
    """Return what stands before each gap of targets `[B, T]`: START, then each symbol."""
    return pad(target, (1, 0), value=START)  # [B, T + 1]


def _believed(size: int) -> dict[str, Tensor]:
    """Return what is believed of edits before any were seen."""
    taken = torch.full((size, size), _CHANGED / size, dtype=torch.double)
    taken += torch.eye(size, dtype=torch.double) * (1 - _CHANGED)
    return {
        "inserted": torch.full((size, size), _INSERTED / size, dtype=torch.double),
        "dropped": torch.full((size, size), _DROPPED, dtype=torch.double),
        "taken": taken,
    }
