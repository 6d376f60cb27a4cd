"""Forecasters put to work: what training, measuring and drawing need beyond models of text."""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from saccade.data.batching import Batches
from saccade.data.prepare import batches_of
from saccade.data.windows import collate, measured, read_windows
from saccade.errors import DataError, RecipeError
from saccade.folders import model as folders
from saccade.learners._bench import Bench
from saccade.look.report import read_curves, standing
from saccade.metrics.base import Metric
from saccade.modalities._numbers import Scales, parse, written
from saccade.models.base import Model
from saccade.nouns import Example
from saccade.objectives.squared_error import squared_error
from saccade.parts import Part
from saccade.predict.evaluation import Figure, figures_of, name_of
from saccade.predict.forecaster import Forecast, Predictor, last_season, last_value
from saccade.predict.translator import Translator
from saccade.recipe import Recipe
from saccade.train import weights
from saccade.train.files import write_text
from saccade.train.log import clock
from saccade.train.progress import Progress
from saccade.views import forecast as view
from saccade.views.drawing import Drawing, colourless
from saccade.views.report import RunReport, ScoreRow, training_report

_SHOWN = 6  # forecasts in a report


class NumberBench(Bench):
    """Scales, windows and a predictor; arguments as those of `TextBench`.

    The validation loss is the squared error of free-running forecasts, whatever is trained on.
    """

    def __init__(
        self, recipe: Recipe, root: Path, device: str, resume: Path | None, start_from: Path | None
    ) -> None:
        settings, base = recipe.training, resume or start_from
        readers = [part.build(root) for part in recipe.data.train]
        valid = recipe.data.valid.build(root)
        self.scales = folders.read_scales(base) if base else measured(readers)
        model = folders.build_forecaster(recipe, self.scales)
        if start_from and not resume:
            tensors, where = folders.read_weights(start_from)
            weights.put(model, tensors, where)
            self.started = f"Started from {where}."
        self.recipe, self.root, self.model = recipe, root, model.to(device)
        hashes = {f"train {i + 1}": reader.fingerprint() for i, reader in enumerate(readers)}
        self.hashes = {**hashes, "valid": valid.fingerprint()}
        stores = [read_windows(reader, self.scales) for reader in readers]
        size = settings.batch_tokens
        self.batches = batches_of(recipe, stores, size, collate)
        self.valid = batches_of(recipe, [read_windows(valid, self.scales)], size, collate)
        self.examples = list(valid.read()) if settings.metrics else []
        self.predictor = Predictor(self.model, self.scales, recipe.decoding)
        self.objective = settings.objective.build(_no_text)

    @property
    def translator(self) -> Translator:
        """None: say so."""
        raise RecipeError(
            f"model {self.recipe.model.kind}: writes numbers, so it is no translator; expected a"
            " model of text. Open its folder with saccade.load_forecaster."
        )

    @property
    def sizes(self) -> dict[str, str]:
        """How many columns there are, and how far the forecast goes."""
        return sizes_of(self.scales)

    def measure(self) -> dict[str, float]:
        """Return the mean squared error on the training scale, and every metric."""
        figures = {"loss": error_of(self.model, self.valid)}
        self.model.eval()
        outputs = [forecast.text for forecast in forecasts_of(self.predictor, self.examples)]
        references = [example.target for example in self.examples]
        for part in self.recipe.training.metrics:
            figures[name_of(part, figures)] = part.build().corpus(outputs, references).value
        return figures

    def identify(self, folder: Path) -> None:
        """Write recipe, scales and hashes."""
        folders.write_forecaster(folder, self.recipe, self.scales, self.hashes)

    def resumed(self, folder: Path) -> None:
        """Nothing gets lost."""

    def present(self, folder: Path, progress: Progress) -> None:
        """Write README.md and report.html."""
        write_card(folder, self.recipe, self.predictor, progress)
        write_report(folder, self.recipe, self.predictor, progress, root=self.root)


