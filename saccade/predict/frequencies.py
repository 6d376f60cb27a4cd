"""The constant answer to "how likely is this text?": frequencies of symbols and lengths."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saccade.modalities.base import Array

Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Frequencies:
    """A unigram model of targets, with a length drawn for each.

        p(y) = p(|y|) prod_t p(y[t]),      p(s) = (c[s] + 1) / sum_v (c[v] + 1)

    Lengths are smoothed alike, over all up to the longest in training and "longer". The length
    stands for the END of a model: where all targets have one length, END costs nothing there too.

    symbols: how often each was in training, `[V]`.  lengths: how often each length was, `[M + 1]`.
    """

    symbols: Counts
    lengths: Counts

    @classmethod
    def of(cls, targets: Sequence[Array], lengths: Sequence[Array], size: int) -> "Frequencies":
        """Count targets that are laid end to end, several stores of them; `size` symbols exist."""
        most = max((int(one.max(initial=0)) for one in lengths), default=0)
        symbols, counted = np.zeros(size, np.int64), np.zeros(most + 1, np.int64)
        for ids in targets:
            symbols += np.bincount(ids, minlength=size)[:size]
        for one in lengths:
            counted += np.bincount(one, minlength=most + 1)
        return cls(symbols, counted)

    def nats(self, targets: Array, lengths: Array) -> float:
        """Return the negative log-probability of all targets; they are laid end to end."""
        symbols = -np.log((self.symbols + 1) / (self.symbols + 1).sum())  # [V]
        counts = np.append(self.lengths, 0) + 1  # [M + 2], longer ones last
        ends = -np.log(counts / counts.sum())
        known = np.minimum(lengths, len(self.lengths))
        return float(symbols[targets].sum() + ends[known].sum())

    def nats_per_place(self, targets: Array, lengths: Array) -> float:
        """Return the mean of a place, END included: comparable with a validation loss."""
        return self.nats(targets, lengths) / max(int(lengths.sum()) + len(lengths), 1)
