"""Several recipes on the same data, side by side: which is better, and at what cost.

recipes x sweeps ─▶ Variants ─▶ one finished run for each seed ─▶ Rows of one table
"""

import dataclasses
import itertools
import json
import re
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from saccade import recipe as recipes
from saccade import run
from saccade.engines._open import load
from saccade.errors import CheckpointError, RecipeError
from saccade.experiments.measures import Judged, check_comparable, check_trainable, judged
from saccade.folders import claims
from saccade.folders.identity import read_identity, read_plan
from saccade.folders.rivals import RIVALS
from saccade.look.report import read_curves
from saccade.metrics.base import paired
from saccade.nouns import Example
from saccade.predict.evaluation import Evaluation
from saccade.recipe import Recipe
from saccade.train.checkpoint import Checkpoints
from saccade.train.files import write_text
from saccade.views.by_length import buckets_of, lengths_of
from saccade.views.comparison import ComparedLength, ComparisonCurve, Row

_LAST = ("model.safetensors", RIVALS, "report.html")  # what the end of a run writes
_OUTER_COMMA = re.compile(r",(?![^{\[]*[}\]])")  # not one inside of {} or []


@dataclass(frozen=True, slots=True)
class Variant:
    """One thing to compare: a recipe under a name, or a finished model's folder."""

    name: str
    recipe: Recipe
    folder: Path | None = None


@dataclass(frozen=True, slots=True)
class Measured:
    """One finished run and what was found out about it."""

    folder: Path
    evaluation: Evaluation
    parameters: int
    seconds: float
    flops: float


def variants(
    paths: Sequence[Path], over: Sequence[str] = (), overrides: Sequence[str] = ()
) -> list[Variant]:
    """Read recipes, and cross them with every `a.b=x,y,z` of `over`.

    Args:
        paths: recipes, or folders of finished models, which are taken as they are.
        over: options to vary; the values stand between commas. `a.b+c.d=x,y` gives two options the
            same value.
        overrides: `a.b=c`, for all recipes.
    """
    sweeps = [_sweep(text) for text in over]
    found = [variant for path in paths for variant in _crossed(path, sweeps, overrides)]
    names = [variant.name for variant in found]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise RecipeError(
            f"compare: two recipes are called '{twice[0]}'; expected a name for each. Give one"
            " another `name:`."
        )
    if len(found) < 2:
        raise RecipeError(
            f"compare: {len(found)} recipe; expected two or more. Name another recipe, or vary an"
            " option: --over model.decoder.attention=dot,additive"
        )
    return found


def _sweep(text: str) -> tuple[str, list[str]]:
    names, equals, rest = text.partition("=")
    values = _OUTER_COMMA.split(rest)
    if not equals or not all(names.split("+")) or not all(values):
        raise RecipeError(
            f"--over {text}: expected a.b=x,y,z, as in model.decoder.attention=dot,additive."
        )
    return names, values


def _crossed(
    path: Path, sweeps: Sequence[tuple[str, list[str]]], overrides: Sequence[str]
) -> Iterator[Variant]:
    if (path / "saccade.json").exists():
        if sweeps or overrides:
            raise RecipeError(
                f"{path}: is a finished model, which --over and --set cannot change. Give its"
                " recipe instead."
            )
        yield Variant(path.name, read_identity(path).recipe, path)
        return
    for chosen in itertools.product(*(values for _, values in sweeps)):
        own = [
            f"{name}={value}"
            for (names, _), value in zip(sweeps, chosen, strict=True)
            for name in names.split("+")
        ]
        recipe = recipes.load(path, [*overrides, *own])
        _rehearse(recipe)  # widths that do not fit show now, not after hours
        yield Variant(" ".join([recipe.name, *chosen]), recipe)


def _rehearse(recipe: Recipe) -> None:
    """Build a small model as the recipe says."""
    sources = {name: part.build().sketch() for name, part in recipe.data.read.items()}
    recipe.model.build(sources, recipe.data.target.build().sketch())


def check(chosen: Sequence[Variant], split: str, root: Path = Path()) -> None:
    """Refuse what cannot be trained or compared, before anything is trained."""
    for variant in chosen:
        if variant.folder is None:
            check_trainable(variant.recipe, root)
    check_comparable({variant.name: variant.recipe for variant in chosen}, split, root)


def train_all(
    chosen: Sequence[Variant],
    folder: Path,
    seeds: Sequence[int] = (),
    *,
    overwrite: bool = False,
    device: str = "cpu",
    root: Path = Path(),
    console: Console | None = None,
) -> dict[str, list[Path]]:
    """Train every variant with every seed, unless it has been: the folders, by variant.

    Args:
        chosen: what to compare.
        folder: where the runs go, one folder each; a finished one is used, a stopped one goes on.
        seeds: the recipe's own if none are given.
        overwrite: train again what has been trained with another recipe.
        device: where to compute.
        root: where the relative paths of the recipes start.
        console: where to tell of progress.
    """
    console = console or Console(stderr=True)
    done: dict[str, list[Path]] = {}
    for i, variant in enumerate(chosen, 1):
        if variant.folder is not None:
            done[variant.name] = [variant.folder]
            continue
        done[variant.name] = []
        for seed in seeds or [variant.recipe.seed]:
            recipe = dataclasses.replace(variant.recipe, seed=seed, name=variant.name)
            place = folder / f"{_slug(variant.name)}-seed-{seed}"
            console.print(f"[{i}/{len(chosen)}] {variant.name}, seed {seed}", markup=False)
            if not _finished(place, recipe, overwrite=overwrite):
                resume = _stopped(place, recipe)
                run.train(
                    recipe,
                    place,
                    resume=resume,
                    overwrite=overwrite and not resume,
                    device=device,
                    root=root,
                    console=console,
                )
            done[variant.name].append(place)
    return done


