"""The verbs around recipes: show, check, list the parts, write a starter."""

from pathlib import Path
from typing import Annotated

import typer

from saccade import recipe as recipes
from saccade import starters
from saccade.cli import catalogue
from saccade.cli.options import Sets, complain, note
from saccade.cli.tables import show_table
from saccade.data.files import check_files, readers_of
from saccade.errors import DataError, RecipeError
from saccade.parts import Part
from saccade.readers.base import Reader


def show(
    recipe: Annotated[
        Path, typer.Argument(metavar="RECIPE|FOLDER", help="A recipe, or a folder that holds one.")
    ],
    sets: Sets = None,
) -> None:
    """Print a recipe with every default filled in.

    [dim]Example:[/dim]

      saccade recipe show recipe.yaml --set model.decoder.attention.kind=dot
    """
    path = recipe / "recipe.yaml" if recipe.is_dir() else recipe
    typer.echo(recipes.load(path, sets or []).to_yaml(), nl=False)


def check(
    paths: Annotated[list[Path], typer.Argument(metavar="RECIPE...", help="Recipes to check.")],
) -> None:
    """Check recipes, and look for the files that they name; report everything at once.

    Exits with 2 if a recipe is wrong, else with 1 if a file is missing.

    [dim]Example:[/dim]

      saccade recipe check recipes/*/*.yaml
    """
    wrong = lacking = 0
    for path in paths:
        try:
            recipe = recipes.load(path / "recipe.yaml" if path.is_dir() else path)
            for said in recipe.notes:
                note(said)
            check_files(recipe, readers_of(recipe))
        except RecipeError as error:
            complain(str(error))
            wrong += len(error.problems)
        except DataError as error:
            complain(f"{path}: files are missing.\n{error}")
            lacking += 1
        else:
            typer.echo(f"{path}: good")
    if lacking:
        note(f"{lacking} of {len(paths)} recipes lack files; they are good otherwise.")
    if wrong:
        note(f"{wrong} error{'s' if wrong > 1 else ''} in {len(paths)} recipes.")
    if wrong or lacking:
        raise typer.Exit(2 if wrong else 1)


def parts(
    family: Annotated[
        str | None, typer.Argument(metavar="[FAMILY]", help="One family, as attention.")
    ] = None,
) -> None:
    """List what a recipe can name: families, their parts, and the options of each.

    [dim]Examples:[/dim]

      saccade parts

      saccade parts attention
    """
    for name in [family] if family else catalogue.families():
        rows = [[e.kind, e.summary, "\n".join(e.options)] for e in catalogue.entries(name)]
        show_table(name, ["kind", "what it does", "options with defaults"], rows)


def init(
    task: Annotated[
        str, typer.Argument(metavar="TASK", help=f"One of {', '.join(starters.tasks())}.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The recipe to write.")] = Path(
        "recipe.yaml"
    ),
    source: Annotated[Path | None, typer.Option("--source", help="Your source lines.")] = None,
    target: Annotated[Path | None, typer.Option("--target", help="Your target lines.")] = None,
    tsv: Annotated[
        Path | None, typer.Option("--tsv", help="Your pairs: source, tab, target.")
    ] = None,
) -> None:
    """Write a commented starter recipe, for your own pairs if you name them.

    The recipe holds a few of your pairs out to validate and to test on, so that no source stands
    on both sides. Your files are not changed.

    [dim]Examples:[/dim]

      saccade init translation --source all.en --target all.fr

      saccade init transliteration --tsv names.tsv -o names.yaml

      saccade init dates
    """
    if (source is None) != (target is None) or (tsv and source):
        raise RecipeError("init: give --source and --target, or --tsv alone.")
    pairs: Part[Reader] | None = None
    if tsv:
        pairs = Part(Reader, "tsv", {"path": str(tsv)})
    elif source:
        pairs = Part(Reader, "text", {"source": str(source), "target": str(target)})
    counts = starters.write(task, output, pairs)
    if counts:
        shares = ", ".join(f"{n:,} {part}" for part, n in counts.items())
        note(f"The recipe splits your pairs by their source: {shares}.")
    note(f"Wrote {output}. Next:  saccade doctor {output}   then   saccade train {output}")
