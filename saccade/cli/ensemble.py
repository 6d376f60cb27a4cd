"""The verb that lets several models write together."""

from pathlib import Path
from typing import Annotated

import typer

from saccade.cli.options import note
from saccade.folders.ensemble import ensemble as written


def ensemble(
    models: Annotated[
        list[Path], typer.Argument(metavar="MODEL...", help="Model folders, two or more.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The model folder to write.")],
) -> None:
    """Write a model that is several others: each step takes the mean of their probabilities.

    They may differ in seed and architecture, but must read and write the same symbols. The new
    folder holds all of them, and every verb opens it like any other. It searches as the first does.

    [dim]Example:[/dim]

      saccade ensemble runs/seed-1 runs/seed-2 runs/seed-3 -o runs/three
    """
    recipe = written(models, output)
    kinds = [part.kind for part in recipe.model.options["members"]]
    note(f"Wrote {output}: {len(kinds)} models ({', '.join(kinds)}). Nothing was trained.")
