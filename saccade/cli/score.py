"""The verb that weighs given pairs."""

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from saccade.cli.formats import Format, one_line
from saccade.cli.options import Device, Model
from saccade.cli.streams import named_inputs, output
from saccade.engines._devices import checked_device
from saccade.errors import RecipeError
from saccade.folders import model as folders
from saccade.nouns import Example, pair
from saccade.predict.prediction import DECIMALS, Scored, rounded
from saccade.readers._lines import numbered
from saccade.readers.text import Text

_CHUNK = 2000


def score(
    model: Model,
    source: Annotated[Path, typer.Argument(metavar="SOURCE", help="Source lines.")],
    target: Annotated[
        Path | None,
        typer.Argument(
            metavar="[TARGET]",
            help="Target lines; line n belongs to source line n. A language model has none: it"
            " weighs the lines of SOURCE.",
        ),
    ] = None,
    per_token: Annotated[
        bool, typer.Option("--per-token", help="Add the log-probability of every piece.")
    ] = False,
    form: Annotated[
        Format, typer.Option("--format", help="text (score), tsv (source, target, score) or jsonl.")
    ] = Format.text,
    target_file: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write this file, not standard output.")
    ] = None,
    device: Device = "cpu",
) -> None:
    """Say how likely a model finds given pairs: the log-probability of each target, END included.

    [dim]Examples:[/dim]

      saccade score runs/demo in.en in.fr --per-token

      saccade score runs/shakespeare-lstm verses.txt        [dim](a language model)[/dim]
    """
    checked_device(device)
    with output(target_file) as file:
        translator = folders.load(model, device=device)
        examples = _examples(source, target, paired=translator.model.reads)
        while chunk := list(islice(examples, _CHUNK)):
            given = list(named_inputs([e.source for e in chunk], translator.sources))
            found = translator.score(given, [e.target for e in chunk])
            for example, one in zip(chunk, found, strict=True):
                row = _row(example, one, form, per_token=per_token)
                file.write(row.encode() + b"\n")
            file.flush()


def _examples(source: Path, target: Path | None, *, paired: bool) -> Iterator[Example]:
    if paired == (target is None):
        raise RecipeError(
            f"score: this model {'reads a source' if paired else 'is a language model'}; expected"
            f" {'SOURCE and TARGET' if paired else 'one file of texts'}, found"
            f" {'one file' if paired else 'two'}. {'Add the targets.' if paired else 'Drop one.'}"
        )
    if target is not None:
        return Text(Path(), source=str(source), target=str(target)).read()
    return (pair("", line, f"{source}:{number}") for number, line in numbered(source))


def _row(example: Example, one: Scored, form: Format, *, per_token: bool) -> str:
    if form is Format.jsonl:
        found = {"source": example.source, "target": example.target, "score": rounded(one.score)}
        scores = [rounded(value) for value in one.token_scores]
        pieces = {"tokens": list(one.tokens), "token_scores": scores}
        return json.dumps(found | (pieces if per_token else {}), ensure_ascii=False)
    columns = [one_line(example.source), one_line(example.target)] if form is Format.tsv else []
    columns.append(f"{rounded(one.score):.{DECIMALS}f}")
    if per_token:
        columns.append(" ".join(f"{rounded(value):.{DECIMALS}f}" for value in one.token_scores))
    return "\t".join(columns)
