"""The verb that measures a model on a split."""

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from saccade import run
from saccade.cli.files import note_files
from saccade.cli.inspect import show
from saccade.cli.options import Beam, Device, Engine, Metrics, Model, Quantise, note
from saccade.cli.parts import part_of
from saccade.cli.streams import output
from saccade.cli.tables import show_table
from saccade.data.files import held_out
from saccade.engines._devices import checked_device
from saccade.engines._open import load
from saccade.errors import DataError
from saccade.folders import model as folders
from saccade.folders.fusion import write_confusions
from saccade.folders.identity import read_plan
from saccade.look.pictures import character_drawing, confusion_drawing, length_drawing
from saccade.metrics._characters import confusion_counts
from saccade.metrics.base import Metric
from saccade.parts import Part
from saccade.predict.decode import Decode
from saccade.predict.evaluation import (
    Evaluation,
    Figure,
    WithoutModel,
    without_unknown,
)
from saccade.predict.linking import alignment_error
from saccade.views.drawing import Drawing, checked_path

Json = Annotated[
    str | None, typer.Option("--json", help="Write JSON to this file; - is standard output.")
]


def evaluate(
    model: Model,
    split: Annotated[
        str | None,
        typer.Option(
            "--split",
            help="valid, or a name of data.test; the first test if not given. all: every test.",
        ),
    ] = None,
    metrics: Metrics = None,
    beam: Beam = None,
    json_file: Json = None,
    outputs: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the model's outputs to this file.")
    ] = None,
    by_length: Annotated[
        bool, typer.Option("--by-length", help="Show the first metric by source length too.")
    ] = False,
    confusion: Annotated[
        Literal["text", "words", "characters"] | None,
        typer.Option(
            "--confusion",
            help="Show what is taken for what: whole texts, words place by place, or characters.",
        ),
    ] = None,
    confusions: Annotated[
        Path | None,
        typer.Option(
            "--confusions", help="Write how often each character was read as each, to mend by."
        ),
    ] = None,
    unknown: Annotated[
        bool,
        typer.Option(
            "--without-unknown", help="Measure examples without unknown words by themselves too."
        ),
    ] = False,
    gold: Annotated[
        Path | None,
        typer.Option(
            "--gold",
            metavar="FILE",
            help="Links of words by people, 0-3 sure and 0p3 possible, a line for each example: how"
            " far the model's attention is from them.",
        ),
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option(
            "--picture", help="Draw --by-length, or --confusion: FILE.svg, .html, .png or .pdf."
        ),
    ] = None,
    engine: Engine = None,
    quantise: Quantise = "",
    device: Device = "cpu",
) -> None:
    """Decode a split of the model's recipe and measure it, with 95 % bootstrap intervals.

    Beside the model stands a constant answer, such as the most frequent target of the training
    data. Any engine may write the outputs; how likely the model finds the references is torch's
    to say.

    [dim]Examples:[/dim]

      saccade evaluate runs/demo

      saccade evaluate runs/demo --split valid --metric ter --beam 1 --json scores.json

      saccade evaluate runs/demo --metric bleu --by-length --picture length.svg

      saccade evaluate runs/stories --split all     [dim](every test set, and the mean)[/dim]

      saccade evaluate runs/labels --metric f1 --confusion text --picture confusion.svg

      saccade evaluate runs/aligned --gold links.txt     [dim](the alignment error rate)[/dim]

      saccade evaluate runs/demo --engine ctranslate2 --quantise int8
    """
    checked_device(device)
    if picture:
        checked_path(picture, "--picture")
    chosen = [part_of(Metric, name) for name in metrics or []]
    recipe = read_plan(model).recipe
    if split == "all" and split not in recipe.data.test:
        _evaluate_all(model, list(recipe.data.test), chosen, Decode(beam), json_file)
        return
    split = split or next(iter(recipe.data.test), "valid")
    note_files(model, held_out(recipe).get(split))
    opened = None
    if engine or quantise:
        opened = load(model, device=device, engine=engine, quantise=quantise)
    with output(outputs) as file:
        found = run.evaluate(
            model,
            split,
            metrics=chosen,
            device=device,
            opened=opened,
            decode=Decode(beam),
        )
        if outputs:
            file.writelines(f"{t.text}\n".encode() for t in found.predictions)
    _count(confusions, found)
    measured = chosen or recipe.decoding.metrics
    known = without_unknown(measured, found) if unknown else {}
    plain = {"model": str(model), **found.plain()}
    if unknown:
        figures = {name: figure.plain() for name, figure in known.items()}
        plain["without_unknown"] = {"examples": len(found.known), "metrics": figures}
    linked = None
    if gold is not None:
        predictor = folders.load(model, device=device)
        linked = alignment_error(predictor, found.examples, gold)
        plain["alignment"] = linked.plain()
    publish(json_file, plain)
    if json_file != "-":
        show_evaluation(f"{model} on {split}: {len(found.examples):,} examples", found)
        if unknown:
            show_figures(f"without unknown words: {len(found.known):,} examples", known)
        if linked is not None:
            typer.echo(linked.line())
    _draw_asked(
        found, measured[:1], confusion, picture, by_length=by_length, quiet=json_file == "-"
    )


