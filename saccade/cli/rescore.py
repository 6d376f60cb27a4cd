"""The verb that lets one model choose among the outputs of another."""

from pathlib import Path
from typing import Annotated

import typer

from saccade.cli.files import note_files
from saccade.cli.options import Device, Model, note
from saccade.cli.streams import output
from saccade.cli.tables import show_table
from saccade.data.files import held_out
from saccade.engines._devices import checked_device
from saccade.experiments.rescoring import rescore as rescored
from saccade.folders.identity import read_plan
from saccade.predict.evaluation import Figure


def rescore(
    model: Model,
    by: Annotated[
        Path, typer.Argument(metavar="BY", help="A model folder; it weighs the outputs.")
    ],
    split: Annotated[
        str, typer.Option("--split", help="What to measure; the first test set if not given.")
    ] = "",
    n_best: Annotated[
        int, typer.Option("--nbest", help="Outputs to choose from.", min=2, max=1000)
    ] = 20,
    target: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the chosen outputs to this file.")
    ] = None,
    device: Device = "cpu",
) -> None:
    """Let one model write n outputs and another choose, as a network rescores phrases.

    The total is the score of MODEL plus w times the log-probability by BY. The weight w is the
    best of a few on the validation set, by the first metric of MODEL's recipe.

    [dim]Examples:[/dim]

      saccade rescore runs/phrase-multi30k-de-en runs/bahdanau --nbest 50
    """
    checked_device(device)
    recipe = read_plan(model).recipe
    split = split or next(iter(recipe.data.test), "valid")
    note_files(model, recipe.data.valid)
    note_files(model, held_out(recipe).get(split))
    with output(target) as file:
        found = rescored(model, by, split, n_best, device=device)
        if target:
            file.writelines(f"{text}\n".encode() for text in found.outputs)
    name = found.before.title
    rows = [[f"{w:g}", f"{value:.2f}"] for w, value in found.tried.items()]
    show_table(f"{name} on the validation set, by weight", ["weight", name], rows)
    rows = [
        [what, *_cells(one)]
        for what, one in (("its own best", found.before), ("rescored", found.after))
    ]
    show_table(f"{split}, the best of {n_best}", ["", name, "95 % interval"], rows)
    note(f"Weight {found.weight:g}; p of the difference {found.p_value:.3f}.")


def _cells(figure: Figure) -> list[str]:
    near = figure.interval
    return [f"{figure.score.value:.2f}", f"{near.low:.2f} to {near.high:.2f}"]
