"""The verb that writes: lines in, lines out, in order."""

import sys
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Annotated, BinaryIO, TextIO

import typer

from saccade.cli.formats import DOCUMENTS, Format, OutputColumns, format_rows
from saccade.cli.options import (
    Beam,
    Device,
    Engine,
    Model,
    Quantise,
    ShardRunner,
    coloured,
    columns,
    note,
)
from saccade.cli.startup import lighten, uncollected
from saccade.cli.streams import input_lines, input_size, named_inputs, output, picture_inputs
from saccade.engines._open import load
from saccade.engines.base import Opened
from saccade.errors import RecipeError
from saccade.export.base import is_export
from saccade.modalities._notation import Notation
from saccade.predict.decode import CHUNK, Decode
from saccade.predict.prediction import Prediction
from saccade.views.drawing import FORMS, draw_output, stacked

_PICTURES = 64  # that are held at once
_MUCH = 1 << 17  # bytes from which a fast engine pays for loading torch


def translate(
    model: Model,
    pictures: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FILE]...",
            help="Pictures or sounds, for a model that reads them; of several sources NAME=FILE."
            " Texts, for a model that writes with a pen or draws.",
        ),
    ] = None,
    source: Annotated[
        Path | None,
        typer.Option("--input", "-i", help="Read this file; standard input if not given."),
    ] = None,
    target: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Write this file, not standard output. Of values: FILE.svg, .html, .png or .pdf"
            " draws them.",
        ),
    ] = None,
    beam: Beam = None,
    nbest: Annotated[int, typer.Option("--nbest", min=1, help="Outputs for each line.")] = 1,
    length_penalty: Annotated[
        float | None,
        typer.Option(
            "--length-penalty", min=0.0, help="Exponent of the length scores are divided by."
        ),
    ] = None,
    form: Annotated[
        Format | None,
        typer.Option(
            "--format",
            help="text, tsv (source, output, ...) or jsonl; for lines hocr or alto. Text if not"
            " given; of --shards as the shard is.",
        ),
    ] = None,
    scores: Annotated[bool, typer.Option("--scores", help="Add each output's score.")] = False,
    alignments: Annotated[
        bool,
        typer.Option(
            "--alignments", help="Add alignments of words, or of characters if they are the pieces."
        ),
    ] = False,
    flags: Annotated[
        bool,
        typer.Option(
            "--flags", help="Warn of outputs not to trust: in jsonl, else on standard error."
        ),
    ] = False,
    sample: Annotated[
        bool, typer.Option("--sample", help="Draw outputs by chance instead of searching.")
    ] = False,
    temperature: Annotated[
        float | None,
        typer.Option(
            "--temperature", help="Of --sample: above 1 is bolder, below 1 keeps to the likely."
        ),
    ] = None,
    top_k: Annotated[
        int | None, typer.Option("--top-k", help="Of --sample: only the K likeliest symbols.")
    ] = None,
    top_p: Annotated[
        float | None,
        typer.Option(
            "--top-p", help="Of --sample: only the likeliest that together have this probability."
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", help="Of --sample: another seed, another output.")
    ] = None,
    bias: Annotated[
        float | None,
        typer.Option(
            "--bias", min=0.0, help="Of --sample, for strokes of a pen: the larger, the neater."
        ),
    ] = None,
    prefix: Annotated[str, typer.Option("--prefix", help="Text every output begins with.")] = "",
    line_buffered: Annotated[
        bool, typer.Option("--line-buffered", help="Answer every line before reading the next.")
    ] = False,
    shards: Annotated[
        tuple[str, Path] | None,
        typer.Option(
            "--shards",
            metavar="IN OUT",
            help="Predict every file of the folder or pattern IN into a file of the same name in"
            " the folder OUT.",
        ),
    ] = None,
    workers: Annotated[
        int, typer.Option("--workers", min=1, help="Of --shards: processes that share the work.")
    ] = 1,
    runner: Annotated[
        ShardRunner,
        typer.Option(
            "--runner",
            help="Of --shards: what workers are. Processes of this machine, or actors of the Ray"
            " cluster that RAY_ADDRESS names, else of one that is started here.",
        ),
    ] = ShardRunner.processes,
    column: Annotated[
        str,
        typer.Option(
            "--column",
            help="Of --shards in tables: the key or column to read, for TSV its number; if not"
            " given the first, or one with a usual name.",
        ),
    ] = "",
    engine: Engine = "auto",
    quantise: Quantise = "",
    device: Device = "cpu",
) -> None:
    """Write an output for every line: a translation, a pronunciation, a label, tags, numbers.

    Lines come from standard input and go to standard output, one out for each in. `predict` and
    `translate` are names of this verb. The output of a line depends on that line alone, not on its
    neighbours. n-best text is in the form of Moses, `id ||| text ||| score`. A
    language model goes on from each line instead. A model with several sources reads a JSON object
    a line: {"story": "...", "question": "..."}. A model of pictures reads the files named behind it
    (PNG, JPEG, GIF, WebP), one line out for each, or lines with data URIs; one of sounds WAVE,
    FLAC, Ogg and MP3 files. With --shards every file of a corpus is predicted once, by several
    processes; the same command goes on where it was stopped, also on several machines at once.

    [dim]Examples:[/dim]

      echo "The little girl sleeps." | saccade translate runs/demo

      saccade translate runs/demo -i in.txt -o out.jsonl --format jsonl --nbest 5 --alignments

      saccade predict runs/captions dog.jpg beach.png

      saccade predict runs/demo --shards 'corpus/*.txt.gz' outputs --workers 8

      saccade predict runs/fraktur-ctc lines/*.png --format alto -o lines.xml

      saccade translate runs/demo        [dim](a conversation, on a terminal)[/dim]

      saccade predict runs/draw 3 --sample --seed 7 -o three.svg

      saccade predict runs/pen-synthesis "Four keys" --sample --bias 2 > keys.svg

      echo "ROMEO:" | saccade translate runs/shakespeare-lstm --sample --temperature 0.8
    """
    chance = {"temperature": temperature, "top_k": top_k, "top_p": top_p, "seed": seed}
    chance["bias"] = bias
    drawn = _sample({"beam": beam, "length_penalty": length_penalty}, chance, sample)
    decode = Decode(beam, nbest, length_penalty, sample=drawn, prefix=prefix)
    if alignments and is_export(model):
        raise RecipeError(
            f"--alignments: {model} was exported without what tells where a model looked;"
            " expected the model folder. Translate with that one."
        )
    if shards:  # () if they are not given
        _refuse_beside_shards(pictures, source, target, line_buffered=line_buffered)
        search = {"beam": beam, "nbest": nbest, "length_penalty": length_penalty}
        many = import_module("saccade.cli.shards")  # with processes, which one line does not need
        job = many.ShardJob(
            model,
            {**search, "sample": drawn, "prefix": prefix},
            *(form, scores, alignments, flags, column, engine, quantise, device),
        )
        many.predict_shards(*shards, workers, job, runner)
        return
    _refuse_without_shards(
        {"--workers": workers > 1, "--runner": runner is ShardRunner.ray, "--column": column != ""}
    )
    form = form or Format.text
    with output(target) as file:
        much = input_size(source) >= _MUCH
        lighten()
        with uncollected():
            translator = load(model, device=device, engine=engine, quantise=quantise, much=much)
        refuse_search(model, decode, translator, scores=scores, alignments=alignments)
        live = source is None and not pictures and _is_terminal(sys.stdin)
        inputs = _inputs(model, translator, pictures, source, live=live)
        chunk = 1 if live or line_buffered else _PICTURES if pictures else CHUNK
        found = translator.stream(inputs, decode, chunk=chunk)
        if target and form is Format.text and _draws(translator.target, target):
            file.write(_drawn(found, target))
            return
        wanted = OutputColumns(form, nbest=nbest, scores=scores, alignments=alignments, flags=flags)
        if form in DOCUMENTS:
            documents = import_module("saccade.cli.documents")  # with numpy, which takes a while
            documents.write_document(found, file, wanted, translator, pictures or ())
            return
        _write(
            found, file, wanted, eager=live or line_buffered, draw=live and _is_terminal(sys.stdout)
        )


