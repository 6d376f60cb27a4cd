"""The verb that lays a text over its source, or links the words of pairs of texts."""

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from saccade.cli.inspect import read_given
from saccade.cli.options import Device, note
from saccade.cli.streams import output
from saccade.engines._devices import checked_device
from saccade.errors import RecipeError
from saccade.folders import model as folders
from saccade.look.alignment import draw_alignment, spellings_of
from saccade.metrics._links import link_score
from saccade.models._links import RULES, Links, symmetrise, turned
from saccade.predict.alignment import Segment
from saccade.predict.alignment import align as laid
from saccade.predict.linking import TextPair, link_by_posteriors, link_words, read_pairs
from saccade.predict.pharaoh import pharaoh_lines, read_gold, read_links
from saccade.views.drawing import checked_path


class Form(StrEnum):
    """How an alignment is written."""

    text = "text"
    jsonl = "jsonl"


class Rule(StrEnum):
    """How two directions become one."""

    intersection, union, grow_diag, grow_diag_final, grow_diag_final_and = RULES


def align(
    model: Annotated[
        Path,
        typer.Argument(metavar="MODEL", help="A model folder; or, for pairs, a file of links."),
    ],
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            help="What is read: a text, or a file or data URI. Without TEXT, a file of pairs:"
            " source, tab, target.",
        ),
    ],
    text: Annotated[str | None, typer.Argument(metavar="[TEXT]", help="What it says.")] = None,
    words: Annotated[bool, typer.Option("--words", help="Words only, not every label.")] = False,
    paths: Annotated[
        bool, typer.Option("--paths", help="List all paths that spell the text; for short ones.")
    ] = False,
    form: Annotated[Form, typer.Option("--format", help="text or jsonl.")] = Form.text,
    reverse: Annotated[
        Path | None,
        typer.Option(
            "--reverse", metavar="MODEL", help="A model of the other direction, or links."
        ),
    ] = None,
    rule: Annotated[
        Rule | None,
        typer.Option(
            "--symmetrise",
            help="How two directions become one, with --reverse; grow_diag_final_and if left out.",
        ),
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(
            "--threshold",
            min=0,
            max=1,
            help="Link all words that look at each other more than this, from 0 to 1; with"
            " --reverse, the geometric mean of both directions.",
        ),
    ] = None,
    gold: Annotated[
        Path | None,
        typer.Option("--gold", metavar="FILE", help="Links by people, 0-3 sure and 0p3 possible."),
    ] = None,
    target: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write a picture of a path, or the links of pairs."),
    ] = None,
    device: Device = "cpu",
) -> None:
    """Say where in its source each word of a given text is.

    Of a model that writes frame by frame, ctc or joint_ctc: by its best path. Places count from 0,
    in seconds where the source has a rate.

    Of a file of pairs: which words of source and target are linked, by where the model looks, in
    the format of Pharaoh; and the alignment error rate, if there is a gold standard.

    [dim]Examples:[/dim]

      saccade align runs/digits recording.wav "three four" -o trellis.svg

      saccade align runs/hmm-fr-en pairs.tsv --reverse runs/hmm-en-fr --gold links.txt -o found.txt
    """
    if text is None:
        pairs = read_pairs(Path(source))
        if threshold is None:
            found = _joined(model, reverse, pairs, rule, device)
        else:
            found = _by_posteriors(model, reverse, pairs, (threshold, rule), device)
        _write_links(found, pairs, gold, target)
        return
    if any(one is not None for one in (reverse, gold, threshold)):
        raise RecipeError(
            "align: --reverse, --gold and --threshold are for a file of pairs; expected none with a"
            " TEXT."
        )
    _lay(model, source, text, (words, paths, form), target, device)


def _joined(
    model: Path, reverse: Path | None, pairs: list[TextPair], rule: Rule | None, device: str
) -> Links:
    """Link every word to its likeliest, in one direction or in both."""
    found = _linked(model, pairs, device)
    if reverse is None:
        return found
    back = turned(_linked(reverse, [pair.turned() for pair in pairs], device))
    return symmetrise(found, back, rule or Rule.grow_diag_final_and, *_lengths(pairs))


def _by_posteriors(
    model: Path,
    reverse: Path | None,
    pairs: list[TextPair],
    how: tuple[float, Rule | None],
    device: str,
) -> Links:
    """Link all words that are likely enough."""
    threshold, rule = how
    files = [one for one in (model, reverse) if one is not None and one.is_file()]
    if files or rule is not None:
        found = f"{files[0]} is a file of links" if files else "--symmetrise joins links"
        raise RecipeError(
            f"align: {found}, but --threshold needs to know how likely they are; expected models"
            " and no rule. Leave one of them out."
        )
    on = checked_device(device)
    back = None if reverse is None else folders.load(reverse, device=on)
    return link_by_posteriors(folders.load(model, device=on), pairs, threshold, back)


def _linked(model: Path, pairs: list[TextPair], device: str) -> Links:
    """Link by a model, or read links from a file."""
    if model.is_file():
        return read_links(model, *_lengths(pairs))
    return link_words(folders.load(model, device=checked_device(device)), pairs)


def _lengths(pairs: list[TextPair]) -> tuple[list[int], list[int]]:
    return [len(p.source.split()) for p in pairs], [len(p.target.split()) for p in pairs]


def _write_links(
    links: Links, pairs: list[TextPair], gold: Path | None, target: Path | None
) -> None:
    wanted = None if gold is None else read_gold(gold, *_lengths(pairs))
    if wanted is None or target is not None:
        with output(target) as file:
            for line in pharaoh_lines(links, len(pairs)):
                file.write(line.encode() + b"\n")
    if wanted is not None:
        typer.echo(link_score(links, wanted).line())


def _lay(
    model: Path,
    source: str,
    text: str,
    shown_as: tuple[bool, bool, Form],
    target: Path | None,
    device: str,
) -> None:
    """Lay a text over the frames of its source."""
    words, paths, form = shown_as
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
