"""Edit distance: the table, the ways back through it, how many there are, and each of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from saccade.errors import DataError, ShapeError

Numbers = NDArray[np.float64]
Kind = Literal["keep", "substitute", "delete", "insert"]
MOST = 400  # symbols of a sequence
MOST_PATHS = 10_000  # that are listed
DIAGONAL, UP, LEFT = 1, 2, 4  # where a cell comes from: by a change, a deletion, an insertion

_NEAR = 1e-9  # costs that differ by less are equal


@dataclass(frozen=True, slots=True)
class Operation:
    """One edit: what it read (source `i`), what it wrote (target `j`), and the cost so far.

    A deletion has no `j` of its own and an insertion no `i`: they tell where they happened.
    """

    kind: Kind
    i: int
    j: int
    cost: float


@dataclass(frozen=True, slots=True)
class EditCosts:
    """What the edits of two sequences of n and m symbols cost.

    change: `[n, m]`, to write target j for source i.  delete: `[n, m + 1]`, to leave source i out
    when j symbols are written.  insert: `[n + 1, m]`, to write target j when i symbols are read.
    """

    change: Numbers
    delete: Numbers
    insert: Numbers


@dataclass(frozen=True, slots=True)
class Edits:
    """The whole table `[n + 1, m + 1]`, and for each cell where its cost may come from.

    ways: `[n + 1, m + 1]`, sums of DIAGONAL, UP and LEFT.
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    costs: Numbers
    ways: NDArray[np.int64]

    @property
    def distance(self) -> float:
        """The cost of turning all of the source into all of the target."""
        return float(self.costs[-1, -1])

    @property
    def path(self) -> list[Operation]:
        """One of the cheapest paths.

        It goes back by a match or a substitution if it can, else by a deletion, else an insertion.
        """
        return next(self.walk())

    @property
    def n_paths(self) -> int:
        """How many paths are as cheap as any.

        count[i, j] = the sum of count over the cells that cell i, j may come from;  count[0, 0] = 1
        """
        above = list[int]()
        for i, row in enumerate(self.ways.tolist()):
            here = list[int]()
            for j, way in enumerate(row):
                n = int(i == j == 0)
                n += above[j - 1] if way & DIAGONAL else 0
                n += above[j] if way & UP else 0
                n += here[j - 1] if way & LEFT else 0
                here.append(n)
            above = here
        return above[-1]

    def walk(self) -> Iterator[list[Operation]]:
        """Yield every cheapest path; the first is `path`."""
        steps = ((LEFT, 0, 1), (UP, 1, 0), (DIAGONAL, 1, 1))  # the last is followed first
        waiting: list[tuple[int, int, Any]] = [(len(self.source), len(self.target), None)]
        while waiting:
            i, j, behind = waiting.pop()
            if not (i or j):
                yield _unlinked(behind)
            for way, up, left in steps:
                if self.ways[i, j] & way:
                    step = Operation(self._kind(way, i, j), i, j, float(self.costs[i, j]))
                    waiting.append((i - up, j - left, (step, behind)))

    def paths(self, most: int | None = None) -> list[list[Operation]]:
        """List the cheapest paths: the first `most` of them, or all."""
        if most is None:
            n = self.n_paths
            if n > MOST_PATHS:
                raise DataError(
                    f"edit distance: {n:,} paths cost {shown_cost(self.distance)}; at most"
                    f" {MOST_PATHS:,} can be listed. Ask for a number of them."
                )
        return list(islice(self.walk(), most))

    def optimal(self) -> NDArray[np.bool_]:
        """Mark the cells that are on a cheapest path, `[n + 1, m + 1]`."""
        on = np.zeros(self.ways.shape, dtype=bool)
        on[-1, -1] = True
        for i in range(len(self.source), -1, -1):
            for j in range(len(self.target), -1, -1):
                way = int(self.ways[i, j]) if on[i, j] else 0
                if way & DIAGONAL:
                    on[i - 1, j - 1] = True
                if way & UP:
                    on[i - 1, j] = True
                if way & LEFT:
                    on[i, j - 1] = True
        return on

    def plain(self, paths: int | None = 1) -> dict[str, Any]:
        """Return all of it as JSON holds it, with so many paths, or all."""
        listed = self.paths(paths)
        return {
            "source": list(self.source),
            "target": list(self.target),
            "distance": _whole(self.distance),
            "n_paths": self.n_paths,
            "table": [[_whole(cost) for cost in row] for row in self.costs.tolist()],
            "from": [[_names(way) for way in row] for row in self.ways.tolist()],
            "paths": [[self._told(step) for step in path] for path in listed],
        }

    def _told(self, step: Operation) -> dict[str, Any]:
        return {
            "kind": step.kind,
            "source": None if step.kind == "insert" else self.source[step.i - 1],
            "target": None if step.kind == "delete" else self.target[step.j - 1],
            "cost": _whole(step.cost),
        }

    def _kind(self, way: int, i: int, j: int) -> Kind:
        if way == DIAGONAL:
            return "keep" if self.source[i - 1] == self.target[j - 1] else "substitute"
        return "delete" if way == UP else "insert"