def _refuse_without_shards(asked: Mapping[str, bool]) -> None:
    given = [name for name, is_given in asked.items() if is_given]
    if given:
        raise RecipeError(
            f"{', '.join(given)}: belongs to --shards, which was not asked for. Add --shards IN"
            " OUT, or leave it out."
        )


def _refuse_beside_shards(
    pictures: list[str] | None, source: Path | None, target: Path | None, *, line_buffered: bool
) -> None:
    asked = {
        "files behind the model": pictures,
        "--input": source,
        "--output": target,
        "--line-buffered": line_buffered,
    }
    given = [name for name, value in asked.items() if value]
    if given:
        raise RecipeError(
            f"{', '.join(given)}: beside --shards, which says what is read and written; expected"
            " one of them. Leave the others out."
        )


def _inputs(
    model: Path,
    opened: Opened,
    pictures: list[str] | None,
    source: Path | None,
    *,
    live: bool,
) -> Iterator[str | dict[str, str]]:
    """Return what to read: the pictures that were named, texts for a pen, or lines."""
    sources, target = opened.sources, opened.target
    if not pictures:
        return named_inputs(_prompted() if live else input_lines(source), sources)
    if source is not None:
        raise RecipeError(
            f"--input {source}: stands beside {pictures[0][:80]}; expected pictures or a file of"
            " lines. Leave one out."
        )
    if target.vocabulary is None and target.ends and len(sources) == 1:
        return iter(pictures)
    return picture_inputs(pictures, sources, model)


