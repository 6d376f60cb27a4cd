"""A campaign: inputs made from the corpus, for so many seconds a target, and what was found.

    python -m tests.fuzz                            every target, 10 seconds of the processor each
    python -m tests.fuzz reader-csv recipe --seconds 60 --seed 2
    python -m tests.fuzz reader- --engine hypothesis

A finding is written to `build/fuzz/TARGET/`, made smaller, once for each place in the code. Mend
what it shows, and put it into the corpus. The exit code is 1 if there are findings.
"""

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from tests.fuzz import invented
from tests.fuzz.mutate import Mutator
from tests.fuzz.notes import Notes, tell
from tests.fuzz.target import Target, attempt, limit_memory
from tests.fuzz.targets import corpus_of, targets

_MEMORY = 2 << 30  # bytes that a campaign may have more than at its begin
_EACH = 100  # inputs of hypothesis between two looks at the clock


def main() -> int:
    """Run the campaign."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("names", nargs="*", help="targets whose names hold one of these; all")
    parser.add_argument("--seconds", type=float, default=10.0, help="of the processor, a target")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--engine", choices=("mutate", "hypothesis"), default="mutate")
    parser.add_argument("--folder", type=Path, default=Path("build/fuzz"))
    asked = parser.parse_args()
    names = asked.names or [""]
    chosen = [one for name, one in targets().items() if any(n in name for n in names)]
    notes = Notes(asked.folder)
    for target in chosen:
        for data in corpus_of(target.name).values():  # what they load is not counted
            attempt(target, data)
        limit_memory(_MEMORY)
        before = notes.inputs
        _try(target, notes, asked.seconds, asked.seed, asked.engine)
        tell(f"{target.name}: {notes.inputs - before:,} inputs")
    tell(f"{len(chosen)} targets, {notes.inputs:,} inputs, {len(notes.found)} findings.")
    return int(bool(notes.found))


def _try(target: Target, notes: Notes, seconds: float, seed: int, engine: str) -> None:
    """Try inputs until so much time of the processor is over."""
    last = time.process_time() + seconds
    if engine == "mutate":
        for data in _mutated(target, seed):
            notes.attempt(target, data)
            if time.process_time() > last:
                return
    while time.process_time() < last:
        invented.campaign(target, notes.attempt, _EACH, seed)
        seed += 1000


def _mutated(target: Target, seed: int) -> Iterator[bytes]:
    seeds = list(corpus_of(target.name).values())
    yield from seeds
    mutator = Mutator(target, seeds, seed)
    while True:
        yield mutator.next()


if __name__ == "__main__":
    sys.exit(main())
