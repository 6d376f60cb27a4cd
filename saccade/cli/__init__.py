"""The command line: verbs with rich output, each a call into the package.

Results go to standard output, everything else to standard error. Exit codes: 0 done, 1 failed,
2 wrong use or an invalid recipe, 130 and 143 stopped by a signal with the checkpoint written.
"""

import os
import sys
import traceback
from collections.abc import Sequence
from typing import Annotated

import typer

from saccade.cli import (
    choosing,
    comparing,
    diagnosing,
    inspecting,
    measuring,
    probing,
    scoring,
    serving,
    showing,
    training,
    translating,
)
from saccade.cli.speech import complain, version_text
from saccade.errors import Interrupted, RecipeError, SaccadeError

app = typer.Typer(
    name="saccade",
    help="Learn to turn one sequence into another, and see where the model looked.\n\n"
    "Begin with: [bold]saccade demo[/bold]   or, for your own pairs: "
    "[bold]saccade init translation --tsv pairs.tsv[/bold]",
    epilog="Environment: SACCADE_HOME (where ids are stored), SACCADE_DEVICE (as --device),"
    " SACCADE_LOG (quiet or debug), NO_COLOR.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
recipe_app = typer.Typer(
    help="Show a recipe with every default filled in, or check recipes.", no_args_is_help=True
)


@app.callback(invoke_without_command=True)
def _root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and stop.", is_eager=True)
    ] = False,
) -> None:
    if version:
        typer.echo(version_text())
        raise typer.Exit


app.command("demo")(showing.demo)
app.command("init")(choosing.init)
app.command("train")(training.train)
app.command("translate")(translating.translate)
app.command("predict", hidden=True)(translating.translate)
app.command("evaluate")(measuring.evaluate)
app.command("metric")(measuring.metric)
app.command("score")(scoring.score)
app.command("compare")(comparing.compare)
app.command("inspect")(inspecting.inspect)
app.command("gradients")(inspecting.flow)
app.command("report")(inspecting.report)
app.command("serve")(serving.serve)
app.command("doctor")(diagnosing.doctor)
app.command("bias")(probing.bias)
app.command("average")(training.average)
app.command("parts")(choosing.parts)
recipe_app.command("show")(choosing.show)
recipe_app.command("check")(choosing.check)
app.add_typer(recipe_app, name="recipe")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a verb; say what went wrong in words, and leave with the code that belongs to it."""
    try:
        app(arguments, prog_name="saccade")
    except Interrupted as stop:
        complain(str(stop))
        sys.exit(128 + stop.signal)
    except SaccadeError as error:
        complain(str(error))
        sys.exit(2 if isinstance(error, RecipeError) else 1)
    except OSError as error:  # a full disk, a file that may not be read
        place = f"{error.filename}: " if error.filename else ""
        complain(f"{place}{error.strerror or error}. Check the space left and the rights on files.")
        sys.exit(1)
    except Exception as error:
        if os.environ.get("SACCADE_LOG") == "debug":
            traceback.print_exc()
        complain(
            f"unexpected {type(error).__name__}: {error}. This is a bug in saccade or in a part;"
            " set SACCADE_LOG=debug to see where."
        )
        sys.exit(1)
