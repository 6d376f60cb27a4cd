"""How far the shards of a corpus are, as the command tells it while it works."""

import time
from dataclasses import dataclass, field

from saccade.cli.options import note
from saccade.cli.shard_work import ShardEnd
from saccade.predict.shards import Shard

_EVERY = 10.0  # seconds between two lines that tell how far all is
_SHOWN = 10  # problems of a shard that are told


@dataclass
class Report:
    """Tells how far all is, and how long the rest will take."""

    shards: list[Shard]
    n_all: int
    _lines: int = 0
    _began: float = field(default_factory=time.monotonic)
    _said: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self._bytes = {shard: shard.path.stat().st_size for shard in self.shards}
        self._total = sum(self._bytes.values())

    def end(self, shard: Shard, said: ShardEnd) -> None:
        """Take down what came of a shard, and tell what is wrong with it."""
        self._bytes.pop(shard)
        self._lines += said.lines
        for problem in said.problems[:_SHOWN]:
            note(problem)
        if len(said.problems) > _SHOWN:
            note(f"{shard.path}: {len(said.problems) - _SHOWN:,} more lines, in {shard.errors}.")

    def tell(self) -> None:
        """Tell how far all is, now and then."""
        now = time.monotonic()
        if now - self._said < _EVERY and self._bytes:
            return
        self._said = now
        note(self.text(now - self._began))

    def text(self, seconds: float) -> str:
        """Say how many shards and lines are done, how fast, and how long the rest will take."""
        left, done = sum(self._bytes.values()), self._total - sum(self._bytes.values())
        speed = f"{self._lines:,} lines here, {self._lines / max(seconds, 1e-9):,.0f} a second"
        found = f"{self.n_all - len(self._bytes):,} of {self.n_all:,} shards, {speed}"
        if not left or not done:
            return found
        rest = round(left * seconds / done)
        return f"{found}, {rest // 3600}:{rest // 60 % 60:02d}:{rest % 60:02d} left"
