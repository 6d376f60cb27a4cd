"""The verbs that look: inside a model at work on one sentence, and back at a run."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from saccade import folder as folders
from saccade import inspection
from saccade.cli.speech import Beam, Device, Model, checked_device, coloured, note, out_console
from saccade.cli.streams import output
from saccade.errors import RecipeError
from saccade.report import rewrite_report
from saccade.translation import Translation
from saccade.translator import Translator
from saccade.views import alignment, beam_tree, distribution, heatmap, lines, positions, svg
from saccade.views.page import Section, page, paragraph

_FORMS = (".svg", ".html")


class View(StrEnum):
    """What there is to see."""

    attention = "attention"
    heads = "heads"
    lines = "lines"
    beam = "beam"
    alignment = "alignment"
    distribution = "distribution"
    positions = "positions"


@dataclass(frozen=True, slots=True)
class _Picture:
    """A view in its three forms, each drawn when asked for; the terminal's takes its width."""

    terminal: Callable[[int], str]
    svg: Callable[[], str]
    html: Callable[[], str] | None = None

    def fragment(self) -> str:
        return self.html() if self.html else svg.scroller(self.svg())


@dataclass(frozen=True, slots=True)
class _Seen:
    """What a view is drawn from."""

    translator: Translator
    translation: Translation
    head: str
    beam: int | None


def inspect(
    model: Model,
    sentence: Annotated[str, typer.Argument(metavar="SENTENCE", help="What the model reads.")],
    view: Annotated[View, typer.Option("--view", "-v", help="What to look at.")] = View.attention,
    head: Annotated[
        str, typer.Option("--head", help="One attention map by name, or mean, or max, of all.")
    ] = "mean",
    target: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write a picture, FILE.svg or FILE.html.")
    ] = None,
    beam: Beam = None,
    device: Device = "cpu",
) -> None:
    """See what a model does with a sentence: where it looked, what it searched, how sure it was.

    [dim]Examples:[/dim]

      saccade inspect runs/demo "She sees them."

      saccade inspect runs/demo "She sees them." --view beam --beam 4 -o beam.svg

      saccade inspect runs/demo "She sees them." --view distribution -o distribution.html
    """
    if target and target.suffix.lower() not in _FORMS:
        raise RecipeError(
            f"--output {target}: ends in '{target.suffix}'; expected .svg or .html. Rename it."
        )
    checked_device(device)
    translator = folders.load(model, device=device)
    translation = inspection.translated(translator, sentence, beam=beam)
    picture = _VIEWS[view](_Seen(translator, translation, head, beam))
    if target is None:
        note(f"{translation.source_text} → {translation.text}")
        typer.echo(picture.terminal(max(out_console().width, 20)), color=coloured(), nl=False)
        return
    drawn = picture.svg() if target.suffix.lower() == ".svg" else _page(view, translation, picture)
    with output(target) as file:
        file.write(drawn.encode())
    note(f"{translation.source_text} → {translation.text}\nThe picture is {target}.")


def report(
    run_folder: Annotated[Path, typer.Argument(metavar="RUN", help="A run folder.")],
    device: Device = "cpu",
) -> None:
    """Write a run's report.html anew: curves, samples, attention. It may still be training.

    [dim]Example:[/dim]

      saccade report runs/demo
    """
    checked_device(device)
    typer.echo(rewrite_report(run_folder, device=device))


def _page(view: View, translation: Translation, picture: _Picture) -> str:
    said = paragraph(f"{translation.source_text} → {translation.text}")
    return page("What the model did", [Section(view.value.title(), [said, picture.fragment()])])


def _attention(seen: _Seen) -> _Picture:
    one = seen.translation
    weights = inspection.attention(one, seen.head)
    drawn = (weights, one.source_tokens, one.tokens)
    title = f"Attention, {seen.head} of all maps" if seen.head in ("mean", "max") else seen.head
    return _Picture(
        lambda width: heatmap.to_terminal(*drawn, colour=coloured(), width=width),
        lambda: heatmap.to_svg(*drawn, title=title),
        lambda: heatmap.to_html(*drawn, title=title),
    )


def _heads(seen: _Seen) -> _Picture:
    one = seen.translation
    maps = inspection.attention_maps(one)
    return _Picture(
        lambda width: heatmap.grid_terminal(maps, colour=coloured(), width=width),
        lambda: heatmap.grid_svg(maps, one.source_tokens, one.tokens, title="Attention maps"),
        lambda: heatmap.grid(maps, one.source_tokens, one.tokens),
    )


def _lines(seen: _Seen) -> _Picture:
    one = seen.translation
    weights = inspection.attention(one, seen.head)
    return _Picture(
        lambda width: lines.to_terminal(weights, one.source_tokens, one.tokens, width=width),
        lambda: lines.to_svg(weights, one.source_tokens, one.tokens),
    )


def _beam(seen: _Seen) -> _Picture:
    found = inspection.beam(seen.translator, seen.translation.source_text, width=seen.beam)
    tree, winner, greedy = found.tree, found.winner, found.greedy
    return _Picture(
        lambda width: beam_tree.to_terminal(
            tree, winner=winner, greedy=greedy, colour=coloured(), width=width
        ),
        lambda: beam_tree.to_svg(tree, winner=winner, greedy=greedy),
    )


def _alignment(seen: _Seen) -> _Picture:
    found = inspection.aligned(seen.translation)
    return _Picture(
        lambda width: alignment.to_terminal(found.source, found.target, found.points, width=width),
        lambda: alignment.to_svg(found.source, found.target, found.points),
    )


def _distribution(seen: _Seen) -> _Picture:
    choices = inspection.distributions(seen.translator, seen.translation)
    return _Picture(
        lambda width: distribution.to_terminal(choices, width=width),
        lambda: distribution.to_svg(choices),
    )


def _positions(seen: _Seen) -> _Picture:
    matrix = inspection.positions(seen.translator, len(seen.translation.source_tokens))
    return _Picture(
        lambda width: positions.to_terminal(matrix, colour=coloured(), width=width),
        lambda: positions.to_svg(matrix, title="Position encoding"),
    )


_VIEWS: dict[View, Callable[[_Seen], _Picture]] = {
    View.attention: _attention,
    View.heads: _heads,
    View.lines: _lines,
    View.beam: _beam,
    View.alignment: _alignment,
    View.distribution: _distribution,
    View.positions: _positions,
}
