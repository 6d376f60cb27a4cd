"""The verb that shows it all: train a small embedded task and look at what it learned."""

import shutil
import sys
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from saccade import recipe as recipes
from saccade import run, starters
from saccade.cli.options import note
from saccade.cli.tables import error_console, show_table
from saccade.cli.translate import draw_attention
from saccade.data.prepare import prepare
from saccade.folders import model as folders
from saccade.look.report import write_report
from saccade.native.searcher import fastest_searcher
from saccade.nouns import Example
from saccade.predict.decode import GREEDY
from saccade.predict.evaluation import Evaluation, figures_of, outputs_for
from saccade.predict.predictor import Predictor
from saccade.recipe import Recipe
from saccade.views.report import ScoreRow

_BEFORE = 200  # sentences that the untrained model decodes
_SHOWN = 3


def demo(
    task: Annotated[
        str, typer.Argument(help=f"What to learn: {', '.join(starters.demos())}.")
    ] = "english_french",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where to write; runs/TASK if not given.")
    ] = None,
) -> None:
    """Train a small model on data that ships with the package, and show what it learned.

    English to French takes about two minutes on two cores of a current server (AMD Zen 5), dates
    and captions about one. The log says how long it takes on your machine.

    [dim]Examples:[/dim]

      saccade demo

      saccade demo dates -o runs/dates
    """
    name = starters.demo_named(task)
    folder = output or Path("runs") / name
    recipe = recipes.parse(starters.text_of(name), f"starter {name}")
    note(f"Learning {task} from pairs that ship with saccade; the recipe: saccade init {name}")
    before = _untrained(recipe)
    result = run.train(recipe, folder, overwrite=True, console=error_console())
    found = run.evaluate(folder, next(iter(recipe.data.test)))
    _samples(result.predictor, found.examples)
    rows = _rows(before, found)
    standing = result.progress
    report = write_report(folder, recipe, result.predictor, standing, rows, verdict=result.verdict)
    _show(rows, len(found.examples))
    note(f"\nThe report is {report}; open it in a browser. What to type next:")
    for command in (
        f"translate {folder}",
        f"evaluate {folder}",
        f"doctor {folder}",
        f"serve {folder}     # a page to look at it with",
        "fit pairs.tsv     # your own pairs",
    ):
        note(f"  {_program()} {command}")


def _program() -> str:
    """Say what to type for this program: its name, or where it is if the shell does not find it."""
    here = Path(sys.argv[0])
    return "saccade" if shutil.which("saccade") or here.name != "saccade" else str(here)


def _untrained(recipe: Recipe) -> dict[str, float]:
    """Measure the model before its first step, by greedy search on the first test sentences."""
    codecs = prepare(recipe, Path()).codecs
    model = folders.build_model(recipe, codecs)
    searcher = fastest_searcher(model)
    predictor = Predictor(model, codecs, recipe.decoding, searcher=searcher)
    reader = next(iter(recipe.data.test.values())).build(Path())
    examples = list(islice(reader.read(), _BEFORE))
    outputs = [one.output for one in outputs_for(predictor, examples, GREEDY)]
    references = [list(example.references) for example in examples]
    figures = figures_of(recipe.decoding.metrics, outputs, references)
    return {name: figure.score.value for name, figure in figures.items()}


def _samples(translator: Predictor, examples: list[Example]) -> None:
    """Translate a few sentences that were held out, and draw where the model looked."""
    typer.echo("\nSentences the model has never seen:\n")
    for example in examples[:_SHOWN]:
        translation = translator.predict(example.sources)
        right = "as the reference" if translation.output == example.target else example.target
        shown = "" if translation.grid[1:] else f"  {translation.source_text}\n"
        typer.echo(f"{shown}→ {translation.text}   ({right})\n")
        draw_attention(translation)


def _rows(before: dict[str, float], found: Evaluation) -> list[ScoreRow]:
    return [
        ScoreRow(
            found.split,
            figure.title,
            before.get(name),
            figure.score.value,
            figure.interval.low,
            figure.interval.high,
            figure.score.signature,
        )
        for name, figure in found.figures.items()
    ]


def _show(rows: list[ScoreRow], n: int) -> None:
    lines = [
        [
            row.metric,
            f"{row.before or 0.0:.2f}",
            f"{row.after:.2f}",
            f"{row.low:.2f} to {row.high:.2f}",
        ]
        for row in rows
    ]
    headers = ["metric", "before training", "after", "95 % interval"]
    show_table(f"On {n:,} held-out sentences", headers, lines)
