"""What `fit` knows before anything is timed: the data, the task, and the recipes to try."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from saccade.errors import DataError, RecipeError
from saccade.fit.candidates import Candidate, Plain, candidates_for
from saccade.fit.files import ColumnNames, UserData, find_corpus
from saccade.fit.jobs import JOBS, TaskKind, find_job, job_named, suited
from saccade.fit.rules import RunSizes, sizes_for, smaller
from saccade.fit.survey import Survey, survey
from saccade.parts import Part
from saccade.readers.base import Reader
from saccade.readers.split import share

_FEWEST = 20  # pairs with different sources
_MOST_HELD, _LEAST_HELD = 1000, 30  # pairs of each held-out part


@dataclass(frozen=True, slots=True)
class Outline:
    """What is known before anything is timed: the data, the task and the recipes to try."""

    corpus: UserData
    found: Survey
    job: TaskKind
    why: str
    sizes: RunSizes
    held: float
    counts: dict[str, int]
    candidates: list[Candidate]
    seed: int

    def smaller(self, times: int) -> "Outline":
        """Return it with sizes that were made smaller so many times."""
        sizes = self.sizes
        for _ in range(times):
            sizes = smaller(self.job, sizes) or sizes
        chosen = candidates_for(self.job, self.found, self.corpus, sizes, self.held, self.seed)
        return dataclasses.replace(self, sizes=sizes, candidates=chosen)

    def told(self) -> list[str]:
        """Say what was found and chosen, and why, a line each."""
        parts = ", ".join(f"{n:,} {part}" for part, n in self.counts.items())
        source, target = self.found.source, self.found.target
        return [
            f"{self.found.pairs:,} pairs from {', '.join(map(str, self.corpus.paths))}: {parts}.",
            f"Sources have {source.characters:.0f} characters, targets {target.characters:.0f}"
            f" on average; {self.why}. Task: {self.job.name}.",
            f"Batches of {self.sizes.batch_tokens} places, {self.sizes.updates:,} updates,"
            f" warm-up {self.sizes.warmup}, width {self.sizes.width}, dropout"
            f" {self.sizes.dropout:g}: what the rules say for {self.sizes.pairs:,} pairs.",
            *(f"Candidate {one.name}: {one.why}." for one in self.candidates),
        ]

    def told_smaller(self) -> str:
        """Say what was made smaller because of the time."""
        sizes = self.sizes
        return (
            f"That is too much for the time: batches of {sizes.batch_tokens} places, width"
            f" {sizes.width}, {sizes.layers} layers instead."
        )


def outline(
    paths: Sequence[Path],
    *,
    valid: Sequence[Path] = (),
    test: Sequence[Path] = (),
    columns: ColumnNames = ColumnNames(),
    task: str = "",
    seed: int = 1,
) -> Outline:
    """Read the data once, tell what it is, and choose recipes for it."""
    corpus = find_corpus(paths, valid, test, columns)
    if task and job_named(task) is JOBS["completion"] and corpus.has_source:
        raise RecipeError(
            f"--task {task}: reads texts without sources, but {paths[0]} has pairs. Give one plain"
            " text file."
        )
    readers = [_reader(one) for one in corpus.train]
    found = survey(example for reader in readers for example in reader.read())
    if not corpus.has_source:
        job, why = JOBS["completion"], "one plain text without sources"
    else:
        said = "as --task says"
        job, why = (suited(job_named(task), found), said) if task else find_job(found)
    if found.sources < _FEWEST and corpus.has_source:
        raise DataError(
            f"{paths[0]}: {found.sources} different sources; expected {_FEWEST} or more to learn"
            " from and to hold some out. Add pairs, or check --source and --target."
        )
    held = _held(found.pairs)
    counts = _counts(corpus, held)
    sizes = sizes_for(job, found, counts["train"])
    chosen = candidates_for(job, found, corpus, sizes, held, seed)
    return Outline(corpus, found, job, why, sizes, held, counts, chosen, seed)


def readable(made: Outline, chosen: Candidate, name: str = "") -> str:
    """Write a recipe as a person would, with what was found and why on top."""
    lines = [
        "Chosen by the rules of `saccade fit`. Edit it; train it with: saccade train THIS",
        *made.told()[:3],
        f"Model {chosen.name}: {chosen.why}.",
        "`saccade parts` lists what a recipe can name; `saccade recipe show` fills in defaults.",
    ]
    head = "".join(f"# {line}\n" for line in lines)
    recipe = {**chosen.recipe, "name": name or chosen.name}
    return head + yaml.safe_dump(
        recipe, sort_keys=False, allow_unicode=True, width=100, default_flow_style=None
    )


def _reader(reading: Plain) -> Reader:
    kind, options = reading["kind"], {k: v for k, v in reading.items() if k != "kind"}
    return Part(Reader, kind, options).build(Path())


def _held(n: int) -> float:
    """Return the share of each held-out part: a tenth, 30 pairs at least and 1,000 at most.

    >>> _held(200), _held(1000), _held(40_000)
    (0.15, 0.1, 0.025)
    """
    return round(min(0.15, max(min(0.1, _MOST_HELD / max(n, 1)), _LEAST_HELD / max(n, 1))), 3)


def _counts(corpus: UserData, held: float) -> dict[str, int]:
    """Count the pairs of each part, as reader `split` parts them."""
    test_share, valid_share = 0.0 if corpus.test else held, 0.0 if corpus.valid else held
    counts = {"train": 0, "valid": 0, "test": 0}
    for reading in corpus.train:
        for example in _reader(reading).read():
            u = share(example.source or example.target)
            part = (
                "test" if u < test_share else "valid" if u < test_share + valid_share else "train"
            )
            counts[part] += 1
    for part, held_out in (("valid", corpus.valid), ("test", corpus.test)):
        if held_out:
            counts[part] = sum(1 for _ in _reader(held_out).read())
    return counts
