"""The verb that forecasts: windows of numbers in, the next numbers out."""

from pathlib import Path
from typing import Annotated

import typer

from saccade.cli.options import Device, Model
from saccade.cli.streams import input_lines, named_inputs, output
from saccade.engines._devices import checked_device
from saccade.errors import RecipeError
from saccade.folders import model as folders
from saccade.predict.bands import forecast_bands
from saccade.predict.decode import Decode


def forecast(
    model: Model,
    source: Annotated[
        Path | None,
        typer.Option("--input", "-i", help="Read this file; standard input if not given."),
    ] = None,
    target: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write this file, not standard output.")
    ] = None,
    steps: Annotated[
        int | None,
        typer.Option("--steps", min=1, help="How many to forecast; as in training if not given."),
    ] = None,
    band: Annotated[
        float | None,
        typer.Option(
            "--band",
            metavar="P",
            help="Write also between which numbers each place lies with this probability, as 0.9:"
            " the forecast, the low and the high numbers, parted by tabs.",
        ),
    ] = None,
    device: Device = "cpu",
) -> None:
    """Forecast how windows of numbers go on, one line out for each line in.

    Numbers are parted by spaces, the columns of one place by commas: 12.1,0.3 12.4,0.0

    [dim]Examples:[/dim]

      echo "58 62 39 26 8 1 13 57 122 138 103 86" | saccade forecast runs/sunspots

      saccade forecast runs/sunspots -i windows.txt -o forecasts.txt --steps 24

      saccade forecast runs/kalman-sunspots -i windows.txt --band 0.9
    """
    checked_device(device)
    with output(target) as file:
        predictor = folders.load(model, device=device)
        if predictor.target.vocabulary is not None:
            raise RecipeError(
                f"{model}: writes text; expected a model that forecasts numbers. Use `saccade"
                " predict`."
            )
        inputs = named_inputs(input_lines(source), predictor.sources)
        if band is not None:
            for one in forecast_bands(predictor, list(inputs), band, steps):
                file.write(one.line.encode() + b"\n")
            return
        for found in predictor.stream(inputs, Decode(steps=steps)):
            file.write(found.text.encode() + b"\n")
