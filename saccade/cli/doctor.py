"""The verb that looks for what is wrong: in data, or in what a model writes."""

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from saccade import recipe as recipes
from saccade.cli.options import Device, note
from saccade.cli.tables import out_console
from saccade.data.codecs import TARGET
from saccade.data.files import captions_of, check_files, readers_of, sounds_of, tables_of
from saccade.data.prepare import fit_codecs, known_before, reads
from saccade.engines._devices import checked_device
from saccade.engines._open import load
from saccade.folders.examples import read_examples
from saccade.folders.model import build_model
from saccade.look import doctor as rules
from saccade.look import pairs as pair_rules
from saccade.look.captions import examine_captions
from saccade.look.doctor import Finding
from saccade.look.frames import examine_frames
from saccade.look.probes import probe_nonsense
from saccade.look.sounds import examine_sounds
from saccade.modalities.base import Codec, Modality
from saccade.models.base import Model
from saccade.nouns import Example
from saccade.parts import Part, find
from saccade.predict.evaluation import outputs_for
from saccade.predict.predictor import Predictor
from saccade.readers._lines import numbered
from saccade.readers._table import Table
from saccade.readers.base import Reader
from saccade.readers.text import Text
from saccade.views import bars

_MOST = 1_000_000  # pairs of a corpus that are looked at
_TABLES = {".tsv": "tsv", ".csv": "csv", ".jsonl": "jsonl", ".parquet": "parquet"}
_ARRAYS = 500  # of those that are slow to encode, as pictures
_MAPS = 50  # attention maps that are looked at
_NO_PROFILE = Finding(
    "note",
    "no profile.json: nothing is known of the training data, so two guards are silent",
    "Train anew, or go on with --resume, which writes it.",
)
_NO_EXAMPLES = Finding(
    "note",
    "no examples.json: there is nothing to decode but nonsense",
    "Train anew, or go on with --resume, which writes it; or measure it: saccade evaluate.",
)
_MARKS = {"good": "[green]✓[/green]", "note": "[blue]·[/blue]", "warning": "[yellow]![/yellow]"}


def doctor(
    paths: Annotated[
        list[Path], typer.Argument(metavar="RECIPE|FILE...|MODEL", help="What to look at.")
    ],
    device: Device = "cpu",
) -> None:
    """Look for what is wrong with data or with a model, and say what to do.

    A recipe: all its data, train against test, unknown words. Files: one or two of text, or tables
    (.tsv, .csv, .jsonl, .parquet).
    A model folder: decodes the examples that it carries, up to 200, and nonsense.

    [dim]Examples:[/dim]

      saccade doctor recipe.yaml

      saccade doctor train.en train.fr

      saccade doctor runs/demo
    """
    if len(paths) == 1 and paths[0].is_dir():
        findings = _model(paths[0], checked_device(device))
    elif len(paths) == 1 and paths[0].suffix in (".yaml", ".yml"):
        findings = _recipe(paths[0])
    else:
        findings = _files(paths)
    _print(findings)
    n_warnings = sum(finding.level == "warning" for finding in findings)
    several = "" if n_warnings == 1 else "s"
    note(f"{n_warnings} warning{several}." if n_warnings else "Nothing alarming.")


def _files(paths: Sequence[Path]) -> list[Finding]:
    tables = {path: table for path in paths if (table := _table(path))}
    texts = [path for path in paths if path not in tables]
    found = []
    for path, one in tables.items():
        found += _corpus(path.name, _take(one))
        found += pair_rules.examine_unread(one.unread())
    if len(texts) == 2:
        reader = Text(Path(), source=str(texts[0]), target=str(texts[1]))
        return found + _corpus(f"{texts[0].name}, {texts[1].name}", _take(reader))
    for path in texts:
        lines = [line for _, line in islice(numbered(path), _MOST)]
        found += rules.examine_lines(path.name, lines)
        _histogram(path.name, lines)
    return found


def _table(path: Path) -> Table | None:
    """Return the reader of a file whose name says that it is a table."""
    kind = _TABLES.get(Path(path.name.removesuffix(".gz")).suffix.lower())
    reader = Part(Reader, kind, {"path": str(path)}).build(Path()) if kind else None
    return reader if isinstance(reader, Table) else None


