"""The verb that writes down what is said in sounds."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from saccade.cli.formats import Format
from saccade.cli.listening import StreamOptions, write_streams
from saccade.cli.options import Beam, Device, Engine, Model, Quantise
from saccade.cli.streams import output
from saccade.cli.translate import translate
from saccade.engines._open import load
from saccade.errors import RecipeError


def transcribe(
    model: Model,
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FILE]...", help="Sounds; - is standard input, of a stream."),
    ] = None,
    stream: Annotated[
        bool,
        typer.Option("--stream", help="Write while it is heard: a line whenever somebody pauses."),
    ] = False,
    rate: Annotated[
        int,
        typer.Option(
            "--rate", min=0, help="Of --stream without a header: samples of 16 bits a second."
        ),
    ] = 0,
    pause: Annotated[
        float, typer.Option("--pause", help="Of --stream: seconds of quiet that end a line.")
    ] = 0.6,
    source: Annotated[
        Path | None,
        typer.Option("--input", "-i", help="Read lines with data URIs from this file."),
    ] = None,
    target: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write this file, not standard output.")
    ] = None,
    beam: Beam = None,
    nbest: Annotated[int, typer.Option("--nbest", min=1, help="Outputs for each sound.")] = 1,
    form: Annotated[
        Format, typer.Option("--format", help="text, tsv, or jsonl with the times of words.")
    ] = Format.text,
    scores: Annotated[bool, typer.Option("--scores", help="Add each output's score.")] = False,
    engine: Engine = "auto",
    quantise: Quantise = "",
    device: Device = "cpu",
) -> None:
    """Write down what is said in sounds: a line for every file, or a line whenever somebody pauses.

    Files are WAVE, FLAC, Ogg or MP3. With --stream a sound may be of any length and come from a
    pipe. It is read in chunks of 0.2 seconds. On a terminal, what is being said is shown and
    written over until it is final. A final line is what the model writes for that stretch of the
    sound as a file. A stretch is never longer than the longest sound that the model takes.

    [dim]Examples:[/dim]

      saccade transcribe runs/digits-ctc 3_george_12.wav

      arecord -f S16_LE -r 16000 | saccade transcribe runs/digits-ctc - --stream

      saccade transcribe runs/digits-ctc hours.flac --stream --format jsonl > hours.jsonl
    """
    if not stream:
        translate(
            model,
            files,
            source,
            target,
            beam=beam,
            nbest=nbest,
            form=form,
            scores=scores,
            engine=engine,
            quantise=quantise,
            device=device,
        )
        return
    if source is not None or nbest > 1:
        given = f"--input {source}" if source else f"--nbest {nbest}"
        raise RecipeError(
            f"--stream: stands beside {given}; expected sounds that are named, and one output of"
            " each stretch. Leave one out."
        )
    opened = load(model, device=device, engine=engine, quantise=quantise)
    with output(target) as file:
        live = target is None and form is Format.text and sys.stdout.isatty()
        options = StreamOptions(rate, pause, form, scores=scores, live=live)
        write_streams(opened, files or [], file, options, {"beam": beam})
