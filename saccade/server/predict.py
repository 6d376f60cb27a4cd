"""From a Prediction to what the answer tells about it."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from saccade.errors import RecipeError
from saccade.look import inspection
from saccade.look.addressing import addresses_drawing, has_memory
from saccade.look.canvas import canvas_drawing, has_canvas
from saccade.look.gaze import gaze_drawing, moves_an_eye
from saccade.look.pictures import maps_of, output_drawing, spikes_drawing, writing_drawing
from saccade.modalities._strokes import from_text, path_data
from saccade.predict.prediction import Prediction, rounded
from saccade.predict.predictor import Predictor
from saccade.predict.times import TimedText
from saccade.server.limits import Limits
from saccade.server.schema import Predict
from saccade.views import beam_tree, distribution, film, lines
from saccade.views.drawing import draw_maps

_DIGITS = 5  # of an attention weight


@dataclass(frozen=True)
class Seen:
    """One text's output, how greedy search wrote it if that was wanted, and what was asked."""

    translator: Predictor
    translation: Prediction
    greedy: Prediction | None
    asked: Predict

    @property
    def beam(self) -> inspection.BeamSteps:
        """The tree of the search."""
        assert self.greedy is not None
        return inspection.beam_of(self.translation, self.greedy)

    def maps(self) -> inspection.Looked:
        """Every attention map, by pieces or by words."""
        maps = inspection.attention_maps(self.translation)
        return inspection.looked(self.translation, maps, whole=self.asked.words, apart=True)

    def map(self) -> inspection.Looked:
        """The attention map that was asked for, by its title."""
        head = self.asked.head
        title = inspection.map_title(self.translation, head)
        one = {title: inspection.attention(self.translation, head)}
        return inspection.looked(self.translation, one, whole=self.asked.words, apart=True)


def needs_tree(asked: Predict) -> bool:
    """Tell whether the search must be traced, and a greedy one made beside it."""
    return "tree" in asked.want or "beam" in asked.views


def is_heavy(asked: Predict) -> bool:
    """Tell whether an answer takes more than reading off its text."""
    return bool(
        asked.views or {"attention", "alignment", "tree", "flags", "times"}.intersection(asked.want)
    )


def check_size(limits: Limits, seen: list[Seen]) -> None:
    """Refuse answers too large to send or draw, before anything large is computed."""
    total = largest = 0
    for one in seen:
        asked, found = one.asked, one.translation
        n_maps = max(len(one.translator.attention_names), 1)
        cells = n_maps * (len(found.hypothesis.tokens) + 1) * math.prod(found.grid)
        if "attention" in asked.want or asked.views:
            total += cells
        elif {"alignment", "flags", "times"} & {*asked.want}:
            largest = max(largest, cells)  # looked at and forgotten, one after the other
        total += sum(map(len, found.tree))
    limits.check_cells("want and views", max(total, largest))


def result(seen: Seen) -> dict[str, Any]:
    """Tell what was asked about one text, as JSON holds it."""
    one, asked = seen.translation, seen.asked
    told: dict[str, Any] = {
        "text": one.text,
        "score": score_number(one.score),
        "finished": one.finished,
        "nbest": [{"text": n.text, "score": score_number(n.score)} for n in one.nbest],
    }
    for name in asked.want:
        told |= _WANTS[name](seen)
    if asked.views:
        told["views"] = {} if one.blank else _drawn(seen)
    return told


def number(value: float | None) -> float | None:
    """Return a number that JSON can hold; None for what is not finite."""
    return value if value is not None and math.isfinite(value) else None


def score_number(value: float | None) -> float | None:
    """Return a score as it is shown: its last digits depend on the batch, and are left out."""
    finite = number(value)
    return None if finite is None else rounded(finite)


def _tokens(seen: Seen) -> dict[str, Any]:
    one = seen.translation
    words = one.looker.target.units(one.hypothesis.tokens)
    scores = one.token_scores or (None,) * len(words)  # values have none
    rows = zip(one.tokens, scores, words, strict=False)  # END has a score too
    return {"tokens": [{"text": t, "log_prob": score_number(s), "word": w} for t, s, w in rows]}


def _attention(seen: Seen) -> dict[str, Any]:
    one = seen.translation
    told: dict[str, Any] = {"source_tokens": one.source_tokens}
    if seen.asked.words:
        told |= _words(seen)
    if not one.attention_maps:
        return told | {"attention": {"names": [], "maps": []}, "layout": []}
    found = seen.maps()
    maps = found.maps
    rounded = [[[round(w, _DIGITS) for w in row] for row in m.tolist()] for m in maps.values()]
    layout = [_part(one, name, *span) for name, span in found.spans.items()]
    return told | {"attention": {"names": list(maps), "maps": rounded}, "layout": layout}


def _part(one: Prediction, name: str, start: int, end: int) -> dict[str, Any]:
    """Say which columns of attention belong to a source and, of a picture, how they lie over it.

    The picture of a clip is the strip of its frames.
    """
    told: dict[str, Any] = {"source": name, "start": start, "end": end}
    notation = one.looker.sources[name]
    if notation.view == "strokes":
        return told | {"strokes": path_data(from_text(notation.shown(one.sources[name])))}
    show = {"picture": notation.shown, "film": film.strip}.get(notation.view)
    if show is None:
        return told
    grid = one.looker.grid({name: one.arrays[name]})
    return told | {"grid": grid, "picture": show(one.sources[name])}


