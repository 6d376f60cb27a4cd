"""What `fit` knows before anything is timed: the data, the task, and the recipes to try."""

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import yaml

from saccade.errors import DataError, RecipeError
from saccade.fit.candidates import Candidate, Plain, candidates_for
from saccade.fit.columns import left_unread, with_features
from saccade.fit.files import ColumnNames, UserData, find_corpus
from saccade.fit.jobs import JOBS, TaskKind, find_job, job_named, suited
from saccade.fit.rules import RunSizes, sizes_for, smaller
from saccade.fit.series import (
    count_windows,
    looks_like_series,
    series_candidates,
    series_sizes,
    survey_series,
)
from saccade.fit.survey import survey
from saccade.parts import Part
from saccade.readers.base import Reader
from saccade.readers.split import share

_FEWEST = 20  # pairs with different sources
_MOST_HELD, _LEAST_HELD = 1000, 30  # pairs of each held-out part


@dataclass(frozen=True, slots=True)
class Outline:
    """What is known before anything is timed: the data, the task and the recipes to try.

    data: what was found, in words.  counts: examples of each part.  build: lists the candidates of
    given sizes.  unread: which columns are not read, a sentence each.
    """

    data: tuple[str, str]
    job: TaskKind
    why: str
    sizes: RunSizes
    counts: dict[str, int]
    build: Callable[[RunSizes], list[Candidate]]
    candidates: list[Candidate]
    unread: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        data: tuple[str, str],
        job: TaskKind,
        why: str,
        sizes: RunSizes,
        counts: dict[str, int],
        build: Callable[[RunSizes], list[Candidate]],
    ) -> "Outline":
        """Build the candidates."""
        return cls(data, job, why, sizes, counts, build, build(sizes))

    def smaller(self, times: int) -> "Outline":
        """Return it with sizes that were made smaller so many times."""
        sizes = self.sizes
        for _ in range(times):
            sizes = smaller(self.job, sizes) or sizes
        chosen = self.build(sizes) if times else self.candidates
        return dataclasses.replace(self, sizes=sizes, candidates=chosen)

    def told(self) -> list[str]:
        """Say what was found and chosen, and why, a line each."""
        parts = ", ".join(f"{n:,} {part}" for part, n in self.counts.items())
        where, like = self.data
        sizes, what = self.sizes, self.job.unit
        return [
            f"{where}: {parts}.",
            f"{like}; {self.why}. Task: {self.job.name}.",
            f"Batches of {sizes.batch_tokens} places, {sizes.updates:,} updates,"
            f" warm-up {sizes.warmup}, width {sizes.width}, dropout"
            f" {sizes.dropout:g}: what the rules say for {sizes.pairs:,} {what}.",
            *self.unread,
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
    if _is_series(paths, task):
        return _series_outline(paths, [*valid, *test], columns, task, seed)
    corpus = find_corpus(paths, valid, test, columns)
    if not columns.features:
        corpus = find_corpus(paths, valid, test, with_features(columns, paths))
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
    data = (f"{found.pairs:,} pairs from {', '.join(map(str, corpus.paths))}", found.told())
    build = partial(candidates_for, job, found, corpus, held=held, seed=seed)
    made = Outline.of(data, job, why, sizes, counts, build)
    return dataclasses.replace(made, unread=tuple(left_unread(corpus)))


def _is_series(paths: Sequence[Path], task: str) -> bool:
    """Tell whether one file of numbers in order of time was given, or is said to be."""
    if task:
        return job_named(task) is JOBS["forecasting"]
    kinds = {".csv", ".tsv", ".tab", ".txt"}
    alone = len(paths) == 1 and paths[0].is_file()
    suffixes = [suffix for suffix in paths[0].suffixes[-2:] if suffix != ".gz"] if paths else []
    return alone and bool(kinds & set(suffixes)) and looks_like_series(paths[0])


def _series_outline(
    paths: Sequence[Path], held_out: Sequence[Path], columns: ColumnNames, task: str, seed: int
) -> Outline:
    if len(paths) != 1 or held_out or columns.source or columns.features:
        raise RecipeError(
            f"fit: {paths[0] if paths else 'no file'}: a series is one file of numbers in order of"
            " time, and is split by time. Leave out other files, --valid, --test, --source and"
            " --features; --target names the column to forecast."
        )
    if not paths[0].is_file():
        raise DataError(
            f"{paths[0]}: no such file; expected numbers in order of time. Check the path; relative"
            " paths start where you run saccade."
        )
    found = survey_series(paths[0], columns.target)
    counts = count_windows(found)
    ahead = f"{found.window} rows are read, the next {found.horizon} forecast"
    data = (f"Windows of {found.rows:,} rows from {paths[0]}", f"{found.told()}; {ahead}")
    why = "as --task says" if task else "numbers in order of time"
    sizes = series_sizes(found, counts["train"])
    build = partial(series_candidates, found, seed=seed)
    return Outline.of(data, JOBS["forecasting"], why, sizes, counts, build)


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
