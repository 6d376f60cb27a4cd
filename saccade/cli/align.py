"""The verb that lays a text over its source."""

import json
from enum import StrEnum
from typing import Annotated, Any

import typer

from saccade.cli.inspect import Picture, read_given
from saccade.cli.options import Device, Model, note
from saccade.cli.streams import output
from saccade.engines._devices import checked_device
from saccade.folders import model as folders
from saccade.look.alignment import draw_alignment, spellings_of
from saccade.predict.alignment import Segment
from saccade.predict.alignment import align as laid
from saccade.views.drawing import checked_path


class Form(StrEnum):
    """How an alignment is written."""

    text = "text"
    jsonl = "jsonl"


def align(
    model: Model,
    source: Annotated[
        str, typer.Argument(metavar="SOURCE", help="What is read: a text, or a file or data URI.")
    ],
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What it says.")],
    words: Annotated[bool, typer.Option("--words", help="Words only, not every label.")] = False,
    paths: Annotated[
        bool, typer.Option("--paths", help="List all paths that spell the text; for short ones.")
    ] = False,
    form: Annotated[Form, typer.Option("--format", help="text or jsonl.")] = Form.text,
    target: Picture = None,
    device: Device = "cpu",
) -> None:
    """Say where in its source each label and word of a given text is, by the best path of CTC.

    Places count from 0, in seconds where the source has a rate. The model must write frame by
    frame: ctc or joint_ctc.

    [dim]Examples:[/dim]

      saccade align runs/digits recording.wav "three four"

      saccade align runs/digits recording.wav "three four" -o trellis.svg
    """
    if target:
        checked_path(target)
    predictor = folders.load(model, device=checked_device(device))
    found = laid(predictor, read_given(predictor, source), text)
    with output(None) as file:
        shown = found.words if words else (*found.labels, *found.words)
        kinds = ["word"] * len(found.words)
        kinds = kinds if words else ["label"] * len(found.labels) + kinds
        for kind, one in zip(kinds, shown, strict=True):
            file.write(_row(kind, one, form).encode() + b"\n")
        if paths:
            file.write(spellings_of(found, predictor).encode())
    note(f"log-probability {found.score:.4f}; {len(found.path)} frames.")
    if target:
        draw_alignment(found).save(target)
        note(f"Wrote {target}.")


def _row(kind: str, one: Segment, form: Form) -> str:
    first, end = one.seconds or (one.first, one.end)
    if form is Form.text:
        unit = " s" if one.seconds else ""
        return f"{kind}\t{one.text}\t{first:g}{unit}\t{end:g}{unit}\t{one.probability:.3f}"
    facts: dict[str, Any] = {"kind": kind, "text": one.text, "first": one.first, "end": one.end}
    if one.seconds:
        facts |= {"begins": round(first, 4), "ends": round(end, 4)}
    return json.dumps({**facts, "probability": round(one.probability, 4)}, ensure_ascii=False)
