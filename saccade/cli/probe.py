"""The verb that asks a model what is meant, what came before, and what it makes of nonsense."""

import math
from pathlib import Path
from typing import Annotated

import typer

from saccade.cli.options import Device, Model, note
from saccade.cli.probe_files import read_probes
from saccade.cli.tables import show_table
from saccade.engines._devices import checked_device
from saccade.engines._open import load
from saccade.guards.flag import Flag
from saccade.guards.sense import parse
from saccade.look.sense import ContextFound, MeaningFound, Sense, probe_sense

_EXAMPLE = "sense.yaml"
_MOST = 50.0  # beyond this, e to the power of a difference says nothing more


def probe(
    model: Model,
    probes: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE", help="Probes in YAML; English and French examples if not given."
        ),
    ] = None,
    example: Annotated[
        bool, typer.Option("--example", help="Print the example file, to copy, and stop.")
    ] = False,
    device: Device = "cpu",
) -> None:
    """See whether a model knows what is meant, uses the sentence before, and invents on nonsense.

    Of a sentence with two meanings it says how much likelier the one is that makes sense. Of one
    that the sentence before decides, by how much that sentence moves the model. Of nonsense, what
    is written and whether a guard warns.

    [dim]Examples:[/dim]

      saccade probe runs/demo

      saccade probe runs/demo --example > sense.yaml

      saccade probe runs/demo sense.yaml
    """
    if example:
        typer.echo(read_probes(None, _EXAMPLE, "probe")[0], nl=False)
        return
    asked = parse(*read_probes(probes, _EXAMPLE, "probe"))
    found = probe_sense(load(model, device=checked_device(device)), asked)
    _show_meanings(found.meanings)
    _show_contexts(found.contexts)
    _show_nonsense(found)


def _show_meanings(found: tuple[MeaningFound, ...]) -> None:
    if not found:
        return
    rows = [
        [one.meaning.source, one.translation.text, one.meaning.right, _likelier(one.difference)]
        for one in found
    ]
    headers = ["Source", "Output", "What is meant", "Likelier by"]
    show_table("What is meant", headers, rows)
    n_right = sum(one.difference > 0 for one in found)
    note(f"{len(found)} sentences: what is meant is likelier for {n_right}.")


def _show_contexts(found: tuple[ContextFound, ...]) -> None:
    if not found:
        return
    rows = [
        [one.asked.joined(c, 0)[0], one.outputs[c], one.asked.readings[c], _likelier(sign * d)]
        for one in found
        for c, (d, sign) in enumerate(zip(one.differences, (1, -1), strict=True))
    ]
    headers = ["Source", "Output", "Right here", "Likelier by"]
    show_table("What the sentence before says", headers, rows)
    moves = ", ".join(f"{one.moved:+.2f}" for one in found)
    note(
        f"{len(found)} sentences: the one before moves the log-probability of what is right by"
        f" {moves}; 0 if it is not used."
    )


def _show_nonsense(found: Sense) -> None:
    if not found.nonsense:
        return
    rows = [
        [one.name, one.translation.text, ", ".join(_warnings(one.translation.flags)) or "none"]
        for one in found.nonsense
    ]
    show_table("What means nothing", ["Source", "Output", "Warnings"], rows)
    n_noticed = sum(one.noticed for one in found.nonsense)
    note(f"{len(rows)} sentences that mean nothing: {n_noticed} with a warning or no output.")


def _warnings(flags: tuple[Flag, ...]) -> list[str]:
    return [flag.kind for flag in flags if flag.severity == "warning"]


def _likelier(difference: float) -> str:
    times = math.exp(min(abs(difference), _MOST))
    return f"{times:,.1f} times" if difference >= 0 else f"1 / {times:,.1f}"
