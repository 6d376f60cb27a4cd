"""The report and the card of a run: gathers what the views need."""

import platform
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import astuple, dataclass, field
from itertools import islice
from pathlib import Path

import torch

from saccade.errors import CheckpointError
from saccade.look.addressing import addresses_drawing, has_memory
from saccade.look.pictures import characters_drawn, output_drawing, within_drawings
from saccade.look.probes import probe_nonsense
from saccade.nouns import Example
from saccade.predict import evaluation
from saccade.predict.decode import quick
from saccade.predict.prediction import Prediction
from saccade.predict.predictor import Predictor
from saccade.predict.verdict import Verdict
from saccade.recipe import Recipe
from saccade.train.checkpoint import Checkpoints
from saccade.train.files import write_text
from saccade.train.history import MetricsFile
from saccade.train.log import clock
from saccade.train.progress import Progress
from saccade.views.by_length import Bucket
from saccade.views.drawing import stacked
from saccade.views.report import Probe, ReportSample, RunReport, ScoreRow, training_report
from saccade.views.voice import VoicedWord

_SAMPLES = 8
_LONGEST = 400_000  # characters of a sound that stands in a page
_COUNTED = 200  # examples that characters are counted in


@dataclass(frozen=True, slots=True)
class More:
    """What a report shows if it is asked for.

    lengths: the score by source length, for which the first test set is decoded.  beside: other
    models by name, whose looks at the samples are drawn below those of the run's own.  named: the
    folder's name to be, if it gets one.
    """

    lengths: bool = False
    beside: Mapping[str, Predictor] = field(default_factory=dict)
    named: Path | None = None


def write_report(
    folder: Path,
    recipe: Recipe,
    translator: Predictor,
    progress: Progress,
    scores: "list[ScoreRow] | None" = None,
    *,
    root: Path = Path(),
    verdict: Verdict | None = None,
    more: More = More(),
) -> Path:
    """Write report.html: curves, sample translations with their attention, scores, cost.

    `verdict` says whether the model is better than a constant answer, `more` what else to show.
    """
    path, metrics = folder / "report.html", MetricsFile(folder)
    named = more.named or folder
    curves = curves_in(metrics)
    told = {"damaged": metrics.trouble} if metrics.trouble else {}
    report = RunReport(
        name=recipe.name,
        summary=summary(recipe, translator, progress, verdict) | told,
        curves=curves,
        scores=scores if scores is not None else _validation_scores(recipe, progress),
        samples=(shown := samples(recipe, translator, root, more.beside)),
        commands=[
            f"saccade predict {named}",
            f"saccade evaluate {named} --split valid",
            f"saccade train {named / 'recipe.yaml'} --resume --set training.max_epochs=20",
        ],
        recipe_yaml=recipe.to_yaml(),
        probes=probes(translator, shown[0].source if shown else ""),
        lengths=by_length(recipe, translator, root) if more.lengths else {},
        alarm=verdict.alarm if verdict else "",
        confused=confused(recipe, translator, root),
        within=within(recipe, translator, root),
    )
    write_text(path, training_report(report))
    return path


def standing(folder: Path) -> Progress:
    """Return where a run stood at its last checkpoint."""
    checkpoints = Checkpoints(folder)
    names = checkpoints.index().names
    if not names:
        raise CheckpointError(
            f"{folder}: has no checkpoints, so nobody knows how it was trained; expected a run"
            " folder. Give the folder that `saccade train` wrote."
        )
    return checkpoints.progress(names[-1])


