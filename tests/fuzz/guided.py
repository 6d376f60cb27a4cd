"""Mutations that are kept if they reach code that none before reached: atheris, if it is there.

    python -m tests.fuzz.guided recipe --seconds 300 --seed 1

It is no dependency: `pip install atheris` in an environment of your own. Findings are noted as in
`python -m tests.fuzz`; what reaches something new is kept in `build/fuzz/reached/TARGET`.
"""

import argparse
import sys
from pathlib import Path


def main() -> int:
    """Instrument the package as it is imported, and let libFuzzer choose; it ends the process."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.guided", description=__doc__)
    parser.add_argument("name", help="of a target")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, default=Path("build/fuzz"))
    asked = parser.parse_args()
    try:
        import atheris  # noqa: PLC0415 - optional
    except ImportError:
        sys.stderr.write("atheris is not installed; pip install atheris, here or elsewhere.\n")
        return 2
    with atheris.instrument_imports(include=["saccade"]):
        from tests.fuzz.mutate import Mutator  # noqa: PLC0415 - it is instrumented
        from tests.fuzz.notes import Notes  # noqa: PLC0415
        from tests.fuzz.target import LARGEST  # noqa: PLC0415
        from tests.fuzz.targets import CORPUS, corpus_of, targets  # noqa: PLC0415

        target = targets()[asked.name]
    notes = Notes(asked.folder)
    seeds = list(corpus_of(target.name).values())
    mutator = Mutator(target, seeds, asked.seed)

    def other(data: bytes, longest: int, number: int) -> bytes:
        mutator.chance.seed(number)
        return mutator.changed(data)[:longest]

    reached = asked.folder / "reached" / target.name
    reached.mkdir(parents=True, exist_ok=True)
    limits = [f"-max_total_time={asked.seconds}", f"-max_len={LARGEST}", "-rss_limit_mb=0"]
    arguments = [sys.argv[0], *limits, f"-seed={asked.seed}", "-timeout=60"]
    atheris.Setup(
        [*arguments, str(reached), str(CORPUS / target.name)],
        lambda data: notes.attempt(target, data),
        custom_mutator=other,
    )
    atheris.Fuzz()
    return 0


if __name__ == "__main__":
    sys.exit(main())