def _recipe(path: Path) -> list[Finding]:
    recipe = recipes.load(path)
    check_files(recipe, readers_of(recipe))
    data, paired = recipe.data, reads(recipe)
    printed = any(find(Modality, part.kind).raw == "line" for part in data.read.values())
    pictures = examine_captions(captions_of(readers_of(recipe)), lines=printed)
    pictures += examine_sounds(sounds_of(readers_of(recipe)))
    if any(finding.stops for finding in pictures):
        return pictures
    readers = known_before([part.build(Path()) for part in data.train])
    train = [example for reader in readers for example in _take(reader)]
    codecs = fit_codecs(recipe, readers)
    sides = codecs.sides if paired else {TARGET: codecs.target}
    found = [one for side, codec in sides.items() for one in _side("train", side, codec, train)]
    found = pictures + found
    text = all(codec.vocabulary is not None for codec in sides.values())
    if paired and text:
        found += pair_rules.examine_pairs("train", train)
    if find(Model, recipe.model.kind).frames:
        found += examine_frames("train", build_model(recipe, codecs, draw=False), codecs, train)
    for table in tables_of(readers_of(recipe)):
        found += pair_rules.examine_unread(table.unread())
    for name, part in {"valid": data.valid, **data.test}.items():
        held_out = _take(part.build(Path()))
        if paired and text:
            found += pair_rules.examine_pairs(name, held_out)
        if paired:
            found.append(pair_rules.overlap(train, held_out, name))
        for side, codec in sides.items():
            if codec.vocabulary is not None:
                lines = [_raw(example, side) for example in held_out]
                found.append(pair_rules.unknowns(codec.vocabulary, lines, f"{name} {side}"))
    return found


def _raw(example: Example, side: str) -> Any:
    return example.target if side == TARGET else example.sources[side]


def _side(name: str, side: str, codec: Codec, examples: list[Example]) -> list[Finding]:
    """Look at one side of a corpus, as its kind of data asks for."""
    raws, title = [_raw(example, side) for example in examples], f"{name} {side}"
    if codec.vocabulary is not None:
        _histogram(title, raws)
        return rules.examine_lines(title, raws, featured=codec.vocabulary.featured)
    every = max(-(-len(examples) // _ARRAYS), 1) if codec.chunk < Codec.chunk else 1
    origins = [example.origin for example in examples[::every]]
    what = codec.describe() + (f", every {every}th" if every > 1 else "")
    arrays = [codec.pad([array]).values[0] for array in codec.encode(raws[::every], origins)]
    if codec.view in ("picture", "film"):  # no pixel has a meaning of its own
        arrays = [array.reshape(-1, 1) for array in arrays]
    return rules.examine_arrays(title, what, arrays)


def _corpus(name: str, examples: list[Example]) -> list[Finding]:
    sources, targets = [e.source for e in examples], [e.target for e in examples]
    _histogram(f"{name} source", sources)
    _histogram(f"{name} target", targets)
    return [
        *rules.examine_lines(f"{name} source", sources),
        *rules.examine_lines(f"{name} target", targets),
        *pair_rules.examine_pairs(name, examples),
    ]


def _model(folder: Path, device: str) -> list[Finding]:
    examples = read_examples(folder)
    predictor = load(folder, device=device)
    found = _examples(folder, predictor, examples) if examples else [_NO_EXAMPLES]
    if predictor.source.vocabulary is None or len(predictor.sources) > 1:
        return found
    first = next(iter(predictor.given(examples[0]).values())) if examples else ""
    return [
        *found,
        *rules.examine_nonsense(probe_nonsense(predictor, first)),
        *([] if predictor.profile else [_NO_PROFILE]),
    ]


def _examples(folder: Path, predictor: Predictor, examples: list[Example]) -> list[Finding]:
    """Predict the examples that a folder carries, and look at what comes out."""
    done = Finding("good", f"{folder}: predicted its {len(examples)} examples")
    references = [example.target for example in examples]
    if predictor.target.vocabulary is None:
        return [done, *rules.examine_forecasts(outputs_for(predictor, examples), references)]
    given = [predictor.given(example) for example in examples]
    found = predictor.predict(given)
    entropies = [rules.entropy(one) for one in found[:_MAPS]]
    findings = [done, *rules.examine_outputs(found, references, entropies)]
    vocabulary = predictor.source.vocabulary
    if vocabulary is None or len(predictor.sources) > 1:
        return findings
    sources = [next(iter(one.values())) for one in given]
    unknown = pair_rules.unknowns(vocabulary, sources, "input")
    return [*findings, unknown, *rules.examine_flags(found)]


def _take(reader: Reader) -> list[Example]:
    return list(islice(reader.read(), _MOST))


def _histogram(name: str, lines: Sequence[str]) -> None:
    """Show how long lines are: in words, or in characters where a line is a word."""
    words = [len(line.split()) for line in lines]
    alone = max(words, default=0) <= 1
    counts = bars.histogram([len(line) for line in lines] if alone else words)
    title = f"{name}: {'characters' if alone else 'words'} a line"
    width = max(min(out_console().width, 80), 20)
    typer.echo(bars.to_terminal(counts, title=title, width=width))


def _print(findings: Sequence[Finding]) -> None:
    console = out_console()
    for finding in findings:
        console.print(f"{_MARKS[finding.level]} {escape(finding.text)}", highlight=False)
        for place in finding.places:
            console.print(f"    {escape(place)}", style="dim", highlight=False, no_wrap=True)
        if finding.advice:
            console.print(f"    → {escape(finding.advice)}", highlight=False)
