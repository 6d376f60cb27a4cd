"""How many faults there were, what became of them, and what was lost."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

WORDS = ("killed", "stopped", "told", "system", "done")


@dataclass(slots=True)
class Tally:
    """Counts faults by kind and by where they hit; keeps what was wrong, with how to repeat it."""

    by_kind: dict[str, Counter[str]] = field(default_factory=dict)
    by_place: dict[str, Counter[str]] = field(default_factory=dict)
    trials: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)

    @property
    def faults(self) -> int:
        """How many faults came about."""
        return sum(counter["all"] for counter in self.by_kind.values())

    def note(self, kind: str, place: str, word: str) -> None:
        """Count one fault: its kind, the call and the file that it hit, and how that ended."""
        for table, key in ((self.by_kind, kind), (self.by_place, place)):
            table.setdefault(key, Counter()).update(["all", word])

    def lines(self) -> Iterator[str]:
        """Yield the tables, and what was wrong."""
        yield from self._table("fault", self.by_kind)
        yield ""
        yield from self._table("file", self.by_place)
        yield ""
        work = ", ".join(f"{name} {n}" for name, n in sorted(self.trials.items()))
        yield f"{self.faults} faults in {self.trials.total()} trials of {len(self.trials)} works:"
        yield f"{work}."
        n = len(self.problems)
        yield f"{n} trials went wrong, as told above." if n else "Nothing was lost."

    def _table(self, head: str, rows: dict[str, Counter[str]]) -> Iterator[str]:
        yield f"| {head} | faults | killed | stopped | told | as the system says | no harm |"
        yield "|---|---|---|---|---|---|---|"
        for name, counter in sorted(rows.items()):
            cells = " | ".join(str(counter[word]) for word in WORDS)
            yield f"| {name} | {counter['all']} | {cells} |"
