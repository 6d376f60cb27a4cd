"""Two texts laid one over the other by their cheapest edits."""

from dataclasses import dataclass
from typing import Any

from saccade.views import edit_table
from saccade.views.drawing import Drawing
from saccade.views.edits import Edits, Operation
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


def edits(source: str, target: str, *, substitution: int = 1, words: bool = False) -> EditTable:
    """Fill the edit-distance table of two texts.

    >>> found = edits("kitten", "sitting")
    >>> found.distance, found.n_paths
    (3.0, 1)

    Args:
        source: what is turned into the target.
        target: what it becomes.
        substitution: what it costs: 1, or 2 as a deletion and an insertion do.
        words: compare words, not characters.
    """
    cut = (lambda text: text.split()) if words else list
    return EditTable(fill_table(cut(source), cut(target), substitution=substitution))