def edits(
    source: Sequence[str],
    target: Sequence[str],
    *,
    substitution: int = 1,
    costs: EditCosts | None = None,
) -> Edits:
    """Fill the table.

        d[i, j] = min(d[i-1, j] + 1, d[i, j-1] + 1, d[i-1, j-1] + c),   c = 0 if equal, else 1 or 2

    Wagner & Fischer 1974, The String-to-String Correction Problem. Other `costs` stand for 1 and c
    if given. A row is filled at once: with I the running sum of insertions, d[i] is I plus the
    running minimum of what comes from above, less I.

    >>> found = edits("kitten", "sitting")
    >>> found.distance, found.n_paths, [s.kind for s in found.path if s.kind != "keep"]
    (3.0, 1, ['substitute', 'substitute', 'insert'])
    """
    if substitution not in (1, 2):
        raise ShapeError(
            f"edit_table: a substitution costs {substitution}; expected 1, or 2 for a deletion and "
            "an insertion; pass one of them."
        )
    longest = max(len(source), len(target))
    if longest > MOST:
        raise DataError(
            f"edit distance: a sequence has {longest:,} symbols; a table has room for {MOST}."
            " Shorten it, or compare words."
        )
    given = unit_costs(source, target, substitution) if costs is None else costs
    table = _filled(given)
    return Edits(tuple(source), tuple(target), table, _ways(table, given))


def unit_costs(source: Sequence[str], target: Sequence[str], substitution: int = 1) -> EditCosts:
    """Return costs of 1 for every edit, or 2 for a substitution; what is equal costs nothing."""
    n, m = len(source), len(target)
    change = [[0.0 if a == b else float(substitution) for b in target] for a in source]
    shaped = np.array(change, dtype=np.float64).reshape(n, m)
    return EditCosts(shaped, np.ones((n, m + 1)), np.ones((n + 1, m)))


def shown_cost(cost: float) -> str:
    """Write a cost: two decimals if it is no whole number.

    >>> shown_cost(3.0), shown_cost(2.718)
    ('3', '2.72')
    """
    return f"{cost:.0f}" if abs(cost - round(cost)) < _NEAR else f"{cost:.2f}"


def _filled(costs: EditCosts) -> Numbers:
    n, m = costs.change.shape
    table = np.zeros((n + 1, m + 1))
    before = np.full(m + 1, np.inf)
    before[0] = 0.0
    for i in range(n + 1):
        if i:
            above = table[i - 1]
            before = above + costs.delete[i - 1]
            before[1:] = np.minimum(before[1:], above[:-1] + costs.change[i - 1])
        inserted = np.concatenate([[0.0], np.cumsum(costs.insert[i])])
        table[i] = np.minimum.accumulate(before - inserted) + inserted
    return table


def _ways(table: Numbers, costs: EditCosts) -> NDArray[np.int64]:
    ways = np.zeros(table.shape, dtype=np.int64)
    pairs = (
        (ways[1:, 1:], table[1:, 1:], table[:-1, :-1] + costs.change, DIAGONAL),
        (ways[1:], table[1:], table[:-1] + costs.delete, UP),
        (ways[:, 1:], table[:, 1:], table[:, :-1] + costs.insert, LEFT),
    )
    for view, here, there, way in pairs:
        np.bitwise_or(view, way * (there <= here + _NEAR), out=view)
    return ways


def _unlinked(behind: Any) -> list[Operation]:
    found = []
    while behind is not None:
        step, behind = behind
        found.append(step)
    return found


def _names(way: int) -> list[str]:
    names = {DIAGONAL: "diagonal", UP: "up", LEFT: "left"}
    return [name for bit, name in names.items() if way & bit]


def _whole(cost: float) -> float:
    """Return a whole number as one, others to six decimals."""
    near = round(cost)
    return near if abs(cost - near) < _NEAR else round(cost, 6)
