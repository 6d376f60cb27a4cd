"""Views of a model at work on one sentence: what is gathered meets what draws it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property, partial
from typing import Any, Protocol, runtime_checkable

from saccade.errors import RecipeError, shown, suggest
from saccade.look import gradients, inspection
from saccade.look.addressing import addresses_drawing
from saccade.look.canvas import canvas_drawing
from saccade.look.gaze import gaze_drawing
from saccade.metrics import _labels
from saccade.metrics._characters import character_confusion
from saccade.metrics.base import Metric, References
from saccade.parts import Part
from saccade.predict import evaluation
from saccade.predict.evaluation import Evaluation
from saccade.predict.prediction import FRAMES, Prediction
from saccade.predict.predictor import Predictor
from saccade.views import (
    alignment,
    beam_tree,
    by_length,
    cell_state,
    confusion,
    distribution,
    gradient_flow,
    lines,
    positions,
    spikes,
    switch,
    windows,
    writing,
)
from saccade.views.drawing import (
    AttentionMap,
    Drawing,
    colourless,
    draw_maps,
    draw_output,
    stacked,
)


class View(StrEnum):
    """What there is to see."""

    attention = "attention"
    heads = "heads"
    lines = "lines"
    beam = "beam"
    alignment = "alignment"
    distribution = "distribution"
    positions = "positions"
    gradients = "gradients"
    cells = "cells"
    windows = "windows"
    switch = "switch"
    gaze = "gaze"
    spikes = "spikes"
    writing = "writing"
    addresses = "addresses"
    canvas = "canvas"


@dataclass(frozen=True)
class _Seen:
    """What a view is drawn from."""

    translator: Predictor
    sentence: Any
    head: str
    beam: int | None
    words: bool
    gold: str
    smoothly: bool
    seed: int | None

    @cached_property
    def translation(self) -> Prediction:
        """The sentence translated, once, for the views that ask what was written."""
        found = inspection.translated(self.translator, self.sentence, beam=self.beam)
        numbers = tuple(int(n) - 1 for n in self.gold.split() if n.isdecimal())
        return replace(found, supporting=numbers) if numbers else found

    @property
    def said(self) -> str:
        return f"{self.translation.source_title} → {self.translation.text}"


@runtime_checkable
class Holder(Protocol):
    """What has a model: a loaded one, or what `saccade.train` returned."""

    def whole(self) -> Predictor | None:
        """Return the model with all its weights; None if they are not at hand."""


def draw(  # noqa: PLR0913 - all but two are options
    translator: Holder,
    sentence: Any,
    view: str = "attention",
    *,
    head: str = "mean",
    words: bool = False,
    beam: int | None = None,
    gold: str = "",
    smoothly: bool = True,
    seed: int | None = None,
) -> Drawing:
    """Look at what a model does with a sentence; shows itself in a notebook, saves to a file.

    >>> m = saccade.load("runs/demo")                                        # doctest: +SKIP
    >>> saccade.inspect(m, "She sees them.", "beam", beam=4).save("beam.svg")  # doctest: +SKIP

    Args:
        translator: a loaded model.
        sentence: what it reads.
        view: one of `View`, as attention or beam.
        head: one attention map by name, the name of a layer, or mean or max of all.
        words: join pieces to whole words on the axes of attention.
        beam: hypotheses kept at each step; the recipe's own if not given.
        gold: for the alignment view, which words people say belong together, as `0-0 1-2 3p4`; of
            a story, the numbers of the sentences that the answer follows from, as `1 3`; for the
            canvas view, a picture to copy, as rows of bits.
        smoothly: over a picture, without edges between the cells; False draws the grid as it is.
        seed: for the canvas view, draw by chance; without one the latents are 0.
    """
    if view not in _VIEWS:
        raise RecipeError(
            f"inspect: no view '{view}'.{suggest(view, list(View))} Views: {', '.join(View)}."
        )
    given: object = translator  # people give paths too
    model = given.whole() if isinstance(given, Holder) else None
    if model is None:
        raise RecipeError(
            f"inspect: found {shown(translator)}; expected a model that `saccade.load` opened from"
            " a model folder, or that `saccade.train` returned. Load it first."
        )
    return _VIEWS[View(view)](_Seen(model, sentence, head, beam, words, gold, smoothly, seed))


def output_drawing(prediction: Prediction, truth: Any = None) -> Drawing:
    """Draw an output by the chart of its target, with where the model looked meanwhile.

    Args:
        prediction: what was written; its target has a `chart`.
        truth: what was to come, if that is known.
    """
    chart, seen = prediction.looker.target.chart, _looked_meanwhile(prediction)
    return draw_output(chart, prediction.source, prediction.output, truth, seen)


def writing_drawing(prediction: Prediction) -> Drawing:
    """Draw strokes as a pen writes them, with the window that moves along the letters."""
    if prediction.looker.target.chart != "handwriting":
        raise RecipeError(
            "views: writing draws what a pen does, but this model writes no strokes; expected a"
            " model of handwriting. Leave it out."
        )
    return writing.draw(prediction.source, prediction.output, _looked_meanwhile(prediction))


def _looked_meanwhile(prediction: Prediction) -> AttentionMap | None:
    weights = prediction.attention
    if weights is None:
        return None
    places = (prediction.source_tokens, prediction.tokens, prediction.grid)
    return AttentionMap(weights, *places, prediction.seen)


def draw_beside(drawings: Mapping[str, Drawing]) -> Drawing:
    """Put what several models do with one input below each other, as soft and hard attention."""
    said = "   ".join(f"{name}: {one.said}" for name, one in drawings.items())
    return stacked("Side by side", drawings, said=said)


def _attention(seen: _Seen) -> Drawing:
    title = inspection.map_title(seen.translation, seen.head)
    weights = {title: inspection.attention(seen.translation, seen.head)}
    found = inspection.looked(seen.translation, weights, whole=seen.words)
    (one,) = maps_of(seen.translation, found, smoothly=seen.smoothly, said=seen.said).values()
    return seen.translation.drawn(one, found.spans)


def maps_of(
    prediction: Prediction, found: inspection.Looked, *, smoothly: bool = True, said: str = ""
) -> dict[str, AttentionMap]:
    """Return maps `[T, S]` with the input they lie over, by name, as the views take them."""
    grid, raw = prediction.grid, prediction.seen
    return {
        title: AttentionMap(
            one, found.source, found.target, grid, raw, title=title, said=said, smoothly=smoothly
        )
        for title, one in found.maps.items()
    }


def _heads(seen: _Seen) -> Drawing:
    maps = inspection.attention_maps(seen.translation)
    found = inspection.looked(seen.translation, maps, whole=seen.words)
    drawn = maps_of(seen.translation, found, smoothly=seen.smoothly, said=seen.said)
    return draw_maps(seen.translation.view, drawn)


def _lines(seen: _Seen) -> Drawing:
    one = {"": inspection.attention(seen.translation, seen.head)}
    found = inspection.looked(seen.translation, one, whole=seen.words)
    drawn = (found.maps[""], found.source, found.target)
    return Drawing(
        "Lines",
        lambda: lines.to_svg(*drawn),
        colourless(lambda width: lines.to_terminal(*drawn, width=width)),
        said=seen.said,
    )


def _beam(seen: _Seen) -> Drawing:
    found = inspection.beam(seen.translator, seen.translation.sources, width=seen.beam)
    tree, winner, greedy = found.tree, found.winner, found.greedy
    return Drawing(
        "Beam",
        lambda: beam_tree.to_svg(tree, winner=winner, greedy=greedy),
        lambda width, *, colour: beam_tree.to_terminal(
            tree, winner=winner, greedy=greedy, colour=colour, width=width
        ),
        said=seen.said,
    )


def _alignment(seen: _Seen) -> Drawing:
    found = inspection.aligned(seen.translation)
    drawn = (found.source, found.target, found.points)
    gold = alignment.parse_gold(seen.gold) if seen.gold else None
    return Drawing(
        "Alignment",
        lambda: alignment.to_svg(*drawn, gold=gold),
        colourless(lambda width: alignment.to_terminal(*drawn, gold=gold, width=width)),
        said=seen.said,
    )


def _distribution(seen: _Seen) -> Drawing:
    choices = inspection.distributions(seen.translator, seen.translation)
    return Drawing(
        "Distribution",
        lambda: distribution.to_svg(choices),
        colourless(lambda width: distribution.to_terminal(choices, width=width)),
        said=seen.said,
    )


def _positions(seen: _Seen) -> Drawing:
    matrix = inspection.positions(seen.translator, len(seen.translation.source_tokens))
    return Drawing(
        "Positions",
        lambda: positions.to_svg(matrix, title="Position encoding"),
        partial(positions.to_terminal, matrix),
        said=seen.said,
    )


def _gradients(seen: _Seen) -> Drawing:
    flow = gradients.through_sentence(seen.translator, seen.translation)
    return flow_drawing(flow, "Gradient through each layer", said=seen.said)


def _cells(seen: _Seen) -> Drawing:
    symbols, units = inspection.units(seen.translator, seen.sentence)
    title = "Units that follow the text"
    return Drawing(
        "Cells",
        lambda: cell_state.to_svg(symbols, units, title=title),
        partial(cell_state.to_terminal, symbols, units),
        said=seen.sentence,
    )


def _windows(seen: _Seen) -> Drawing:
    one = seen.translation
    drawn = (inspection.windows(seen.translator, one), one.source_tokens, one.tokens)
    return Drawing(
        "Windows",
        lambda: windows.to_svg(*drawn, title="Windows over the source"),
        colourless(lambda width: windows.to_terminal(*drawn, width=width)),
        said=seen.said,
    )


def _switch(seen: _Seen) -> Drawing:
    one = seen.translation
    shares = inspection.switch(seen.translator, one)
    drawn = (one.tokens, shares[: len(one.tokens)])
    return Drawing(
        "Switch",
        lambda: switch.to_svg(*drawn, title="Generated or copied"),
        colourless(lambda width: switch.to_terminal(*drawn, width=width)),
        said=seen.said,
    )


def _gaze(seen: _Seen) -> Drawing:
    return gaze_drawing(seen.translator, seen.translation, said=seen.said)


def spikes_drawing(prediction: Prediction, head: str = "mean", *, said: str = "") -> Drawing:
    """Draw where each symbol is, over the input: by its frames if the model has them."""
    maps = inspection.attention_maps(prediction)
    weights = maps[FRAMES] if FRAMES in maps else inspection.attention(prediction, head)
    found = inspection.looked(prediction, {"Spikes": weights})
    return spikes.draw(prediction.view, maps_of(prediction, found, said=said)["Spikes"])


def _addresses(seen: _Seen) -> Drawing:
    return addresses_drawing(seen.translator, seen.translation, said=seen.said)


def flow_drawing(flow: gradient_flow.Flow, title: str, *, said: str = "") -> Drawing:
    """Draw how far back gradients reach."""
    return Drawing(
        "Gradients",
        lambda: gradient_flow.to_svg(flow, title=title),
        colourless(lambda width: gradient_flow.to_terminal(flow, title=title, width=width)),
        said=said,
    )


def length_drawing(metric: Part[Metric], found: Evaluation) -> Drawing:
    """Draw a metric of an evaluation by the length of the source."""
    references = [list(example.references) for example in found.examples]
    buckets = evaluation.by_length(metric, found.predictions, references)
    name = metric.build().name
    title = f"{name} by source length"
    return Drawing(
        "By length",
        lambda: by_length.to_svg(buckets, metric=name, title=title),
        colourless(lambda width: by_length.to_terminal(buckets, metric=name, width=max(width, 30))),
    )


def confusion_drawing(found: Evaluation, unit: _labels.Unit) -> Drawing:
    """Draw which labels of an evaluation were taken for which; `unit` says what a label is."""
    references = [list(example.references) for example in found.examples]
    outputs = [str(one.output) for one in found.predictions]
    table = _labels.confusion(outputs, references, unit=unit)
    drawn = (table.labels, table.counts)
    return Drawing(
        "Confusion",
        lambda: confusion.to_svg(*drawn, title="Wanted (rows) and written (columns)"),
        colourless(lambda width: confusion.to_terminal(*drawn, width=max(width, 30))),
    )


def character_drawing(found: Evaluation) -> Drawing:
    """Draw which characters of an evaluation were read as which; list the most frequent."""
    references = [list(example.references) for example in found.examples]
    return characters_drawn([str(one.output) for one in found.predictions], references)


def characters_drawn(outputs: Sequence[str], references: References) -> Drawing:
    """Draw which characters of outputs were read as which."""
    table = character_confusion(outputs, references)
    drawn = (table.labels, table.counts)
    return Drawing(
        "Confusion",
        lambda: confusion.to_svg(
            *confusion.worst(*drawn), title="The most confused: wanted (rows) and written (columns)"
        ),
        colourless(lambda _: confusion.most_confused(*drawn)),
    )


_VIEWS: dict[View, Callable[[_Seen], Drawing]] = {
    View.attention: _attention,
    View.heads: _heads,
    View.lines: _lines,
    View.beam: _beam,
    View.alignment: _alignment,
    View.distribution: _distribution,
    View.positions: _positions,
    View.gradients: _gradients,
    View.cells: _cells,
    View.windows: _windows,
    View.switch: _switch,
    View.gaze: _gaze,
    View.spikes: lambda seen: spikes_drawing(seen.translation, seen.head, said=seen.said),
    View.writing: lambda seen: writing_drawing(seen.translation),
    View.addresses: _addresses,
    View.canvas: lambda seen: canvas_drawing(
        seen.translator, seen.translation, copied=seen.gold, seed=seen.seed
    ),
}
