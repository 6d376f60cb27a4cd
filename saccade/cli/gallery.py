"""The verb that shows the best and the worst a model does."""

from pathlib import Path
from typing import Annotated

import typer

from saccade import run
from saccade.cli.files import note_files
from saccade.cli.options import Beam, Device, Model
from saccade.cli.parts import part_of
from saccade.cli.streams import output
from saccade.cli.tables import show_table
from saccade.data.files import held_out
from saccade.engines._devices import checked_device
from saccade.errors import RecipeError
from saccade.folders.identity import read_plan
from saccade.look.gallery import gallery_of, usual_metric
from saccade.metrics.base import Metric
from saccade.predict.decode import Decode
from saccade.views.gallery import HEADERS, cells, to_html


def gallery(
    model: Model,
    split: Annotated[
        str | None,
        typer.Option("--split", help="valid, or a name of data.test; the first test if not given."),
    ] = None,
    metric: Annotated[
        str | None,
        typer.Option("--metric", "-m", help="What to rank by, as chrf; the recipe's own."),
    ] = None,
    n: Annotated[int, typer.Option("--n", min=1, max=100, help="How many of each.")] = 8,
    target: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="FILE.html; gallery.html in MODEL if not given."),
    ] = None,
    beam: Beam = None,
    device: Device = "cpu",
) -> None:
    """Draw the best and the worst outputs of a split by a metric, with where the model looked.

    A table tells how widely it looked for nouns and for function words, if it writes English.

    [dim]Examples:[/dim]

      saccade gallery runs/demo

      saccade gallery runs/captions --split valid --metric chrf --n 4 -o gallery.html
    """
    checked_device(device)
    place = target or model / "gallery.html"
    if place.suffix.lower() != ".html":
        raise RecipeError(f"--output {place}: ends in '{place.suffix}'; expected .html. Rename it.")
    recipe = read_plan(model).recipe
    split = split or next(iter(recipe.data.test), "valid")
    ranked = part_of(Metric, metric) if metric else usual_metric(recipe.decoding.metrics)
    note_files(model, held_out(recipe).get(split))
    with output(place) as file:
        found = run.evaluate(model, split, metrics=[ranked], device=device, decode=Decode(beam))
        drawn = gallery_of(f"{recipe.name} on {split}", found, ranked, n=n)
        file.write(to_html(drawn).encode())
    if drawn.words:
        show_table(
            "How widely it looked for which words",
            list(HEADERS),
            [cells(row) for row in drawn.words],
        )
    typer.echo(place)