def _sample(
    searching: dict[str, float | None], chance: dict[str, float | None], sample: bool
) -> dict[str, float] | None:
    """Return the sampling that was asked for; refuse options of what was not."""
    odd, other = (searching, "beam search") if sample else (chance, "--sample")
    given = ["--" + name.replace("_", "-") for name, value in odd.items() if value is not None]
    if given:
        raise RecipeError(
            f"{', '.join(given)}: belongs to {other}, which was not asked for."
            f" {'Leave out --sample.' if sample else 'Add --sample.'}"
        )
    options = {name: value for name, value in chance.items() if value is not None}
    return options if sample else None


def refuse_search(
    model: Path, decode: Decode, opened: Opened, *, scores: bool, alignments: bool
) -> None:
    """Refuse options that are for symbols to a model of values; what draws may be sampled."""
    if opened.target.vocabulary is not None:
        return
    asked = {
        "--beam": decode.beam is not None,
        "--nbest": decode.nbest > 1,
        "--length-penalty": decode.length_penalty is not None,
        "--sample": decode.sample is not None and not opened.target.ends,
        "--prefix": decode.prefix != "",
        "--scores": scores,
        "--alignments": alignments,
    }
    given = [name for name, is_given in asked.items() if is_given]
    if given:
        raise RecipeError(
            f"{', '.join(given)}: for models that choose among symbols, but {model} writes values;"
            " nothing is searched or scored. Leave it out."
        )


def _draws(notation: Notation, path: Path) -> bool:
    """Tell whether a file is to be a picture of the output, by its ending.

    Where the text of an output is a picture already, as strokes are, it is written as it is.
    """
    return path.suffix.lower() in FORMS and bool(notation.chart) and not notation.stand_in


def _drawn(found: Iterable[Prediction], path: Path) -> bytes:
    """Draw outputs one below the other, as the bytes of a picture file."""
    several = [one for one, _ in zip(found, range(_PICTURES + 1), strict=False)]
    if len(several) > _PICTURES:
        raise RecipeError(
            f"--output {path}: more than {_PICTURES} outputs for one picture; expected at most so"
            " many. Write text, or give fewer lines."
        )
    if not several:
        raise RecipeError(f"--output {path}: nothing to draw; expected a line. Give one.")
    drawings = [draw_output(one.looker.target.chart, one.source, one.output) for one in several]
    whole = {f"{n}. {one.name}": one for n, one in enumerate(drawings, start=1)}
    one = drawings[0] if len(drawings) == 1 else stacked("Outputs", whole)
    return one.encoded(path.suffix)


def _write(
    found: Iterable[Prediction], file: BinaryIO, wanted: OutputColumns, *, eager: bool, draw: bool
) -> None:
    for number, translation in enumerate(found):
        for row in format_rows(number, translation, wanted):
            file.write(row.encode() + b"\n")
        if wanted.flags and wanted.form is not Format.jsonl:
            for flag in translation.flags:
                note(f"line {number + 1}: {flag.severity}: {flag.message}")
        if eager or number % CHUNK == CHUNK - 1:
            file.flush()
        if draw:
            draw_attention(translation)


def draw_attention(translation: Prediction) -> None:
    """Draw where the model looked, if it says so, on standard output."""
    drawn = translation.drawing()
    if drawn is not None:
        typer.echo(drawn.terminal(columns(), colour=coloured()), color=coloured())


def _is_terminal(stream: TextIO) -> bool:
    return stream.isatty()


def _prompted() -> Iterator[str]:
    """Ask for lines on standard error until there are no more."""
    note("Type a line to translate; Ctrl-D ends.")
    lines = input_lines(None)
    while True:
        typer.echo("> ", nl=False, err=True)
        line = next(lines, None)
        if line is None:
            typer.echo(err=True)
            return
        yield line
