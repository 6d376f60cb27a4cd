"""Several models in one table, with the pictures that belong to it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from saccade.views import bars, cost, curves, svg
from saccade.views.cost import Priced
from saccade.views.page import Section, page, paragraph, table
from saccade.views.ticks import short

LOWER = "↓"
_LARGE = 10.0  # figures from which two decimals are enough


@dataclass(frozen=True, slots=True)
class ComparisonCurve:
    """A figure and how far it reaches: its bootstrap interval, or least and most over seeds.

    label: what a table calls it, where its name could be mistaken.
    """

    value: float
    low: float
    high: float
    lower_is_better: bool = False
    label: str = ""


@dataclass(frozen=True, slots=True)
class ComparedLength:
    """The score of sources of similar length: their mean length, the score, how many."""

    length: float
    value: float
    count: int


@dataclass(frozen=True, slots=True)
class Row:
    """One model of a comparison; the first of `figures` decides, `p_value` is against the best.

    length_unit: what `by_length` counts.
    """

    name: str
    seeds: int
    figures: Mapping[str, ComparisonCurve]
    p_value: float | None
    parameters: int
    seconds: float
    flops: float
    speed: float
    by_length: Sequence[ComparedLength]
    curve: Sequence[tuple[float, float]]
    length_unit: str = "words"


def cells(rows: Sequence[Row]) -> tuple[list[str], list[list[str]]]:
    """Return the headers and the cells of the table."""
    metrics = list(rows[0].figures) if rows else []
    named = [marked(name, rows[0].figures[name]) for name in metrics]
    headers = ["model", *named, "p against best", "parameters", "training", "FLOPs"]
    return [*headers, "sentences/s"], [_cells(row, metrics) for row in rows]


def marked(name: str, figure: ComparisonCurve) -> str:
    """Name a figure, with an arrow if lower is better."""
    shown = figure.label or name
    return f"{shown} {LOWER}" if figure.lower_is_better else shown


def to_html(title: str, rows: Sequence[Row], commands: Sequence[str] = ()) -> str:
    """Return the comparison as the text of one HTML file."""
    headers, lines = cells(rows)
    metric = headers[1] if rows and rows[0].figures else "score"
    scores = {row.name: next(iter(row.figures.values())).value for row in rows if row.figures}
    lengths = {row.name: [(b.length, b.value) for b in row.by_length] for row in rows}
    losses = {row.name: list(row.curve) for row in rows if row.curve}
    unit = f"{rows[0].length_unit} in the source" if rows else ""
    priced = priced_rows(rows)
    sections = [
        Section("Table", [table(headers, lines), paragraph(_legend(rows), note=True)]),
        Section(f"{metric} of each", [svg.elastic(bars.to_svg(scores, title=metric))]),
        Section(
            f"{metric} against training time",
            [svg.elastic(cost.to_svg(priced, cost="seconds of training", score=metric))]
            if len(priced) > 1
            else [],
        ),
        Section(
            f"{metric} by source length",
            [svg.elastic(curves.to_svg(lengths, x_label=unit, y_label=metric))]
            if any(len(line) > 1 for line in lengths.values())
            else [],
        ),
        Section(
            "Validation loss",
            [svg.elastic(curves.to_svg(losses, x_label="step", y_label="loss"))] if losses else [],
        ),
        Section("Made with", [paragraph(command) for command in commands]),
    ]
    return page(title, [section for section in sections if section.fragments])


def priced_rows(rows: Sequence[Row]) -> list[Priced]:
    """Return the rows whose training was timed, as points of score and cost."""
    found = []
    for row in rows:
        figure = next(iter(row.figures.values()), None)
        if figure is not None and math.isfinite(row.seconds) and row.seconds > 0:
            found.append(Priced(row.name, row.seconds, figure.value, figure.low, figure.high))
    return found


def _legend(rows: Sequence[Row]) -> str:
    many = any(row.seeds > 1 for row in rows)
    spread = "least and most over the seeds" if many else "the 95 % bootstrap interval"
    return (
        f"In brackets {spread}. {LOWER}: lower is better. p: paired bootstrap on the first metric,"
        " how easily chance alone makes such a difference to the best model. FLOPs are those of"
        " matrix products and convolutions, forward and back, without padding."
    )


def _cells(row: Row, metrics: Sequence[str]) -> list[str]:
    seeds = f" ({row.seeds} seeds)" if row.seeds > 1 else ""
    return [
        row.name + seeds,
        *(_figure(row.figures[name]) if name in row.figures else "–" for name in metrics),
        "best" if row.p_value is None else f"{row.p_value:.3f}",
        f"{row.parameters:,}",
        _clock(row.seconds),
        "–" if math.isnan(row.flops) else f"{row.flops:.1e}",
        "–" if math.isnan(row.speed) else short(row.speed),
    ]


def _figure(line: ComparisonCurve) -> str:
    if line.value >= _LARGE:
        return f"{line.value:.2f} ({line.low:.1f} to {line.high:.1f})"
    return f"{line.value:.4f} ({line.low:.3f} to {line.high:.3f})"


def _clock(seconds: float) -> str:
    return "–" if math.isnan(seconds) else f"{int(seconds) // 60}:{int(seconds) % 60:02d}"
