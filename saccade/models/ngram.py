"""The n-gram language model: counts of what stood behind the last few symbols."""

from collections.abc import Mapping
from typing import ClassVar

import torch
from torch import Tensor

from saccade.errors import DataError, RecipeError
from saccade.flow import Batch, Decoded, Sources, State, Stepped, only, tensor
from saccade.heads._backoff import BackoffHead
from saccade.kernels.backoff import ROOT, BackoffTable
from saccade.models._kneser_ney import FALLBACK, estimate
from saccade.models.base import CountedModel, CountedPass, LaidPairs, Writer
from saccade.nouns import Side

MOST = 12  # symbols of an n-gram


class NGram(CountedModel, Writer):
    """Predicts every symbol from the `order - 1` before it, by modified Kneser-Ney smoothing.

        p(y) = prod_t p(y[t] | y[t-n+1..t-1])

    Chen & Goodman 1998; `_kneser_ney.py` has the equations, `heads/_backoff.py` looks them up. The
    state is the number of the longest context in the table that what was written ends with, so
    that one search in a sorted array reads a symbol.

    Args:
        sources: nothing is read.
        target: what is written.
        order: symbols of the longest n-grams.
        prune: for n-grams of 1, 2, ... symbols, those that occur at most so often are left out; the
            last number holds for all longer ones. `[0, 0, 1]` leaves out trigrams and longer ones
            that occur once.
    """

    reads: ClassVar[bool] = False
    discrete: ClassVar[bool | None] = True
    head: BackoffHead

    def __init__(
        self,
        sources: Mapping[str, Side],
        target: Side,
        *,
        order: int = 5,
        prune: list[int] = [0],  # noqa: B006 - only read
    ) -> None:
        super().__init__()
        self.order, self.prune = order, prune
        if not 1 <= order <= MOST:
            raise RecipeError(
                f"ngram.order: {order} is not between 1 and {MOST}; 3 to 5 is usual for words, 6 to"
                " 8 for characters."
            )
        if prune[:1] != [0] or sorted(prune) != prune or len(prune) > order:
            raise RecipeError(
                f"ngram.prune: {prune} does not fit; expected at most {order} numbers that"
                " begin with 0 and do not fall, such as [0, 0, 1]. Shrink the vocabulary to leave"
                " out symbols."
            )
        self.sees = order - 1
        self.head = BackoffHead(1, target.size, None)

    @property
    def attention_names(self) -> tuple[str, ...]:
        """None: there is no source to look at."""
        return ()

    def count(self, corpus: LaidPairs, iteration: int) -> CountedPass:
        """Count all n-grams and smooth."""
        values, lengths = corpus.target
        if not len(lengths):
            raise DataError("ngram: there is nothing to count; expected some text.")
        made = estimate(values, lengths, self.head.size, self.order, self.prune)
        self.head.put(made.table)
        figures = {f"{n}-grams": float(size) for n, size in enumerate(made.sizes, start=1)}
        for n, found in enumerate(made.discounts, start=1):
            figures |= {f"discount {n}.{i}": d for i, d in enumerate(found[:3], start=1)}
        poor = [str(n) for n, found in enumerate(made.discounts, start=1) if not found.estimated]
        sizes = ", ".join(f"{size:,}" for size in made.sizes)
        told = f"{sizes} n-grams of 1 to {self.order} symbols."
        if poor:
            told += (
                f" Too few n-grams of {', '.join(poor)} occur once, twice or thrice to estimate"
                f" their discounts; {', '.join(map(str, FALLBACK))} were taken."
            )
        return CountedPass(figures, told)

    def accept(self, weights: Mapping[str, Tensor], where: str) -> None:
        """Check the table of a file and make room for it."""
        own = {name.removeprefix("head."): one for name, one in weights.items()}
        self.head.accept(own, where)

    def backoff_table(self) -> BackoffTable:
        """Return the table."""
        return self.head.table

    def forward(self, batch: Batch, *, look: bool = False) -> Decoded:
        """Read the given prefix: contexts `[B, T, 1]`."""
        prefix = batch.prefix
        contexts = torch.full_like(prefix, ROOT)  # [B, T]
        for back in range(min(self.sees, prefix.shape[1]) - 1, -1, -1):
            n = prefix.shape[1] - back
            here = self.head.walk(contexts[:, back:].flatten(), prefix[:, :n].flatten())
            contexts = torch.cat([contexts[:, :back], here.reshape(-1, n)], dim=1)
        places = batch.source.flat().mask.shape[1]
        weights = self._unseen(*prefix.shape, 0, places) if look else None
        return Decoded(contexts[:, :, None], weights)

    def start(self, sources: Sources) -> State:
        """Return the empty context, whatever the source."""
        return {
            "context": torch.full_like(only(sources).mask.flatten(1)[:, 0], ROOT, dtype=torch.long)
        }

    def advance(self, token: Tensor, state: State, *, look: bool = False) -> Stepped:
        """Read one symbol `[B]`."""
        context = tensor(state, "context")
        if self.sees:
            context = self.head.walk(context, token)
        weights = self._unseen(len(token), 0, 1) if look else None
        return Stepped(context[:, None], weights, {"context": context})

    def _unseen(self, *shape: int) -> Tensor:
        return self.head.table.backoffs.new_zeros(*shape)