def summary(
    recipe: Recipe, translator: Predictor, progress: Progress, verdict: Verdict | None = None
) -> dict[str, str]:
    """Say what a run cost, where it was made, and what it is better than."""
    best = progress.best
    judged = {"against a constant answer": verdict.comparison} if verdict else {}
    cost = {"training cost": f"about {progress.flops:.2e} FLOPs"} if progress.flops > 0 else {}
    return {
        "parameters": f"{translator.model.n_parameters:,}",
        "data": translator.codecs.describe(),
        "steps": f"{progress.step:,} ({progress.epoch} epochs)",
        "training time": clock(progress.seconds),
        **cost,
        "speed": f"{progress.tokens / max(progress.seconds, 1e-9):,.0f} target tokens a second",
        "best validation": "" if best is None else _figures(best.figures),
        **judged,
        "seed": str(recipe.seed),
        "machine": (
            f"{platform.machine()}, {torch.get_num_threads()} threads, torch {torch.__version__}"
        ),
    }


def read_curves(folder: Path) -> dict[str, list[tuple[float, float]]]:
    """Read the series of metrics.jsonl; of a step written twice the later counts."""
    return curves_in(MetricsFile(folder))


def curves_in(metrics: MetricsFile) -> dict[str, list[tuple[float, float]]]:
    """Read the series of a file, which then says what of it is damaged."""
    series: dict[str, dict[float, float]] = defaultdict(dict)
    for row in metrics.rows():
        if row["kind"] == "train":
            for name, key in (("training loss", "nll"), ("learning rate", "learning_rate")):
                if key in row:  # what is counted has neither
                    series[name][row["step"]] = row[key]
        elif row["kind"] == "valid":
            figures = {k: v for k, v in row.items() if k not in ("kind", "step", "epoch")}
            for name, value in figures.items():
                series[f"validation {name}"][row["step"]] = value
    return {name: sorted(points.items()) for name, points in series.items()}


def by_length(
    recipe: Recipe, translator: Predictor, root: Path = Path()
) -> dict[str, list[Bucket]]:
    """Decode the first test set, or the validation set, and measure it by source length."""
    reader = next(iter(recipe.data.test.values()), recipe.data.valid).build(root)
    examples = list(reader.read())
    found = evaluation.outputs_for(translator, examples)
    references = [list(example.references) for example in examples]
    return {
        part.build().name: evaluation.by_length(part, found, references)
        for part in recipe.decoding.metrics[:1]
    }


def confused(recipe: Recipe, translator: Predictor, root: Path = Path()) -> str:
    """Draw which characters of validation examples were read as which; "" if nobody counts them.

    A run that asks for `cer` does. No more examples are read than `_COUNTED`.
    """
    if not any(part.kind == "cer" for part in recipe.training.metrics):
        return ""
    examples = list(islice(recipe.data.valid.build(root).read(), _COUNTED))
    found = evaluation.outputs_for(translator, examples, quick(translator.model.quick))
    references = [list(example.references) for example in examples]
    outputs = [str(one.output) for one in found]
    if all(output in row for output, row in zip(outputs, references, strict=True)):
        return ""
    return characters_drawn(outputs, references).svg


def samples(
    recipe: Recipe,
    translator: Predictor,
    root: Path = Path(),
    beside: Mapping[str, Predictor] | None = None,
) -> list[ReportSample]:
    """Translate a few validation sentences, with where the model looked, and others `beside` it."""
    reader = next(iter(recipe.data.test.values()), recipe.data.valid).build(root)
    examples = [example for example, _ in zip(reader.read(), range(_SAMPLES), strict=False)]
    found = translator.predict([translator.given(example) for example in examples])
    return [
        ReportSample(
            source="" if translation.grid[1:] else translation.source_text,
            reference=" | ".join(translator.target.shown(r) for r in example.references),
            output=translator.target.shown(translation.output),
            score=translation.score if translator.target.vocabulary else None,
            picture=_pictures(translation, example, recipe.name, beside or {})
            or addresses_of(translator, translation),
            sound=(sound := sound_of(translation)),
            voiced=[VoicedWord(*astuple(one)) for one in translation.times] if sound else (),
        )
        for example, translation in zip(examples, found, strict=True)
    ]