def _alignment(seen: Seen) -> dict[str, Any]:
    return _words(seen) | {"alignment": seen.translation.alignment}


def _words(seen: Seen) -> dict[str, Any]:
    one = seen.translation
    notation = next(iter(one.looker.sources.values()))
    labels = one.source_tokens[: len(one.source_values)]  # END is no word
    if len(one.arrays) > 1:
        source = inspection.looked(one, {}, whole=True, apart=True).source
    else:
        source = inspection.words(notation, one.source_values, labels, apart=True) if labels else ()
    target = inspection.words(one.looker.target, one.hypothesis.tokens, one.tokens, apart=True)
    return {"source_words": source, "target_words": target}


def _tree(seen: Seen) -> dict[str, Any]:
    found = seen.beam
    names = ("step", "text", "parent", "log_prob", "fate")
    levels = [[{name: getattr(n, name) for name in names} for n in level] for level in found.tree]
    return {"tree": levels, "greedy": found.greedy}


def _flags(seen: Seen) -> dict[str, Any]:
    return {"flags": [flag.plain() for flag in seen.translation.flags]}


def _times(seen: Seen) -> dict[str, Any]:
    one = seen.translation
    words = inspection.words(one.looker.target, one.hypothesis.tokens, one.tokens, apart=True)
    spans: dict[int, list[TimedText]] = {}
    for unit, piece in zip(one.looker.target.units(one.hypothesis.tokens), one.times, strict=False):
        spans.setdefault(unit, []).append(piece)
    times = [
        TimedText(word, min(p.begins for p in spans[n]), max(p.ends for p in spans[n])).plain()
        for n, word in enumerate(words)
        if n in spans
    ]
    return {"times": times, "words": [word.plain() for word in one.word_times]}


_WANTS: dict[str, Callable[[Seen], dict[str, Any]]] = {
    "tokens": _tokens,
    "attention": _attention,
    "alignment": _alignment,
    "tree": _tree,
    "flags": _flags,
    "times": _times,
}


def _drawn(seen: Seen) -> dict[str, str]:
    return {name: _VIEWS[name](seen) for name in seen.asked.views}


def _heatmap(seen: Seen) -> str:
    found = seen.map()
    (one,) = maps_of(seen.translation, found, smoothly=seen.asked.smooth).values()
    return seen.translation.drawn(one, found.spans).svg


def _heads(seen: Seen) -> str:
    found = maps_of(seen.translation, seen.maps(), smoothly=seen.asked.smooth)
    return draw_maps(seen.translation.view, found).svg


def _lines(seen: Seen) -> str:
    found = seen.map()
    (weights,) = found.maps.values()
    return lines.to_svg(weights, found.source, found.target)


def _beam(seen: Seen) -> str:
    found = seen.beam
    return beam_tree.to_svg(found.tree, winner=found.winner, greedy=found.greedy)


def _distribution(seen: Seen) -> str:
    return distribution.to_svg(inspection.distributions(seen.translator, seen.translation))


def _output(seen: Seen) -> str:
    one = seen.translation
    if not one.looker.target.chart:
        raise RecipeError(
            "views: output draws values, but this model writes text; expected a forecaster. Leave"
            " it out."
        )
    return output_drawing(one).svg


def _writing(seen: Seen) -> str:
    return writing_drawing(seen.translation).svg


def _gaze(seen: Seen) -> str:
    return gaze_drawing(seen.translator, seen.translation).svg


def _canvas(seen: Seen) -> str:
    return canvas_drawing(seen.translator, seen.translation).svg


def views_of(predictor: Predictor) -> list[str]:
    """List the pictures that can be drawn of a model's predictions, the first ones first."""
    names, text = predictor.attention_names, predictor.target.vocabulary is not None
    sequence = all(codec.view == "heatmap" for codec in predictor.sources.values())
    offered = {
        "writing": predictor.target.chart == "handwriting",
        "output": bool(predictor.target.chart),
        "canvas": has_canvas(predictor),
        "gaze": moves_an_eye(predictor),
        "lines": bool(names) and sequence,
        "attention": bool(names),
        "heads": len(names) > 1,
        "spikes": predictor.model.frames,
        "beam": text,
        "distribution": text,
        "addresses": has_memory(predictor.model),
    }
    return [view for view, is_there in offered.items() if is_there]


def _addresses(seen: Seen) -> str:
    return addresses_drawing(seen.translator, seen.translation).svg


_VIEWS: dict[str, Callable[[Seen], str]] = {
    "addresses": _addresses,
    "output": _output,
    "writing": _writing,
    "attention": _heatmap,
    "heads": _heads,
    "lines": _lines,
    "spikes": lambda seen: spikes_drawing(seen.translation, seen.asked.head).svg,
    "beam": _beam,
    "distribution": _distribution,
    "gaze": _gaze,
    "canvas": _canvas,
}
