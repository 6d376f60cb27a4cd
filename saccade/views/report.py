"""The report of a run: what was trained, how it went, what it writes and where it looked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from saccade.views import by_length, curves, svg, voice
from saccade.views.page import (
    Act,
    Section,
    code,
    facts,
    fold,
    is_picture,
    page,
    pairs,
    paragraph,
    table,
)
from saccade.views.ticks import short
from saccade.views.words import clean, shorten

_OPEN = 3  # samples whose picture is shown at once; the rest are folded


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """One metric on one split, before and after training, with its confidence interval."""

    split: str
    metric: str
    before: float | None
    after: float
    low: float | None
    high: float | None
    signature: str


@dataclass(frozen=True, slots=True)
class ReportSample:
    """One output; `picture` is an SVG document that shows where the model looked, if anywhere.

    sound: the source as a data URI, if it is a sound; voiced: the words of the output in it.
    """

    source: str
    reference: str
    output: str
    score: float | None
    picture: str = ""
    sound: str = ""
    voiced: Sequence[voice.VoicedWord] = ()


@dataclass(frozen=True, slots=True)
class Probe:
    """An input that means nothing, what the model made of it, and what its guards say."""

    name: str
    source: str
    output: str
    flags: Sequence[str]


@dataclass(frozen=True, slots=True)
class RunReport:
    """All that the report of a run shows; strings are plain text.

    alarm: says that the model learned nothing of use; empty if it did.  confused: a picture of
    which characters were read as which.  within: fragments of HTML that show self-attention on the
    first sample, by their titles.
    """

    name: str
    summary: Mapping[str, str]
    curves: Mapping[str, list[tuple[float, float]]]
    scores: Sequence[ScoreRow]
    samples: Sequence[ReportSample]
    commands: Sequence[str]
    recipe_yaml: str
    probes: Sequence[Probe] = ()
    lengths: Mapping[str, Sequence[by_length.Bucket]] = field(default_factory=dict)
    alarm: str = ""
    confused: str = ""
    within: Mapping[str, str] = field(default_factory=dict)


def training_report(report: RunReport) -> str:
    """Return the report as the text of one HTML file; what is empty is left out."""
    sections = [
        Section("Read this first", [paragraph(report.alarm)] if report.alarm else []),
        Section("Summary", [facts(report.summary)] if report.summary else []),
        Section("Scores", _scores(report.scores)),
        Section("Score by source length", _lengths(report.lengths)),
        Section(
            "Characters taken for others",
            [svg.scroller(report.confused)] if report.confused else [],
        ),
        Section("Training", [curves.grid(by_quantity(report.curves))] if report.curves else []),
        Section("Samples", [_sample(i, sample) for i, sample in enumerate(report.samples)]),
        Section("Self-attention", [fold(title, one) for title, one in report.within.items()]),
        Section("Nonsense", _probes(report.probes)),
        Section("What to type next", [code("\n".join(report.commands))] if report.commands else []),
        Section("Recipe", [code(report.recipe_yaml)] if report.recipe_yaml.strip() else []),
    ]
    act = Act(voice.SCRIPT, voice.HASH, voice.STYLE)
    heard = any(sample.sound for sample in report.samples)
    shown = [section for section in sections if section.fragments]
    return page(report.name, shown, act if heard else None)


def _lengths(lengths: Mapping[str, Sequence[by_length.Bucket]]) -> list[str]:
    return [
        svg.scroller(by_length.to_svg(buckets, metric=metric))
        for metric, buckets in lengths.items()
    ]


def _probes(probes: Sequence[Probe]) -> list[str]:
    if not probes:
        return []
    text = "Inputs that mean nothing. A model invents what it can; its guards should say so."
    rows = [[p.name, shorten(clean(p.source), 60), p.output, " ".join(p.flags)] for p in probes]
    headers = ["Probe", "Input", "Output", "What the guards say"]
    return [paragraph(text, note=True), table(headers, rows)]


def by_quantity(series: curves.Series) -> dict[str, dict[str, Sequence[curves.Point]]]:
    """Put series that end in the same word into one chart.

    >>> list(by_quantity({"train loss": [], "validation loss": [], "learning rate": []}))
    ['loss', 'learning rate']
    """
    groups: dict[str, dict[str, Sequence[curves.Point]]] = {}
    for name, points in series.items():
        groups.setdefault((name.split() or [name])[-1], {})[name] = points
    return {
        next(iter(group)) if len(group) == 1 else quantity: group
        for quantity, group in groups.items()
    }


def _scores(rows: Sequence[ScoreRow]) -> list[str]:
    if not rows:
        return []
    headers = ["Split", "Metric", "Before", "After", "95% interval", "Signature"]
    return [table(headers, [_score_cells(row) for row in rows])]


def _score_cells(row: ScoreRow) -> list[str]:
    known = row.low is not None and row.high is not None
    interval = f"{_figure(row.low)}\u00a0to\u00a0{_figure(row.high)}" if known else "–"
    after = _figure(row.after)
    return [row.split, row.metric, _figure(row.before), after, interval, row.signature or "–"]


def _figure(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:.2f}" if value == 0 or 0.01 <= abs(value) < 1e4 else short(value)


def _sample(order: int, sample: ReportSample) -> str:
    rows = {"Source": sample.source} if sample.source else {}
    rows |= {"Reference": sample.reference, "Output": sample.output}
    if sample.score is not None:
        rows["Score"] = _figure(sample.score)
    fragment = pairs(rows)
    if sample.sound:
        fragment += voice.to_html(sample.sound, sample.voiced)
    if sample.picture:
        fragment += svg.scroller(sample.picture)
    else:
        fragment += paragraph("No attention was recorded for this sample.", note=True)
    if order < _OPEN:
        return f"<h3>Sample {order + 1}</h3>{fragment}"
    output = "[picture]" if is_picture(sample.output) else sample.output
    heading = shorten(clean(f"{sample.source} → {output}"), 60)
    return fold(f"Sample {order + 1}: {heading}", fragment)
