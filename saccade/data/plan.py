"""The door to training pairs: what the loop asks of batches, wherever they come from.

`batching` reads them from a store in which all pairs are encoded, `streaming` from a corpus that is
encoded while it is read.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from saccade.flow import Batch
from saccade.modalities.base import Array

Rows = NDArray[np.signedinteger[Any]]


class Plan(Protocol):
    """The batches of one epoch, in order."""

    @property
    def expected(self) -> int:
        """How many there are, or about how many where nobody has counted them."""

    @property
    def place(self) -> list[int]:
        """What `PairBatches.epoch` needs to find the batch that was asked for last again."""

    def __getitem__(self, i: int, /) -> Rows:
        """Return the numbers of the pairs of batch `i`."""

    def ends(self, i: int) -> bool:
        """Tell whether there is no batch `i` any more."""


class PairBatches(ABC):
    """Training pairs in batches."""

    @abstractmethod
    def describe(self) -> str:
        """Say how many pairs there are and how many were left out, and why."""

    @abstractmethod
    def epoch(self, e: int, place: Sequence[int] = ()) -> Plan:
        """Plan epoch `e`; with the `place` of a plan of the same epoch, from its batch on."""

    @abstractmethod
    def batch(self, indices: Sequence[int] | Rows, epoch: int | None = None) -> Batch:
        """Read the pairs `indices` of an epoch, or of those that `spread` knows, and pad them."""

    @abstractmethod
    def spread(self, n: int) -> list[int]:
        """Return the numbers of up to `n` pairs, from the shortest to the longest."""

    @abstractmethod
    def powers(self) -> list[float]:
        """Sum 1, s, t, s^2, s t and t^2 over the pairs of an epoch, of s and t places."""

    @abstractmethod
    def references(self, index: Sequence[int]) -> tuple[tuple[tuple[int, ...], ...], ...]:
        """Return all targets of the example of every pair in `index`, as ids without END."""

    @abstractmethod
    def all_references(self) -> Iterator[list[Array]]:
        """Go through the examples, in order; yield all targets of each."""

    @abstractmethod
    def origin(self, i: int) -> str:
        """Name the file and line of pair `i`."""
