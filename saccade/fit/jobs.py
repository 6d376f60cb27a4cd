"""What kind of task the pairs are: which level each side is cut at, and how it is measured."""

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from saccade.errors import DataError, RecipeError, suggest
from saccade.fit.survey import Survey

Level = Literal["characters", "symbols", "pieces", "words", "label", "values"]

_MOST_LABELS = 200
_REPEATED = 5  # times that a label occurs on average, at least
_MOST_TAGS = 500
_ONE_WORD = 1.5  # words of a source on average, up to which it is one
_SHORT = 40  # characters of a text that is read as a whole, letter by letter


@dataclass(frozen=True, slots=True)
class TaskKind:
    """A kind of task.

    source, target: what the pieces of each side are.  metrics: the first chooses the model.
    """

    name: str
    source: Level
    target: Level
    metrics: tuple[str, ...]

    @property
    def writes_text(self) -> bool:
        """Whether outputs are written piece by piece, of any length."""
        return self.name not in ("labels", "tags", "forecasting")

    @property
    def unit(self) -> str:
        """What examples of it are called."""
        return "windows" if self.name == "forecasting" else "pairs"


_SENTENCES = ("chrf", "bleu")
JOBS = {
    "translation": TaskKind("translation", "pieces", "pieces", _SENTENCES),
    "characters": TaskKind("characters", "characters", "characters", ("error_rate", "cer")),
    "pronunciation": TaskKind("pronunciation", "characters", "symbols", ("error_rate", "per")),
    "inflection": TaskKind("inflection", "characters", "characters", ("error_rate", "cer")),
    "labels": TaskKind("labels", "words", "label", ("exact_match",)),
    "tags": TaskKind("tags", "words", "symbols", ("accuracy",)),
    "completion": TaskKind("completion", "characters", "characters", ()),
    "forecasting": TaskKind("forecasting", "values", "values", ("mae", "rmse")),
}
ALIASES = {
    **dict.fromkeys(("chat", "titles", "summaries", "code", "sentences"), "translation"),
    **dict.fromkeys(("transliteration", "spelling", "dates", "words"), "characters"),
    "classification": "labels",
    "tagging": "tags",
    "language": "completion",
    **dict.fromkeys(("series", "numbers"), "forecasting"),
}


def job_named(task: str) -> TaskKind:
    """Return the job that a user asks for."""
    name = ALIASES.get(task, task)
    if name not in JOBS:
        known = [*JOBS, *ALIASES]
        raise RecipeError(
            f"--task {task}: no such task.{suggest(task, known)} Tasks: {', '.join(known)}."
        )
    return JOBS[name]


def find_job(found: Survey) -> tuple[TaskKind, str]:
    """Tell what kind of task pairs are, and why: the first rule that holds."""
    if found.target.distinct < 2:
        raise DataError(
            "fit: all targets are the same; expected different ones to learn from. Check the"
            " columns: --source, --target."
        )
    for name, rule in _RULES:
        why = rule(found)
        if why:
            return suited(JOBS[name], found), why
    return JOBS["translation"], "texts of several words on both sides"


def suited(job: TaskKind, found: Survey) -> TaskKind:
    """Return a job as the pairs need it: single words that get labels are read letter by letter."""
    letters = job.name == "labels" and found.source.words <= _ONE_WORD
    return dataclasses.replace(job, source="characters") if letters else job


def _features(found: Survey) -> str:
    return "the pairs have a column of features" if found.featured else ""


def _labels(found: Survey) -> str:
    n = found.target.distinct
    few = n <= min(_MOST_LABELS, found.pairs // _REPEATED) and found.target.words <= 4
    return f"{n} different targets for {found.pairs:,} pairs: labels" if few else ""


def _tags(found: Survey) -> str:
    n = found.target.word_types
    few = n <= min(_MOST_TAGS, found.source.word_types // 2) and found.target.words >= 2
    return f"a target word for every source word, {n} in all: tags" if found.matched and few else ""


def _symbols(found: Survey) -> str:
    source, target = found.source, found.target
    short = source.words <= _ONE_WORD and target.words >= 2 and target.characters_per_word <= 4
    return "a word each, and targets of short symbols between spaces" if short else ""


def _letters(found: Survey) -> str:
    source, target = found.source, found.target
    if source.words <= 2.5 and target.words <= 2.5:
        return "one or two words a side: letter by letter"
    short = max(source.characters, target.characters) <= _SHORT and target.words <= 1.5
    return "short texts with one word as target: letter by letter" if short else ""


_RULES: tuple[tuple[str, Callable[[Survey], str]], ...] = (
    ("inflection", _features),
    ("tags", _tags),
    ("labels", _labels),
    ("pronunciation", _symbols),
    ("characters", _letters),
)