def _draw_asked(
    found: Evaluation,
    metrics: Sequence[Part[Metric]],
    confusion: Literal["text", "words", "characters"] | None,
    picture: Path | None,
    *,
    by_length: bool,
    quiet: bool,
) -> None:
    """Draw what is taken for what, and the metric by length, as far as somebody asked."""
    if confusion:
        if confusion == "characters":
            drawing = character_drawing(found)
        else:
            drawing = confusion_drawing(found, confusion)
        _draw(drawing, picture, to_terminal=not quiet)
    if metrics and (by_length or (picture and not confusion)):
        place = None if confusion else picture
        _draw(length_drawing(metrics[0], found), place, to_terminal=not quiet)


def _evaluate_all(
    model: Path,
    splits: Sequence[str],
    metrics: Sequence[Part[Metric]],
    decode: Decode,
    json_file: str | None,
) -> None:
    """Measure every test set by itself, and show the plain mean over them."""
    found = {name: run.evaluate(model, name, metrics=metrics, decode=decode) for name in splits}
    if not found:
        raise DataError(f"{model}: its recipe has no data.test; expected some. Use --split valid.")
    first = next(iter(found.values())).figures
    means = {
        name: sum(one.figures[name].score.value for one in found.values()) / len(found)
        for name in first
    }
    plain = {"model": str(model), "splits": {name: one.plain() for name, one in found.items()}}
    publish(json_file, {**plain, "mean": means})
    if json_file == "-":
        return
    rows = [
        [name, f"{len(one.examples):,}", *(f"{f.score.value:.2f}" for f in one.figures.values())]
        for name, one in found.items()
    ]
    rows.append(["mean", "", *(f"{mean:.2f}" for mean in means.values())])
    titles = [figure.title for figure in first.values()]
    show_table(f"{model} on every test set", ["test set", "examples", *titles], rows)


def _draw(drawing: Drawing, picture: Path | None, *, to_terminal: bool) -> None:
    if to_terminal:
        show(drawing, None)
    if picture:
        show(drawing, picture)


def _count(path: Path | None, found: Evaluation) -> None:
    """Write how often each character was read as each, if a file is named."""
    if path is not None:
        references = [list(example.references) for example in found.examples]
        read = [one.text for one in found.predictions]
        write_confusions(path, confusion_counts(read, references))


def show_evaluation(title: str, found: Evaluation) -> None:
    """Show the figures of a model, beside those of what needs none."""
    if found.baselines:
        _show_forecasts(title, found)
    elif found.figures:
        show_figures(title, found.figures, found.constant)
    if found.constant and found.constant.answer:
        note(f"The constant answer is {found.constant.answer}.")
    note(_likelihood(found))


def _show_forecasts(title: str, found: Evaluation) -> None:
    """Show a forecaster beside the forecasts that need no model."""
    rows = []
    for name, figure in found.figures.items():
        near = f"{figure.interval.low:.4g} to {figure.interval.high:.4g}"
        rows.append([figure.title, "the model", f"{figure.score.value:.4g}", near, ""])
        for naive, figures in found.baselines.items():
            if name not in figures:
                continue
            value, skill = figures[name].score.value, found.skill(name, naive)
            rows.append(["", naive, f"{value:.4g}", "", _compared(skill)])
        if found.constant and name in found.constant.figures:
            value = found.constant.figures[name]
            skill = 1 - figure.score.value / value if value else None
            rows.append(["", found.constant.answer, f"{value:.4g}", "", _compared(skill)])
    show_table(title, ["error", "forecast", "value", "95 % interval", "the model's error is"], rows)


def _compared(skill: float | None) -> str:
    if skill is None:
        return "–"
    return f"{100 * abs(skill):.1f} % {'less' if skill >= 0 else 'more'}"


def _likelihood(found: Evaluation) -> str:
    """Say how likely the references are, and how long decoding took if there was any."""
    likely = found.likelihood
    if likely is None:
        return f"Predicted in {found.seconds:.1f} s."
    nats = likely.nats_per_character
    said = (
        f"Perplexity {likely.perplexity:.3f} a piece; {nats:.4f} nats or"
        f" {nats / math.log(2):.4f} bits a character"
    )
    said += f"; decoded in {found.seconds:.1f} s." if found.predictions else "."
    floor = found.constant.likelihood if found.constant else None
    if floor is not None:
        said += (
            f" Symbols by their frequency in training: perplexity {floor.perplexity:.3f};"
            f" {floor.nats_per_character:.4f} nats a character."
        )
    return said


def publish(place: str | None, content: dict[str, Any]) -> None:
    """Write JSON to a file or standard output, if one is named."""
    if place is not None:
        with output(Path(place)) as file:
            file.write(json.dumps(content, ensure_ascii=False, indent=1).encode() + b"\n")


def show_figures(
    title: str, figures: dict[str, Figure], constant: WithoutModel | None = None
) -> None:
    """Show figures in a table, a constant answer's below each."""
    rows = []
    for name, figure in figures.items():
        near = f"{figure.interval.low:.2f} to {figure.interval.high:.2f}"
        way = "higher" if figure.score.higher_is_better else "lower"
        rows.append([figure.title, f"{figure.score.value:.2f}", near, way, figure.score.signature])
        if constant and name in constant.figures:
            rows.append(["  a constant answer", f"{constant.figures[name]:.2f}", "", "", ""])
    show_table(title, ["metric", "value", "95 % interval", "better is", "signature"], rows)
