"""The verb that measures texts without a model: files by metrics, two texts by their edits."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from saccade.cli.evaluate import Json, publish, show_figures
from saccade.cli.inspect import Picture, show
from saccade.cli.options import Metrics, note
from saccade.cli.parts import part_of
from saccade.cli.tables import show_table
from saccade.errors import DataError, RecipeError
from saccade.folders import model as folders
from saccade.intake.numbers import whole
from saccade.look.edits import edits
from saccade.metrics.base import Metric, Paired, paired
from saccade.parts import Part
from saccade.predict.evaluation import Figure, figures_of
from saccade.readers._lines import numbered
from saccade.views.drawing import checked_path
from saccade.views.edits import MOST_PATHS

_USUAL = ["bleu", "chrf"]


def metric(
    hypotheses: Annotated[
        str,
        typer.Argument(metavar="HYPOTHESES", help="What a system wrote, a line each; a text."),
    ],
    references: Annotated[
        list[str],
        typer.Argument(metavar="REFERENCES...", help="One reference file or several; a text."),
    ],
    metrics: Metrics = None,
    against: Annotated[
        Path | None, typer.Option("--against", help="Another system's output, to test against.")
    ] = None,
    table: Annotated[
        bool, typer.Option("--table", help="The two are texts: show how one becomes the other.")
    ] = False,
    substitution: Annotated[
        int, typer.Option("--substitution", help="For --table: what it costs, 1 or 2.")
    ] = 1,
    words: Annotated[
        bool, typer.Option("--words", help="For --table: words, not characters.")
    ] = False,
    paths: Annotated[
        str, typer.Option("--paths", metavar="N|all", help="For --table: cheapest paths to list.")
    ] = "1",
    costs: Annotated[
        Path | None,
        typer.Option(
            "--costs", metavar="MODEL", help="For --table: what edits cost a noisy_channel model."
        ),
    ] = None,
    target: Picture = None,
    json_file: Json = None,
) -> None:
    """Measure a file of outputs against references, or two texts by their edits; without a model.

    With --against, a paired bootstrap says how easily chance alone makes such a difference. With
    --table, the cheapest edits turn the first text into the second: the table with the ways back,
    the number of paths that cost the same, and some or all of them.

    [dim]Examples:[/dim]

      saccade metric out.txt reference.txt --metric bleu --metric chrf

      saccade metric new.txt reference.txt --against old.txt --metric bleu:lowercase=true

      saccade metric kitten sitting --table

      saccade metric intention execution --table --substitution 2 --paths all -o table.svg

      saccade metric recieve receive --table --costs runs/noisy-channel
    """
    if table:
        asked = _Asked(substitution, words, paths, costs)
        _show_edits(hypotheses, references, asked, target, json_file)
        return
    if target or words or costs or paths != "1" or substitution != 1:
        raise RecipeError(
            "metric: --substitution, --words, --paths, --costs and --output are for two texts;"
            " found no --table. Add it, or leave them out."
        )
    _measure(Path(hypotheses), [Path(one) for one in references], metrics, against, json_file)


class _Asked(NamedTuple):
    """How the table of two texts is to be filled."""

    substitution: int
    words: bool
    paths: str
    costs: Path | None

    @property
    def n_paths(self) -> int | None:
        """How many paths to list; None is all."""
        if self.paths == "all":
            return None
        number = whole(self.paths)
        if number is None or not 1 <= number <= MOST_PATHS:
            raise RecipeError(
                f"--paths {self.paths}: expected a number from 1 to {MOST_PATHS:,}, or all."
            )
        return number


def _show_edits(
    source: str,
    targets: Sequence[str],
    asked: _Asked,
    picture: Path | None,
    json_file: str | None,
) -> None:
    """Show the table of two texts."""
    if picture:
        checked_path(picture)
    if len(targets) != 1:
        raise RecipeError(
            f"metric: --table compares two texts; found {1 + len(targets)}. Put texts with spaces"
            " in quotes."
        )
    if asked.substitution not in (1, 2):
        raise RecipeError(
            f"--substitution {asked.substitution}: expected 1, or 2 for a deletion and an"
            " insertion."
        )
    if asked.costs and (asked.words or asked.substitution != 1):
        raise RecipeError(
            "metric: --costs says what every symbol costs; found --words or --substitution too."
            " Leave one out."
        )
    n_paths = asked.n_paths
    found = edits(
        source,
        targets[0],
        substitution=asked.substitution,
        words=asked.words,
        costs=folders.load(asked.costs) if asked.costs else None,
    )
    drawing = found.draw(n_paths)
    publish(json_file, found.plain(n_paths) if json_file else {})
    if picture:
        note(drawing.said)
        show(drawing, picture)
    elif json_file != "-":
        show(drawing, None)


def _measure(
    hypotheses: Path,
    references: Sequence[Path],
    metrics: list[str] | None,
    against: Path | None,
    json_file: str | None,
) -> None:
    """Measure a file against others."""
    chosen = [part_of(Metric, name) for name in metrics or _USUAL]
    lines = _lines(hypotheses)
    columns = [_lines(path, like=(hypotheses, len(lines))) for path in references]
    rows = [list(row) for row in zip(*columns, strict=True)]
    figures = figures_of(chosen, lines, rows)
    plain: dict[str, Any] = {"metrics": {name: f.plain() for name, f in figures.items()}}
    tests: dict[str, Paired] = {}
    if against:
        other = _lines(against, like=(hypotheses, len(lines)))
        tests = _tests(chosen, figures, lines, other, rows)
        plain["against"] = {name: _paired(test) for name, test in tests.items()}
    publish(json_file, plain)
    if json_file != "-":
        show_figures(f"{hypotheses}: {len(lines):,} lines", figures)
        if tests:
            titles = [figure.title for figure in figures.values()]
            _show_tests(f"{hypotheses} against {against}", titles, tests)


def _lines(path: Path, like: tuple[Path, int] | None = None) -> list[str]:
    """Read a file whose lines must match those of another."""
    lines = [line for _, line in numbered(path)]
    if like and len(lines) != like[1]:
        raise DataError(
            f"{path} has {len(lines)} lines but {like[0]} has {like[1]}; line n of one must belong"
            " to line n of the other. Check that neither file lost a line."
        )
    return lines


def _tests(
    metrics: Sequence[Part[Metric]],
    figures: dict[str, Figure],
    ours: list[str],
    theirs: list[str],
    references: list[list[str]],
) -> dict[str, Paired]:
    return {
        name: paired(part.build(), ours, theirs, references)
        for name, part in zip(figures, metrics, strict=True)
    }


def _paired(test: Paired) -> dict[str, float]:
    return {"a": test.a, "b": test.b, "difference": test.difference, "p_value": test.p_value}


def _show_tests(title: str, titles: Sequence[str], tests: dict[str, Paired]) -> None:
    rows = [
        [name, f"{t.a:.2f}", f"{t.b:.2f}", f"{t.difference:+.2f}", f"{t.p_value:.3f}"]
        for name, t in zip(titles, tests.values(), strict=True)
    ]
    show_table(title, ["metric", "this", "other", "difference", "p"], rows)