def _pictures(
    prediction: Prediction, example: Example, name: str, beside: Mapping[str, Predictor]
) -> str:
    """Draw what a model made of an example, and below it what others did."""
    if not beside:
        return picture_of(prediction, example)
    found = {other: one.predict(one.given(example)) for other, one in beside.items()}
    drawn = {other: (one, one.drawing()) for other, one in {name: prediction, **found}.items()}
    rows = {f"{other}: {one.text}": drawing for other, (one, drawing) in drawn.items() if drawing}
    return stacked("Side by side", rows).svg if rows else ""


def within(recipe: Recipe, translator: Predictor, root: Path = Path()) -> dict[str, str]:
    """Draw the self-attention of the first sample: every head, or layers where they are many."""
    if not translator.self_attention_names:
        return {}
    reader = next(iter(recipe.data.test.values()), recipe.data.valid).build(root)
    found = [translator.predict(translator.given(one)) for one in islice(reader.read(), 1)]
    return {
        f"{title}: {found[0].source_title} → {found[0].text}": drawn.html
        for title, drawn in (within_drawings(found[0]) if found else {}).items()
    }


def sound_of(prediction: Prediction) -> str:
    """Return the source as a data URI, if it is a sound that is not too long to stand in a page."""
    heard = prediction.view == "spectrogram" and len(prediction.arrays) == 1
    text = prediction.source_text if heard else ""
    return text if len(text) <= _LONGEST else ""


def picture_of(prediction: Prediction, example: Example) -> str:
    """Draw an output beside what was to come, or where the model looked; "" if neither is known."""
    if prediction.looker.target.chart:
        truth = example.target
        truth = prediction.looker.target.read(truth) if isinstance(truth, str) else truth
        return output_drawing(prediction, truth).svg
    drawn = prediction.drawing()
    return drawn.svg if drawn else ""


def addresses_of(predictor: Predictor, prediction: Prediction) -> str:
    """Draw where the heads of a memory were; "" if the model has none."""
    there = has_memory(predictor.model)
    return addresses_drawing(predictor, prediction).svg if there else ""


def probes(translator: Predictor, sample: str) -> list[Probe]:
    """Show what the model makes of nonsense; `sample` is an ordinary input."""
    return [
        Probe(
            one.name,
            one.translation.source_text,
            translator.target.shown(one.translation.output),
            [flag.message for flag in one.translation.flags],
        )
        for one in probe_nonsense(translator, sample)
    ]


def write_card(
    folder: Path,
    recipe: Recipe,
    translator: Predictor,
    progress: Progress,
    verdict: Verdict | None = None,
    named: Path | None = None,
) -> None:
    """Write README.md, a short model card; `named` is the folder's name to be, if it gets one."""
    facts = summary(recipe, translator, progress, verdict)
    rows = "\n".join(f"| {k} | {_cell(v)} |" for k, v in facts.items())
    alarm = f"> **{_cell(verdict.alarm)}**\n\n" if verdict and verdict.alarm else ""
    text = (
        f"# {recipe.name}\n\n{alarm}A sequence-to-sequence model trained with saccade.\n\n"
        f"| | |\n|---|---|\n{rows}\n\n"
        "`recipe.yaml` is the whole recipe, `saccade.json` names versions and hashes of the data."
        "\n\n```\n"
        f"saccade predict {named or folder}\n```\n\n"
        "It has learned from the pairs of its recipe alone: on other kinds of data it may fail, and"
        " on nonsense it may invent.\n"
    )
    write_text(folder / "README.md", text)


def _cell(text: str) -> str:
    """Keep a text in one cell of a table, and as it is: answers may hold any sign."""
    return re.sub(r"([\\|*`<\[])", r"\\\1", " ".join(text.split()))


def _validation_scores(recipe: Recipe, progress: Progress) -> list[ScoreRow]:
    best = progress.best
    figures = best.figures if best else {}
    labels = {"loss": "loss"} | evaluation.labels_of(recipe.training.metrics, ["loss"])
    return [
        ScoreRow("valid", labels.get(k, k), None, v, None, None, "") for k, v in figures.items()
    ]


def _figures(figures: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:.3f}" for name, value in figures.items())
