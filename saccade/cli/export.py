"""The verb that hands a model to another engine."""

from pathlib import Path
from typing import Annotated

import typer

from saccade.cli.options import Model, note
from saccade.cli.tables import show_table
from saccade.errors import CheckpointError
from saccade.experiments import agreement
from saccade.export.base import Exporter, is_export, of_extra
from saccade.export.base import export as write
from saccade.folders.imported import import_arpa
from saccade.parts import kinds


def export(
    model: Model,
    kind: Annotated[str, typer.Option("--to", help=f"One of {', '.join(kinds(Exporter))}.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where to write; MODEL-ENGINE beside it.")
    ] = None,
    quantise: Annotated[
        str, typer.Option("--quantise", help="int8: round the weights. float32: leave them.")
    ] = "",
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace an earlier export in the folder.")
    ] = False,
    lines: Annotated[
        int,
        typer.Option("--lines", min=0, help="Lines to translate with both, as a check; 0: none."),
    ] = 200,
) -> None:
    """Write a model for another engine, with its tokenizers, and check that it writes the same.

    The folder works without saccade and without torch, and with `saccade translate FOLDER`. The
    check translates the examples that the model folder carries with both engines; if there are
    none, made-up lines.

    [dim]Examples:[/dim]

      saccade export runs/demo --to ctranslate2

      saccade export runs/demo --to onnx --quantise int8 -o small
    """
    rounded = f"-{quantise}" if quantise else ""
    target = output or model.with_name(f"{model.resolve().name}-{kind}{rounded}")
    _check_target(target, overwrite=overwrite)
    facts = write(kind, model, target, quantise)
    size = sum(file.stat().st_size for file in target.rglob("*") if file.is_file())
    note(f"Wrote {target}: {facts.engine}, {facts.quantise}, {size / 1e6:.1f} MB.")
    runs = of_extra(Exporter, kind).runs
    if lines and runs:
        found = agreement.compare(model, target, lines)
        show_table(f"{facts.engine} beside torch, on {found.origin}", ["", ""], found.rows())
    if runs:
        note(f"Use it:  saccade translate {target}")


def import_file(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="An ARPA file, plain or .gz.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The model folder to write.")],
) -> None:
    """Read an n-gram language model that another tool made, an ARPA file, into a model folder.

    It scores and continues texts, and has a say in what other models write
    (decoding.language_model).

    [dim]Example:[/dim]

      saccade import words.arpa -o runs/words
    """
    found = import_arpa(path, output)
    note(
        f"Wrote {output}: {found.n_grams:,} n-grams of {found.n_symbols:,} symbols; pieces are"
        f" those of the tokenizer {found.tokenizer}."
    )
    note(f"Use it:  saccade score {output}")


def _check_target(target: Path, *, overwrite: bool) -> None:
    if not target.exists() or (target.is_dir() and not any(target.iterdir())):
        return
    if not is_export(target):
        raise CheckpointError(
            f"{target}: already holds something that is not an export of a model. Choose another"
            " place with --output."
        )
    if not overwrite:
        raise CheckpointError(
            f"{target}: already holds an exported model. Replace it with --overwrite, or choose"
            " another place with --output."
        )
