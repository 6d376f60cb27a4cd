"""Shallow fusion: a language model has a say in what is written."""

import threading
from collections.abc import Sequence

import torch
from torch import Tensor

from saccade.errors import RecipeError
from saccade.kernels.backoff import ROOT, FusedTable
from saccade.models.base import Model, Writer, writer
from saccade.shaping._prefix_reader import PrefixReader
from saccade.tokenizers._vocabulary import END, PAD, START, UNK


class _Reading(threading.local):
    """A reader for every thread."""

    def __init__(self, model: Writer) -> None:
        self.read = PrefixReader(model)


class Fusion:
    """Adds what a language model says to log-probabilities: a shaper of search.

        log p(v | y[1..t-1], x) + weight log p_lm(v | y[1..t-1]) + insertion [v is no END]

    Gulcehre et al. 2015 (arXiv:1503.03535), section 4.1, "shallow fusion"; `insertion` pays for
    every symbol, since a language model alone prefers short outputs (Hannun et al. 2014,
    arXiv:1408.2873, equation 2). Every thread keeps the states of what it has read.

    Args:
        model: the language model.
        weight: how much it counts.
        insertion: what every symbol is paid.
        ids: for each symbol of ours, what the language model calls it, if its vocabulary differs.
    """

    def __init__(
        self, model: Model, weight: float, insertion: float = 0.0, ids: Sequence[int] = ()
    ) -> None:
        if weight < 0:
            raise RecipeError(
                f"decoding.language_model_weight: {weight} is below 0; 0 leaves the language model"
                " out, 0.3 is usual."
            )
        self.model, self.weight, self.insertion = model.eval(), weight, insertion
        self._reading = _Reading(writer(model))
        self.ids = torch.tensor(ids, dtype=torch.long)

    @torch.no_grad()
    def __call__(self, prefixes: Tensor, log_probs: Tensor) -> Tensor:
        """Edit log-probabilities `[N, V]` of what follows `prefixes [N, t]`."""
        ids = self.ids.to(prefixes.device)
        read = ids[prefixes] if len(ids) else prefixes
        said = self._reading.read(read)  # [N, V]
        added = self.weight * (said[:, ids] if len(ids) else said)
        return log_probs + (added + self._paid(added.shape[1]).to(added)).to(log_probs)

    def table(self) -> FusedTable | None:
        """Return what it adds as a table that kernels can walk, if the model is one."""
        table = self.model.backoff_table()
        if table is None:
            return None
        size = int(table.begins[1]) - 1
        ids = self.ids if len(self.ids) else torch.arange(size)
        start = 1 + START if self.model.sees else ROOT
        return FusedTable(table, ids, self.weight, self._paid(len(ids)), start)

    def _paid(self, size: int) -> Tensor:
        """Return what is paid for every symbol, `[V]`."""
        paid = torch.full((size,), self.insertion)
        paid[[PAD, UNK, START, END]] = 0.0
        return paid
