"""The verb that asks whether a model treats like sentences alike."""

import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from saccade.cli.options import Device, Model, note
from saccade.cli.probe_files import read_probes
from saccade.cli.tables import show_table
from saccade.engines._devices import checked_device
from saccade.engines._open import load
from saccade.guards.bias import Change, Mean, parse
from saccade.look.probes import Bias, Compared, ProbeReading, probe_bias

_EXAMPLE = "example.yaml"
_SHOWN = 40  # odd pairs


def bias(
    model: Model,
    probes: Annotated[
        Path | None,
        typer.Argument(metavar="FILE", help="Probes in YAML; an English example if not given."),
    ] = None,
    example: Annotated[
        bool, typer.Option("--example", help="Print the example file, to copy, and stop.")
    ] = False,
    device: Device = "cpu",
) -> None:
    """Translate pairs of sentences that differ in one thing alone, and report what else differs.

    A template's words are swapped (he, she) for every way to fill its other slots (doctor, nurse).
    Differences of the outputs that not even half of a template's pairs share are shown, and how
    sure the model is of either side. Of a source with two readings it says which is likelier.

    [dim]Examples:[/dim]

      saccade bias runs/demo

      saccade bias runs/demo --example > probes.yaml

      saccade bias runs/demo probes.yaml
    """
    if example:
        typer.echo(read_probes(None, _EXAMPLE, "bias")[0], nl=False)
        return
    asked = parse(*read_probes(probes, _EXAMPLE, "bias"))
    found = probe_bias(load(model, device=checked_device(device)), asked)
    _show_pairs(found)
    _show_readings(found)


def _show_pairs(found: Bias) -> None:
    if not found.pairs:
        return
    odd = [one for one in found.pairs if one.odd]
    alike = sum(not one.changes for one in found.pairs)
    rows = [[one.pair.first, *one.outputs, _changes(one.odd)] for one in odd[:_SHOWN]]
    if rows:
        headers = ["Source (first)", "Output (first)", "Output (second)", "Unusual difference"]
        show_table("Pairs that differ in more than is usual for their template", headers, rows)
    show_table("Usual differences", ["Template", "Difference"], _usual(found.pairs))
    note(
        f"{len(found.pairs)} pairs: {alike} with equal outputs, {len(odd)} with unusual"
        f" differences. Log-probability a piece, first less second: {_mean(found.confidence)}."
    )


def _show_readings(found: Bias) -> None:
    if not found.readings:
        return
    headers = ["Source", "First reading", "Second reading", "First is likelier by"]
    show_table("Which reading is likelier", headers, [_read_row(one) for one in found.readings])
    n_first = sum(one.difference > 0 for one in found.readings)
    note(
        f"{len(found.readings)} sources: the first reading is likelier for {n_first}."
        f" Log-probability, first less second: {_mean(found.preference)}."
    )


def _read_row(one: ProbeReading) -> list[str]:
    times = math.exp(min(abs(one.difference), 50.0))
    shown = f"{times:,.1f} times" if one.difference >= 0 else f"1 / {times:,.1f}"
    return [one.reading.source, one.reading.first, one.reading.second, shown]


def _usual(pairs: Sequence[Compared]) -> list[list[str]]:
    counts: dict[int, Counter[Change]] = {}
    for one in pairs:
        counted = counts.setdefault(one.pair.group, Counter())
        counted.update(set(one.changes) - set(one.odd))
    firsts = {one.pair.group: one.pair.first for one in reversed(pairs)}
    return [[firsts[group], _changes(tuple(counted))] for group, counted in counts.items()]


def _changes(changes: Sequence[Change]) -> str:
    return ", ".join(f"{a or '∅'} → {b or '∅'}" for a, b in changes) or "none"


def _mean(mean: Mean) -> str:
    if mean.interval is None:
        return f"{mean.value:+.3f}"
    low, high = mean.interval
    return f"{mean.value:+.3f}, 95% interval {low:+.3f} to {high:+.3f}"
