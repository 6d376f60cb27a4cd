"""Pictures of predictions and evaluations: what is gathered meets what draws it."""

from collections.abc import Mapping, Sequence
from typing import Any

from saccade.look import inspection
from saccade.look.heads import choose, looked_within
from saccade.metrics import _labels
from saccade.metrics._characters import character_confusion
from saccade.metrics.base import Metric, References
from saccade.modalities._notation import Notation
from saccade.parts import Part
from saccade.predict import evaluation
from saccade.predict.evaluation import Evaluation
from saccade.predict.prediction import FRAMES, Prediction
from saccade.views import (
    by_length,
    confusion,
    gradient_flow,
    spikes,
)
from saccade.views.drawing import (
    AttentionMap,
    Drawing,
    colourless,
    draw_maps,
    draw_output,
    stacked,
)


def output_drawing(prediction: Prediction, truth: Any = None) -> Drawing:
    """Draw an output by the chart of its target, with where the model looked meanwhile.

    Args:
        prediction: what was written; its target has a `chart`.
        truth: what was to come, if that is known.
    """
    chart, seen = prediction.looker.target.chart, looked_meanwhile(prediction)
    return draw_output(chart, prediction.source, prediction.output, truth, seen)


def looked_meanwhile(prediction: Prediction) -> AttentionMap | None:
    """Return where a model looked while it wrote values, if it looked at anything."""
    weights = prediction.attention
    if weights is None:
        return None
    places = (prediction.source_tokens, prediction.tokens, prediction.grid)
    return AttentionMap(weights, *places, prediction.seen)


def draw_beside(drawings: Mapping[str, Drawing]) -> Drawing:
    """Put what several models do with one input below each other, as soft and hard attention."""
    said = "   ".join(f"{name}: {one.said}" for name, one in drawings.items())
    return stacked("Side by side", drawings, said=said)


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


def within_drawings(prediction: Prediction, *, most: int = 6000) -> dict[str, Drawing]:
    """Draw the maps of self-attention of every side, small: its heads, or the mean of its layers.

    most: cells of a picture; sides that have more in their layers alone are left out.
    """
    drawn = dict[str, Drawing]()
    for side in dict.fromkeys(one.side for one in prediction.self_maps):
        names = [one.name for one in prediction.self_maps if one.side == side]
        cells = next(one.weights.size for one in prediction.self_maps if one.side == side)
        layers = list(dict.fromkeys(name.rpartition(" head ")[0] or name for name in names))
        for chosen in (names, layers):
            if 0 < cells * len(chosen) <= most and side not in drawn:
                found = choose(prediction, ",".join(chosen))
                assert found.within is not None
                looked = looked_within(prediction, found.maps, found.within)
                drawn[side] = draw_maps(Notation.view, maps_of(prediction, looked))
    return drawn


def spikes_drawing(prediction: Prediction, head: str = "mean", *, said: str = "") -> Drawing:
    """Draw where each symbol is, over the input: by its frames if the model has them."""
    maps = inspection.attention_maps(prediction)
    weights = maps[FRAMES] if FRAMES in maps else inspection.attention(prediction, head)
    found = inspection.looked(prediction, {"Spikes": weights})
    return spikes.draw(prediction.view, maps_of(prediction, found, said=said)["Spikes"])


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
