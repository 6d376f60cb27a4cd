"""The verbs that look: inside a model at work on one sentence, and back at a run."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from saccade import run
from saccade.cells.base import Cell
from saccade.cli.files import note_files
from saccade.cli.options import Beam, Device, Model, coloured, note
from saccade.cli.parts import part_of
from saccade.cli.streams import named_input, output, picture_text, reads_pictures
from saccade.cli.tables import out_console
from saccade.engines._devices import checked_device
from saccade.engines._open import load
from saccade.errors import RecipeError
from saccade.folders.examples import example_of
from saccade.folders.identity import read_plan
from saccade.inspections.base import FIRST, Inspection, draw
from saccade.look import gradients, pictures
from saccade.parts import kinds
from saccade.predict.predictor import Predictor
from saccade.views.drawing import Drawing, checked_path

Picture = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="Write a picture: FILE.svg, .html, .png or .pdf."),
]

Beside = Annotated[
    list[Path] | None,
    typer.Option("--beside", metavar="MODEL", help="Another model, drawn below. May be repeated."),
]

_VIEWS = kinds(Inspection)


def inspect(
    model: Model,
    sentence: Annotated[
        str,
        typer.Argument(
            metavar="SENTENCE", help="What the model reads (a text, a picture file), or example:N."
        ),
    ],
    view: Annotated[
        str,
        typer.Option(
            "--view",
            "-v",
            help=f"What to look at: {', '.join(_VIEWS)}.",
            autocompletion=_VIEWS.copy,
        ),
    ] = FIRST,
    head: Annotated[
        str,
        typer.Option(
            "--head",
            help="Maps by name: layer 2, encoder layer 1 head 3, decoder; mean, max, all. Of gates:"
            " a layer, a unit as 3, or '3 of decoder 1'.",
        ),
    ] = "mean",
    word: Annotated[
        str,
        typer.Option(
            "--word",
            help="For --view steps and lines: a word of the input or output; it:2 is the second.",
        ),
    ] = "",
    words: Annotated[
        bool, typer.Option("--words", help="Join sub-words to words on the axes of attention.")
    ] = False,
    gold: Annotated[
        str,
        typer.Option(
            "--gold",
            help="For --view alignment: points people drew, as '0-0 1-2 3p4'. Of a story: the"
            " numbers of supporting sentences, as '1 3'.",
        ),
    ] = "",
    seed: Annotated[
        int | None,
        typer.Option("--seed", help="For --view canvas: draw by chance, as predict --sample."),
    ] = None,
    grid: Annotated[
        bool, typer.Option("--grid", help="Over a picture: the cells as they are, not smoothed.")
    ] = False,
    beside: Beside = None,
    target: Picture = None,
    beam: Beam = None,
    device: Device = "cpu",
) -> None:
    """See what a model does with a sentence: where it looked, what it searched, how sure it was.

    [dim]Examples:[/dim]

      saccade inspect runs/demo "She sees them."

      saccade inspect runs/demo "She sees them." --view beam --beam 4 -o beam.svg

      saccade inspect runs/demo "She sees them." --view distribution -o distribution.html

      saccade inspect runs/demo "She sees them." --view steps --word voit

      saccade inspect runs/sunspots example:3     [dim](a forecaster: an example, or numbers)[/dim]

      saccade inspect runs/draw example:3 --view canvas     [dim](a copy; 3 --seed 7 invents)[/dim]

      saccade inspect runs/soft dog.jpg --beside runs/hard -o dog.html     [dim](pictures)[/dim]
    """
    if target:
        checked_path(target)
    checked_device(device)

    def drawn(folder: Path) -> Drawing:
        predictor = load(folder, device=device)
        given, truth = _given(model, predictor, sentence)
        if predictor.target.chart and view == FIRST:
            far = truth is not None and not predictor.target.ends
            found = predictor.predict(given, steps=len(truth) if far else None)
            drawing = pictures.output_drawing(found, truth)
            return drawing if drawing.said else replace(drawing, said=found.text)
        marked = gold or _supporting(model, sentence)
        if view == "canvas" and truth is not None and seed is None:
            marked = gold or predictor.target.write(truth)
        how: dict[str, Any] = {"head": head, "words": words, "beam": beam, "gold": marked}
        return draw(predictor, given, view, **how, smoothly=not grid, seed=seed, word=word)

    drawings = {str(folder): drawn(folder) for folder in (model, *(beside or []))}
    drawing = pictures.draw_beside(drawings) if beside else drawings[str(model)]
    note(drawing.said)
    show(drawing, target)


def _given(model: Path, predictor: Predictor, asked: str) -> tuple[Any, Any]:
    """Return what is asked for, and the truth if it is known: `example:N` is one of the folder."""
    word, _, digits = asked.partition(":")
    if word != "example" or not digits.isdecimal():
        if digits.isdecimal() and predictor.source.vocabulary is None:
            raise RecipeError(
                f"{asked}: inspect does not read the data that a recipe names; expected example:N,"
                " one of those that the model folder carries, or numbers. Write example:1."
            )
        return read_given(predictor, asked), None
    example = example_of(model, digits)
    missing = [name for name in predictor.sources if name not in example.sources]
    if missing:
        raise RecipeError(
            f"{asked}: an example of {model} has no source '{missing[0]}', which --beside reads;"
            " expected models of the same sources. Compare others."
        )
    given = {name: example.sources[name] for name in predictor.sources}
    return given, predictor.target.read(example.target)


def _supporting(model: Path, asked: str) -> str:
    """Return the numbers of the sentences that the answer of `example:N` follows from."""
    word, _, digits = asked.partition(":")
    if word != "example" or not digits.isdecimal():
        return ""
    return " ".join(str(place + 1) for place in example_of(model, digits).supporting)


def read_given(predictor: Predictor, asked: str) -> str | dict[str, str]:
    """Return an input; a picture may be a file."""
    seen = [name for name, codec in predictor.sources.items() if reads_pictures(codec)]
    if len(predictor.sources) == 1:
        return picture_text(asked) if seen else asked
    named = named_input(asked, predictor.sources, "inspect")
    return {name: picture_text(one) if name in seen else one for name, one in named.items()}


def flow(
    model: Annotated[
        Path | None,
        typer.Argument(metavar="[MODEL]", help="A model folder; untrained cells if not given."),
    ] = None,
    cells: Annotated[
        list[str] | None,
        typer.Option(
            "--cell",
            "-c",
            metavar="NAME",
            help="A cell, as lstm or lstm:forget_bias=0. May be repeated.",
        ),
    ] = None,
    length: Annotated[int, typer.Option("--length", help="Steps of the sequence.")] = 100,
    hidden: Annotated[int, typer.Option("--hidden", help="Width of untrained cells.", min=1)] = 64,
    target: Picture = None,
    device: Device = "cpu",
) -> None:
    """See how far back a gradient reaches: through a model's layers, or through untrained cells.

    [dim]Examples:[/dim]

      saccade gradients

      saccade gradients --cell elman --cell lstm --length 200 -o gradients.svg

      saccade gradients runs/demo --length 60
    """
    if target:
        checked_path(target)
    if model is not None and cells:
        raise RecipeError(
            "gradients: both a model and --cell were given; expected one of them. Leave one out."
        )
    if model is not None:
        checked_device(device)
        found = gradients.through_model(load(model, device=device), length=length)
        show(
            pictures.flow_drawing(found, f"Gradient through the layers of {model.absolute().name}"),
            target,
        )
        return
    chosen = [part_of(Cell, text) for text in cells or []]
    found = gradients.through_cells(chosen, length=length, hidden=hidden)
    show(pictures.flow_drawing(found, "Gradient through untrained cells"), target)


def show(drawing: Drawing, target: Path | None) -> None:
    """Print a picture, or write it to a file."""
    if target is None:
        typer.echo(drawing.terminal(max(out_console().width, 20), colour=coloured()), nl=False)
        return
    with output(target) as file:
        file.write(drawing.encoded(target.suffix))
    note(f"The picture is {target}.")


def report(
    run_folder: Annotated[Path, typer.Argument(metavar="RUN", help="A run folder.")],
    by_length: Annotated[
        bool, typer.Option("--by-length", help="Decode the first test set: score by length.")
    ] = False,
    beside: Beside = None,
    device: Device = "cpu",
) -> None:
    """Write a run's report.html anew: curves, samples, attention. It may still be training.

    [dim]Examples:[/dim]

      saccade report runs/demo

      saccade report runs/soft --beside runs/hard     [dim](both looks at every sample)[/dim]
    """
    checked_device(device)
    recipe = read_plan(run_folder).recipe
    note_files(run_folder, next(iter(recipe.data.test.values()), recipe.data.valid))
    typer.echo(run.report(run_folder, device=device, lengths=by_length, beside=beside or ()))
