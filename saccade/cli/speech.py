"""How the verbs speak: streams, tables, colours, and options that several verbs share."""

import os
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated, Any

import typer
import yaml
from rich.console import Console
from rich.table import Table

from saccade.errors import RecipeError
from saccade.parts import Part, check_part

Device = Annotated[
    str,
    typer.Option("--device", envvar="SACCADE_DEVICE", help="Where to compute: cpu, cuda, cuda:1."),
]
Model = Annotated[
    Path, typer.Argument(metavar="MODEL", help="A model folder, as `saccade train` writes.")
]
Beam = Annotated[
    int | None, typer.Option("--beam", min=1, help="Hypotheses kept at each step; 1 is greedy.")
]
Metrics = Annotated[
    list[str] | None,
    typer.Option(
        "--metric", "-m", help="A metric, as bleu or bleu:lowercase=true. May be repeated."
    ),
]
Sets = Annotated[
    list[str] | None,
    typer.Option("--set", help="Change the recipe: training.max_epochs=5. May be repeated."),
]

_WIDE = 160  # columns of a table that goes to a file


def error_console() -> Console:
    """Return where progress and warnings go; SACCADE_LOG=quiet silences it."""
    return Console(stderr=True, quiet=os.environ.get("SACCADE_LOG") == "quiet")


def out_console() -> Console:
    """Return where results go; a file gets wide lines and no colour."""
    return Console() if sys.stdout.isatty() else Console(width=_WIDE)


def note(text: str) -> None:
    """Tell people something that is not a result."""
    error_console().print(text, highlight=False, markup=False, soft_wrap=True)


def complain(text: str) -> None:
    """Say what went wrong, on standard error."""
    console = Console(stderr=True)
    console.print("saccade: ", style="bold red", end="")
    console.print(text, highlight=False, markup=False, soft_wrap=True)


def show_table(title: str, headers: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table to standard output."""
    table = Table(title=title, title_justify="left")
    for header in headers:
        table.add_column(header, overflow="fold")
    for row in rows:
        table.add_row(*row)
    out_console().print(table, markup=False, highlight=False)


def coloured() -> bool:
    """Tell whether standard output takes colour."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def version_text() -> str:
    """Name the version, as `saccade 0.1.0`."""
    try:
        return f"saccade {version('saccade')}"
    except PackageNotFoundError:
        return "saccade, run from a checkout that is not installed"


def part_of(family: type[Any], text: str) -> Part[Any]:
    """Read a part from the command line: `bleu` or `bleu:lowercase=true,tokenize=char`."""
    kind, _, rest = text.partition(":")
    raw: dict[str, Any] = {"kind": kind}
    for item in filter(None, rest.split(",")):
        name, equals, value = item.partition("=")
        if not equals:
            raise RecipeError(f"{text}: '{item}' is not name=value; write bleu:lowercase=true.")
        raw[name] = yaml.safe_load(value)
    problems: list[str] = []
    part = check_part(family, raw, text, problems)
    if part is None or problems:
        raise RecipeError(problems)
    return part