def sizes_of(scales: Scales) -> dict[str, str]:
    """Say what a forecaster reads and writes."""
    read, wanted = len(scales.source), len(scales.target)
    return {"columns": f"{read} read, {wanted} forecast", "horizon": f"{scales.horizon} steps"}


def _no_text(ids: Iterable[int]) -> str:
    """Stand in for the decoder of a vocabulary, which objectives of numbers do not use."""
    return " ".join(map(str, ids))


@torch.inference_mode()
def error_of(model: Model, batches: Batches) -> float:
    """Return the mean squared error of free-running forecasts, on the training scale."""
    model.eval()
    device = next(model.parameters()).device
    losses = [squared_error(model, batch.to(device), free_running=True) for batch in batches]
    return sum(loss.total.item() for loss in losses) / sum(loss.count for loss in losses)


def forecasts_of(predictor: Predictor, examples: list[Example]) -> list[Forecast]:
    """Forecast as many steps of every window as are known of what came."""
    lengths = [len(parse(example.target, example.origin)) for example in examples]
    sources = [example.source for example in examples]
    whole = predictor.forecast(sources, steps=max(lengths, default=1))
    return [Forecast(f.window, f.values[:n]) for f, n in zip(whole, lengths, strict=True)]


@dataclass(frozen=True, slots=True)
class ForecastEvaluation:
    """What `saccade evaluate` found of a forecaster on one split.

    baselines: the same metrics of forecasts that need no model, by their name.
    """

    split: str
    examples: list[Example]
    forecasts: list[Forecast]
    figures: dict[str, Figure]
    baselines: dict[str, dict[str, Figure]]
    seconds: float

    def skill(self, metric: str, baseline: str) -> float | None:
        """Return the share of a baseline's error that the model does without: 1 is perfect.

        None if the baseline makes no error.
        """
        naive = self.baselines[baseline][metric].score.value
        return 1 - self.figures[metric].score.value / naive if naive else None

    def plain(self) -> dict[str, Any]:
        """Return what JSON can hold."""
        return {
            "split": self.split,
            "windows": len(self.examples),
            "seconds": round(self.seconds, 3),
            "metrics": {name: figure.plain() for name, figure in self.figures.items()},
            "baselines": {
                name: {metric: figure.plain() for metric, figure in figures.items()}
                for name, figures in self.baselines.items()
            },
            "skill": {
                name: {metric: self.skill(metric, name) for metric in self.figures}
                for name in self.baselines
            },
        }


def evaluate(
    folder: Path,
    split: str = "test",
    *,
    metrics: Iterable[Part[Metric]] = (),
    device: str = "cpu",
    root: Path = Path(),
) -> ForecastEvaluation:
    """Forecast every window of a named split of the model's recipe and measure it.

    Beside it stand the forecasts that nothing changes and, with `decoding.season`, that the last
    season comes again.
    """
    recipe, examples = folders.read_plan(folder).recipe, split_of(folder, split, root)
    predictor = folders.load_forecaster(folder, device=device)
    chosen = list(metrics) or recipe.decoding.metrics
    started = time.monotonic()
    found = forecasts_of(predictor, examples)
    seconds = time.monotonic() - started
    references = [example.target for example in examples]
    figures = figures_of(chosen, [forecast.text for forecast in found], references)
    naive = _naive(found, recipe.decoding.season)
    baselines = {name: figures_of(chosen, texts, references) for name, texts in naive.items()}
    return ForecastEvaluation(split, examples, found, figures, baselines, seconds)


def split_of(folder: Path, split: str, root: Path = Path()) -> list[Example]:
    """Read the windows of a split of the folder's recipe."""
    recipe = folders.read_plan(folder).recipe
    readers = {"valid": recipe.data.valid, **recipe.data.test}
    if split not in readers:
        raise RecipeError(f"{folder}: no split '{split}'; there are {', '.join(readers)}.")
    return list(readers[split].build(root).read())