def _slug(name: str) -> str:
    return "".join(c if c.isalnum() or c in "-._" else "-" for c in name).strip("-.") or "recipe"


def _finished(folder: Path, recipe: Recipe, *, overwrite: bool) -> bool:
    """Say whether the folder holds this very recipe, trained to its end."""
    if not all((folder / name).exists() for name in _LAST):
        return False
    if read_identity(folder).recipe.same(recipe):
        return True
    if overwrite:
        return False
    raise CheckpointError(
        f"{folder}: was trained with another recipe; expected the one to compare. Choose another"
        " --output, or train it again with --overwrite."
    )


def _stopped(folder: Path, recipe: Recipe) -> bool:
    """Say whether the folder holds the beginning of this very run."""
    if not claims.is_run(folder) or not Checkpoints(folder).index().names:
        return False
    return read_identity(folder).recipe.same(recipe)


def measure(
    folder: Path, split: str, *, device: str = "cpu", root: Path = Path(), **options: Any
) -> Measured:
    """Decode and measure one finished run, and say what it cost to make."""
    evaluation = run.evaluate(folder, split, device=device, root=root, **options)
    translator = load(folder, device=device)
    checkpoints = Checkpoints(folder)
    names = checkpoints.index().names
    progress = checkpoints.progress(names[-1]) if names else None
    return Measured(
        folder,
        evaluation,
        run.count_parameters(translator.model),
        progress.seconds if progress else float("nan"),
        progress.flops if progress else float("nan"),
    )


def rows_of(measured: dict[str, list[Measured]]) -> list[Row]:
    """Put what was measured into the rows of a table; the first figure decides who is best."""
    judges = {name: [_judged(one) for one in runs] for name, runs in measured.items()}
    one = next(iter(judges.values()))[0]
    first, sign = next(iter(one.figures)), 1.0 if one.metric.higher_is_better else -1.0
    values = {
        name: statistics.fmean(run.figures[first].score.value for run in runs)
        for name, runs in judges.items()
    }
    best = max(values, key=lambda name: sign * values[name])
    return [
        _row(name, runs, judges[name], None if name == best else judges[best][0])
        for name, runs in measured.items()
    ]


def _judged(one: Measured) -> Judged:
    return judged(one.evaluation, read_plan(one.folder).recipe)


def _row(name: str, runs: list[Measured], judges: list[Judged], best: Judged | None) -> Row:
    figures = {}
    for label, figure in judges[0].figures.items():
        values = [each.figures[label].score.value for each in judges]
        known = len(runs) == 1
        figures[label] = ComparisonCurve(
            statistics.fmean(values),
            figure.interval.low if known else min(values),
            figure.interval.high if known else max(values),
            not figure.score.higher_is_better,
            figure.label,
        )
    return Row(
        name=name,
        seeds=len(runs),
        figures=figures,
        p_value=_p_value(judges[0], best) if best else None,
        parameters=runs[0].parameters,
        seconds=statistics.fmean(each.seconds for each in runs),
        flops=statistics.fmean(each.flops for each in runs),
        speed=statistics.fmean(_speed(each.evaluation) for each in runs),
        by_length=by_length(judges[0], runs[0].evaluation.examples),
        length_unit=lengths_of([e.source for e in runs[0].evaluation.examples])[1],
        curve=_curve(runs[0].folder),
    )


def _speed(found: Evaluation) -> float:
    """Return the examples a second; none if nothing was written."""
    written = len(found.predictions)
    return written / max(found.seconds, 1e-9) if written else float("nan")


def _p_value(a: Judged, b: Judged) -> float:
    return paired(a.metric, a.hypotheses, b.hypotheses, a.references).p_value


def _curve(folder: Path) -> list[tuple[float, float]]:
    return read_curves(folder).get("validation loss", [])


def by_length(found: Judged, examples: Sequence[Example]) -> list[ComparedLength]:
    """Score sources of similar length together, as `lengths_of` counts them.

    There is nothing to tell of models that have no source.
    """
    lengths, _ = lengths_of([example.source for example in examples])
    if not any(lengths):
        return []
    metric = found.metric.fitted(found.references)
    return [
        ComparedLength(
            statistics.fmean(lengths[i] for i in rows),
            metric.corpus(
                [found.hypotheses[i] for i in rows], [found.references[i] for i in rows]
            ).value,
            len(rows),
        )
        for _, _, rows in buckets_of(lengths)
    ]


def write(folder: Path, rows: Sequence[Row], page: str) -> tuple[Path, Path]:
    """Keep the table as compare.json and its pictures as compare.html."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = folder / "compare.json", folder / "compare.html"
    write_text(paths[0], json.dumps([dataclasses.asdict(row) for row in rows], indent=1))
    write_text(paths[1], page)
    return paths
