"""Shallow fusion: a language model has a say in what is written."""

from collections.abc import Sequence

import torch
from torch import Tensor

from saccade.errors import RecipeError
from saccade.flow import Batch, padded
from saccade.kernels.backoff import ROOT, FusedTable
from saccade.models.base import Model
from saccade.nouns import SOURCE_NAME
from saccade.tokenizers._vocabulary import END, PAD, START, UNK


class Fusion:
    """Adds what a language model says to log-probabilities: a shaper of search.

        log p(v | y[1..t-1], x) + weight log p_lm(v | y[1..t-1]) + insertion [v is no END]

    Gulcehre et al. 2015 (arXiv:1503.03535), section 4.1, "shallow fusion"; `insertion` pays for
    every symbol, since a language model alone prefers short outputs (Hannun et al. 2014,
    arXiv:1408.2873, equation 2). The model reads every prefix from its beginning, or as much of its
    end as counts: it holds nothing between two steps, so threads can share it.

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
        self.ids = torch.tensor(ids, dtype=torch.long)

    @torch.no_grad()
    def __call__(self, prefixes: Tensor, log_probs: Tensor) -> Tensor:
        """Edit log-probabilities `[N, V]` of what follows `prefixes [N, t]`."""
        ids = self.ids.to(prefixes.device)
        read = ids[prefixes] if len(ids) else prefixes
        begun = torch.nn.functional.pad(read, (1, 0), value=START)  # [N, t + 1]
        begun = begun[:, -self.model.sees :] if self.model.sees else begun
        nothing = padded([[END]] * len(begun)).to(begun.device)
        batch = Batch({SOURCE_NAME: nothing}, nothing, begun)
        last = self.model(batch).features[:, -1]  # [N, D]
        said = self.model.head.log_probs(last)  # [N, V]
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