def _naive(forecasts: list[Forecast], season: int) -> dict[str, list[str]]:
    """Return the forecasts that need no model, by name."""
    found = {"last value": [written(last_value(f.window, *f.values.shape)) for f in forecasts]}
    if season > 1:
        found["last season"] = [
            written(last_season(f.window, *f.values.shape, season=season)) for f in forecasts
        ]
    return found


def draw(predictor: Predictor, text: str, truth: str = "", *, column: int = 0) -> Drawing:
    """Draw a window, its forecast and, if it is known, what came; of one column, from 0."""
    came = parse(truth, "what came")
    forecast = predictor.forecast(text, steps=len(came) or None)
    if not 0 <= column < forecast.values.shape[1]:
        raise DataError(
            f"column {column} was asked for; expected 0 to {forecast.values.shape[1] - 1}, as that"
            " many are forecast. Change it."
        )
    shown = [forecast.window[:, column], forecast.values[:, column]]
    shown += [came[:, column]] if len(came) else []
    lists = [one.tolist() for one in shown]
    return Drawing(
        "Forecast",
        lambda: view.to_svg(*lists, title="Forecast"),
        colourless(lambda width: view.to_terminal(*lists, width=max(width, 20))),
        said=forecast.text,
    )


def summary(recipe: Recipe, predictor: Predictor, progress: Progress) -> dict[str, str]:
    """Say what a run cost."""
    best = progress.best
    figures = {} if best is None else best.figures
    return {
        "parameters": f"{weights.count(predictor.model):,}",
        **sizes_of(predictor.scales),
        "steps": f"{progress.step:,} ({progress.epoch} epochs)",
        "training time": clock(progress.seconds),
        "best validation": ", ".join(f"{name} {value:.3f}" for name, value in figures.items()),
        "seed": str(recipe.seed),
    }


def write_report(
    folder: Path, recipe: Recipe, predictor: Predictor, progress: Progress, *, root: Path = Path()
) -> Path:
    """Write report.html: curves, scores, and forecasts of held-out windows."""
    path, best = folder / "report.html", progress.best
    figures = best.figures if best else {}
    report = RunReport(
        name=recipe.name,
        summary=summary(recipe, predictor, progress),
        curves=read_curves(folder),
        scores=[ScoreRow("valid", k, None, v, None, None, "") for k, v in figures.items()],
        samples=(),
        commands=[f"saccade evaluate {folder}", f"saccade forecast {folder}"],
        recipe_yaml=recipe.to_yaml(),
        drawings=_drawings(recipe, predictor, root),
    )
    write_text(path, training_report(report))
    return path


def _drawings(recipe: Recipe, predictor: Predictor, root: Path) -> Mapping[str, str]:
    """Draw windows of the first test set, or of the validation set, at equal distances."""
    reader = next(iter(recipe.data.test.values()), recipe.data.valid).build(root)
    examples = list(reader.read())
    chosen = examples[:: max(len(examples) // _SHOWN, 1)][:_SHOWN]
    return {e.origin: draw(predictor, e.source, e.target).svg for e in chosen}


def rewrite_report(folder: Path, *, root: Path = Path(), device: str = "cpu") -> Path:
    """Write report.html anew from what a run has left so far; it may still be training."""
    recipe, progress = folders.read_plan(folder).recipe, standing(folder)
    predictor = folders.load_forecaster(folder, device=device)
    return write_report(folder, recipe, predictor, progress, root=root)


def write_card(folder: Path, recipe: Recipe, predictor: Predictor, progress: Progress) -> None:
    """Write README.md, a short model card."""
    rows = "\n".join(f"| {k} | {v} |" for k, v in summary(recipe, predictor, progress).items())
    text = (
        f"# {recipe.name}\n\nA forecaster of numbers trained with saccade.\n\n"
        f"| | |\n|---|---|\n{rows}\n\n"
        "`recipe.yaml` is the whole recipe, `scales.json` the mean and spread of its columns.\n\n"
        f"```\nsaccade forecast {folder.name}\n```\n\n"
        "It has learned from the past of its recipe alone: where the future is not like it, the"
        " forecast is wrong, and it does not say so.\n"
    )
    write_text(folder / "README.md", text)
