"""The command line: verbs with rich output, each a call into the package.

Results go to standard output, everything else to standard error. Exit codes: 0 done, 1 failed,
2 wrong use or an invalid recipe, 130 and 143 stopped by a signal with the checkpoint written.

A verb's file is imported when the verb is called, so that one that needs no torch does not wait for
it: this table and the package's own front are the two places where imports are late.
"""

import ast
import importlib
import os
import sys
import traceback
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from saccade.cli.options import complain
from saccade.cli.startup import end_soon, spin_briefly, uncollected
from saccade.cli.values import spare
from saccade.errors import Interrupted, RecipeError, SaccadeError

VERBS = {  # verb: its file and function in this room
    "demo": "demo.demo",
    "fit": "fit.fit_files",
    "init": "recipes.init",
    "train": "train.train",
    "translate": "translate.translate",
    "predict": "translate.translate",
    "transcribe": "transcribe.transcribe",
    "forecast": "forecast.forecast",
    "evaluate": "evaluate.evaluate",
    "metric": "metric.metric",
    "score": "score.score",
    "align": "align.align",
    "compare": "compare.compare",
    "rescore": "rescore.rescore",
    "inspect": "inspect.inspect",
    "gradients": "inspect.flow",
    "report": "inspect.report",
    "gallery": "gallery.gallery",
    "explain": "explain.explain",
    "export": "export.export",
    "import": "export.import_file",
    "serve": "serve.serve",
    "doctor": "doctor.doctor",
    "bias": "bias.bias",
    "probe": "probe.probe",
    "average": "train.average",
    "ensemble": "ensemble.ensemble",
    "reconfigure": "train.reconfigure",
    "parts": "recipes.parts",
}
RECIPE_VERBS = {"show": "recipes.show", "check": "recipes.check"}
ALIASES = {
    "predict": "The same as translate, under a name that fits every task.",
}
TRAINING = ("demo", "train", "compare", "fit")


class Late(TyperGroup):
    """Verbs that are imported when they are called."""

    @property
    def _verbs(self) -> dict[str, str]:
        return RECIPE_VERBS if self.name == "recipe" else VERBS

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return what help needs of a verb: its name, and the first lines of its docstring."""
        command = super().get_command(ctx, cmd_name)
        if command and cmd_name in self._verbs:
            command.help = ALIASES.get(cmd_name) or _summary(self._verbs[cmd_name])
        return command

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the options before the verb."""
        spare(self, ctx)
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """Return the real verb, which is to run."""
        name, command, rest = super().resolve_command(ctx, args)
        return name, _imported(name, self._verbs[name]) if name in self._verbs else command, rest


class LazyCommand(TyperCommand):
    """A verb that is to run."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read what stands after the verb."""
        spare(self, ctx)
        return super().parse_args(ctx, args)


def _summary(place: str) -> str:
    """Read the first paragraph of a function's docstring off its file, which is not imported."""
    file, _, function = place.partition(".")
    source = Path(__file__).with_name(f"{file}.py").read_text(encoding="utf-8")
    found = (n for n in ast.parse(source).body if isinstance(n, ast.FunctionDef))
    text = next(ast.get_docstring(n) for n in found if n.name == function)
    return (text or "").partition("\n\n")[0]


def _imported(name: str, place: str) -> Any:
    file, _, function = place.partition(".")
    alone = typer.Typer(
        add_completion=False, rich_markup_mode="rich", pretty_exceptions_enable=False
    )
    if name in TRAINING:
        spin_briefly()
    with uncollected():
        verb = getattr(importlib.import_module(f"saccade.cli.{file}"), function)
    alone.command(name, cls=LazyCommand)(verb)
    return get_command(alone)


def _named(group: typer.Typer, verbs: Iterable[str]) -> typer.Typer:
    for name in verbs:
        group.command(name)(lambda: None)
    return group


app = typer.Typer(
    name="saccade",
    cls=Late,
    help="Learn to turn one sequence into another, and see where the model looked.\n\n"
    "Begin with: [bold]saccade demo[/bold]   or, for your own pairs: "
    "[bold]saccade fit pairs.tsv[/bold]",
    epilog="Environment: SACCADE_HOME (where ids and kernels are stored), SACCADE_DEVICE (as"
    " --device), SACCADE_ENGINE (as --engine), SACCADE_NATIVE (off: no kernels in C; else their"
    " folder), SACCADE_PARTS (packages whose parts recipes may name),"
    " SACCADE_METEOR (folder of METEOR's tables, or off),"
    " SACCADE_LOG (quiet or debug), NO_COLOR.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def _root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and stop.", is_eager=True)
    ] = False,
) -> None:
    if version:
        typer.echo(importlib.import_module("saccade.folders.versions").version_text())
        raise typer.Exit


_named(app, VERBS)
app.add_typer(
    _named(
        typer.Typer(
            cls=Late,
            help="Show a recipe with every default filled in, or check recipes.",
            no_args_is_help=True,
        ),
        RECIPE_VERBS,
    ),
    name="recipe",
)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a verb; say what went wrong in words, and leave with the code that belongs to it."""
    end_soon()
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
