"""How the verbs speak, and options that several verbs share; light, for verbs that are quick."""

import os
import shutil
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class ShardRunner(StrEnum):
    """What predicts shards: processes of this machine, or actors of a Ray cluster."""

    processes = "processes"
    ray = "ray"


Device = Annotated[
    str,
    typer.Option("--device", envvar="SACCADE_DEVICE", help="Where to compute: cpu, cuda, cuda:1."),
]
Engine = Annotated[
    str | None,
    typer.Option(
        "--engine",
        envvar="SACCADE_ENGINE",
        help="native (torch with C kernels), torch, ctranslate2, onnx, or auto: the soonest done.",
    ),
]
Quantise = Annotated[
    str,
    typer.Option(
        "--quantise",
        help="int8: round weights, with any engine (torch needs its C kernels). Text may change.",
    ),
]
Model = Annotated[
    Path, typer.Argument(metavar="MODEL", help="A model folder, as `saccade train` writes.")
]
Beam = Annotated[
    int | None,
    typer.Option(
        "--beam", min=1, help="Hypotheses kept at a step, 1 is greedy; the recipe's if not given."
    ),
]
Metrics = Annotated[
    list[str] | None,
    typer.Option(
        "--metric",
        "-m",
        metavar="NAME",
        help="A metric, as bleu or bleu:lowercase=true. May be repeated.",
    ),
]
Sets = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Change the recipe: training.max_epochs=5. May be repeated.",
    ),
]

WIDE = 160  # columns of what goes to a file


def note(text: str) -> None:
    """Tell people something that is not a result; SACCADE_LOG=quiet silences it."""
    if os.environ.get("SACCADE_LOG") != "quiet":
        typer.echo(text, err=True)


def complain(text: str) -> None:
    """Say what went wrong, on standard error."""
    colour = False if os.environ.get("NO_COLOR") else None
    typer.secho("saccade: ", fg="red", bold=True, nl=False, err=True, color=colour)
    typer.echo(text, err=True)


def columns() -> int:
    """Return how wide standard output is."""
    return max(shutil.get_terminal_size().columns, 20) if sys.stdout.isatty() else WIDE


def coloured() -> bool:
    """Tell whether standard output takes colour."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")
