"""The verb that makes a model of a user's own files in one command."""

import time
from pathlib import Path
from typing import Annotated

import typer

from saccade.cli.evaluate import show_evaluation
from saccade.cli.options import complain, note
from saccade.cli.tables import error_console, show_table
from saccade.fit.files import ColumnNames
from saccade.fit.fitting import Fitted, fit, promise, seconds_in
from saccade.fit.jobs import ALIASES, JOBS
from saccade.fit.outline import outline
from saccade.learners._timing import roughly


def fit_files(
    data: Annotated[
        list[Path],
        typer.Argument(
            metavar="DATA...",
            help="A file of pairs (TSV, CSV, JSON, JSONL, Parquet), two plain files whose lines"
            " match, a folder of the package datasets, numbers in order of time (CSV), or one plain"
            " text.",
        ),
    ],
    folder: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The model folder; runs/FILE if not given."),
    ] = None,
    within: Annotated[
        str, typer.Option("--within", metavar="TIME", help="For everything: 90s, 20m or 2h.")
    ] = "20m",
    task: Annotated[
        str,
        typer.Option("--task", help=f"Found if not given: {', '.join([*JOBS, *ALIASES])}."),
    ] = "",
    valid: Annotated[
        list[Path] | None,
        typer.Option(
            "--valid",
            metavar="FILE",
            help="Pairs to choose the model by; a share of DATA if not given.",
        ),
    ] = None,
    test: Annotated[
        list[Path] | None,
        typer.Option(
            "--test", metavar="FILE", help="Pairs to measure it on; a share of DATA if not given."
        ),
    ] = None,
    source: Annotated[
        str, typer.Option("--source", help="The source's column: its name, or number from 1.")
    ] = "",
    target: Annotated[str, typer.Option("--target", help="The target's column.")] = "",
    features: Annotated[
        str, typer.Option("--features", help="A column of features, as V;PST;3;SG.")
    ] = "",
    seed: Annotated[int, typer.Option("--seed", help="Of all that is random.")] = 1,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with one that was interrupted.")
    ] = False,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Delete what an earlier run left in the folder.")
    ] = False,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="Say what was found and chosen and how long it takes; stop."
        ),
    ] = False,
) -> None:
    """Make a good model of your own pairs: find out, choose, train, measure.

    It finds columns, levels and splits, sizes the model by the data and the time, trains one to
    three recipes, keeps the best, and measures it on pairs that it has not seen. The recipe that it
    wrote is FOLDER/fit.yaml: edit it, and train it with `saccade train`.

    [dim]Examples:[/dim]

      saccade fit pairs.tsv

      saccade fit words.csv --source word --target ipa --within 10m -o runs/ipa

      saccade fit train.en train.fr --valid dev.en --valid dev.fr
    """
    begun, seconds = time.monotonic(), seconds_in(within)
    made = outline(
        data,
        valid=valid or [],
        test=test or [],
        columns=ColumnNames(source, target, features),
        task=task,
        seed=seed,
    )
    place = folder or Path("runs") / data[0].name.partition(".")[0]
    if dry_run:
        for line in [*made.told(), *promise(made, within=seconds, begun=begun)]:
            typer.echo(line)
        note("Nothing was trained and nothing was written.")
        return
    console = error_console()
    found = fit(
        made,
        place,
        within=seconds,
        begun=begun,
        resume=resume,
        overwrite=overwrite,
        console=console,
    )
    _show(found)


def _show(found: Fitted) -> None:
    n = len(found.evaluation.examples)
    show_evaluation(f"{found.folder} on {n:,} held-out examples", found.evaluation)
    if len(found.standings) > 1:
        rows = [
            [one.name, ", ".join(f"{name} {value:.4g}" for name, value in one.figures.items())]
            for one in found.standings
        ]
        show_table("Candidates, the best first", ["recipe", "on the validation set"], rows)
    note(
        f"Took {roughly(found.seconds)}; about {roughly(found.plan.seconds)} was promised. Next:\n"
        f"  saccade predict {found.folder}       write a line, read its output\n"
        f"  saccade serve {found.folder}         the same on a web page\n"
        f"  {found.folder}/report.html       curves, samples, attention\n"
        f"  {found.folder}/fit.yaml          the recipe: edit it, train it again"
    )
    if found.unmeasured:
        complain(
            f"The time was over: {found.unmeasured:,} test examples were not measured. Measure all"
            f" with: saccade evaluate {found.folder}"
        )
    for name in found.beaten_by:
        complain(
            f"NO BETTER THAN A FORECAST WITHOUT A MODEL: {name}. Add rows, allow more time with"
            " --within, or name one column with --target."
        )
    if found.verdict and not found.verdict.better:
        complain(
            f"THE MODEL LEARNED NOTHING OF USE: {found.verdict.comparison}. Check the columns with"
            " --dry-run, allow more time with --within, add pairs, or name the task with --task."
        )
