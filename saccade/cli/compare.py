"""The verb that sets models side by side."""

from pathlib import Path
from typing import Annotated

import typer

from saccade.cli.inspect import show
from saccade.cli.options import Device, Sets, note
from saccade.cli.tables import error_console, out_console, show_table
from saccade.engines._devices import checked_device
from saccade.errors import RecipeError
from saccade.experiments import comparison
from saccade.views import bars, cost
from saccade.views.comparison import LOWER, cells, marked, priced_rows, to_html
from saccade.views.drawing import checked_path


def compare(
    recipes: Annotated[
        list[Path],
        typer.Argument(metavar="RECIPE...", help="Recipes, or folders of finished models."),
    ],
    over: Annotated[
        list[str] | None,
        typer.Option(
            "--over",
            metavar="KEY=VALUES",
            help="Vary an option: a.b=x,y,z; two alike: a.b+c.d=x,y. Several are crossed.",
        ),
    ] = None,
    sets: Sets = None,
    seeds: Annotated[
        str, typer.Option("--seeds", help="As 1,2,3: train each so often and give the mean.")
    ] = "",
    split: Annotated[
        str, typer.Option("--split", help="What to test on; the first of data.test if not given.")
    ] = "",
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Where the runs and the table go.")
    ] = Path("runs/compare"),
    chart: Annotated[
        Path | None,
        typer.Option(
            "--chart", help="Draw scores against training time: FILE.svg, .html, .png or .pdf."
        ),
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Train again what another recipe left there.")
    ] = False,
    device: Device = "cpu",
) -> None:
    """Train several recipes on the same data, or take what is trained, and set them side by side.

    What cannot be compared is refused before training. Language models are compared by likelihood.
    The table has quality with its interval, parameters, training time, FLOPs and decoding speed;
    compare.html in the output folder adds score by length and the curves. Stopped runs go on,
    finished ones are used again. To vary a part, name it whole: its options start from defaults.

    [dim]Examples:[/dim]

      saccade compare small.yaml large.yaml

      saccade compare recipe.yaml --over model.decoder.attention=none,dot,additive --seeds 1,2,3

      saccade compare runs/rnn runs/transformer --split valid --chart chart.svg
    """
    checked_device(device)
    if chart:
        checked_path(chart)
    chosen = comparison.variants(recipes, over or [], sets or [])
    split = split or next(iter(chosen[0].recipe.data.test), "valid")
    numbers = _numbers(seeds)
    comparison.check(chosen, split)
    done = comparison.train_all(
        chosen,
        output,
        numbers,
        overwrite=overwrite,
        device=device,
        console=error_console(),
    )
    measured = {}
    for name, folders in done.items():
        note(f"Measuring {name} on {split}.")
        measured[name] = [comparison.measure(folder, split, device=device) for folder in folders]
    rows = comparison.rows_of(measured)
    headers, lines = cells(rows)
    first, figure = next(iter(rows[0].figures.items()))
    n = len(measured[rows[0].name][0].evaluation.examples)
    lower = f"; {LOWER} lower is better" if any(LOWER in name for name in headers) else ""
    show_table(f"{split}, {n:,} examples{lower}", headers, lines)
    scores, title = {row.name: row.figures[first].value for row in rows}, marked(first, figure)
    out_console().print(bars.to_terminal(scores, title=title), markup=False, highlight=False)
    paths = comparison.write(
        output, rows, to_html("Comparison", rows, _command(recipes, over, sets, seeds))
    )
    note(f"Wrote {paths[0]} and {paths[1]}.")
    if chart:
        show(cost.draw(priced_rows(rows), cost="seconds of training", score=title), chart)


def _numbers(text: str) -> list[int]:
    try:
        return [int(one) for one in text.split(",") if one.strip()]
    except ValueError:
        raise RecipeError(f"--seeds {text}: expected whole numbers, as in 1,2,3.") from None


def _command(
    recipes: list[Path], over: list[str] | None, sets: list[str] | None, seeds: str
) -> list[str]:
    words = ["saccade compare", *map(str, recipes), *(f"--over {text}" for text in over or [])]
    words += [f"--set {text}" for text in sets or []]
    return [" ".join([*words, *([f"--seeds {seeds}"] if seeds else [])])]
