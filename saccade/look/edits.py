"""Two texts laid one over the other by their cheapest edits."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from saccade.errors import DataError
from saccade.models.base import edit_writer
from saccade.predict.predictor import Predictor
from saccade.tokenizers._vocabulary import UNK, Vocabulary
from saccade.views import edit_table
from saccade.views.drawing import Drawing
from saccade.views.edits import MOST, EditCosts, Edits, Operation
from saccade.views.edits import edits as fill_table


@dataclass(frozen=True, repr=False)
class EditTable:
    """The edit-distance table of two texts; draws itself in a notebook.

    found: the table and the ways through it.
    """

    found: Edits

    @property
    def distance(self) -> float:
        """The cost of turning the source into the target."""
        return self.found.distance

    @property
    def n_paths(self) -> int:
        """How many paths cost no more."""
        return self.found.n_paths

    def paths(self, most: int | None = None) -> list[list[Operation]]:
        """List the cheapest paths, each as its operations: the first `most` of them, or all."""
        return self.found.paths(most)

    def plain(self, paths: int | None = 1) -> dict[str, Any]:
        """Return table, ways back and paths as JSON holds them."""
        return self.found.plain(paths)

    def draw(self, paths: int | None = 1) -> Drawing:
        """Draw the table with so many paths below it, or all."""
        return edit_table.draw(self.found, paths=paths)

    def __repr__(self) -> str:
        return f"<EditTable {self.draw().said}>"

    def _repr_html_(self) -> str:
        return self.draw().html


def edits(
    source: str,
    target: str,
    *,
    substitution: int = 1,
    words: bool = False,
    costs: Predictor | None = None,
) -> EditTable:
    """Fill the edit-distance table of two texts.

    >>> found = edits("kitten", "sitting")
    >>> found.distance, found.n_paths
    (3.0, 1)

    Args:
        source: what is turned into the target.
        target: what it becomes.
        substitution: what it costs: 1, or 2 as a deletion and an insertion do.
        words: compare words, not characters.
        costs: a model that learned what edits cost, as a noisy channel; the texts are cut into its
            symbols, and the other options do not count.
    """
    if costs is not None:
        return EditTable(_learned(source, target, costs))
    cut = (lambda text: text.split()) if words else list
    return EditTable(fill_table(cut(source), cut(target), substitution=substitution))


def _learned(source: str, target: str, costs: Predictor) -> Edits:
    """Fill the table with the costs of a model: -log p of each edit, in nats.

    A deletion of a symbol of the source is an insertion of the channel, which makes the source of
    the target, and the other way round.
    """
    model, vocabulary = edit_writer(costs.model, "--costs"), costs.target.vocabulary
    assert vocabulary is not None
    seen, meant = (_ids(text, vocabulary) for text in (source, target))
    with torch.inference_mode():
        found = model.log_edits(torch.tensor(seen).long(), torch.tensor(meant).long())
    dropped = np.broadcast_to(-found.dropped, (len(seen) + 1, len(meant)))
    priced = EditCosts(-found.emitted.T, -found.inserted.T, dropped)
    pieces = (vocabulary.pieces(seen), vocabulary.pieces(meant))
    return fill_table(*pieces, costs=priced)


def _ids(text: str, vocabulary: Vocabulary) -> Sequence[int]:
    ids = vocabulary.encode(text)
    if len(ids) > MOST:
        raise DataError(
            f"edit distance: a text has {len(ids):,} symbols; a table has room for {MOST}."
            " Shorten it."
        )
    if UNK in ids:
        raise DataError(
            f"--costs: {text[:40]!r} has symbols that the model does not know:"
            f" {' '.join(vocabulary.unknown(text))}. Leave them out, or train with them."
        )
    return ids
