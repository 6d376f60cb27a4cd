"""From a Prediction to what the answer tells about it."""

import math
from collections.abc import Callable
from typing import Any

from saccade.inspections.base import Inspection, Manner, Seen, find_view, views_of_page
from saccade.look import inspection
from saccade.look.heads import looked_within
from saccade.modalities._strokes import from_text, path_data
from saccade.parts import find
from saccade.predict.looker import DECODER, ENCODER, Maps
from saccade.predict.prediction import Prediction, rounded
from saccade.predict.predictor import Predictor
from saccade.predict.times import TimedText
from saccade.server.limits import Limits
from saccade.server.schema import Predict
from saccade.views import film

_DIGITS = 5  # of an attention weight


def seen_of(
    predictor: Predictor, found: Prediction, greedy: Prediction | None, asked: Predict
) -> Seen:
    """Gather one text's output, how greedy search wrote it if that was wanted, and how to look."""
    manner = Manner(
        head=asked.head, words=asked.words, smoothly=asked.smooth, apart=True, word=asked.word
    )
    return Seen(predictor, found.sources, manner, found, greedy)


def needs_tree(asked: Predict) -> bool:
    """Tell whether the search must be traced, and a greedy one made beside it."""
    return "tree" in asked.want or "beam" in asked.views


def is_heavy(asked: Predict) -> bool:
    """Tell whether an answer takes more than reading off its text."""
    return bool(asked.views or {*asked.want} - {"tokens"})


def check_size(limits: Limits, asked: Predict, seen: list[Seen]) -> None:
    """Refuse answers too large to send or draw, before anything large is computed."""
    total = largest = 0
    for one in seen:
        found = one.translation
        n_maps = max(len(one.translator.attention_names), 1)
        n_places, n_written = math.prod(found.grid), len(found.hypothesis.tokens) + 1
        cells = n_maps * n_written * n_places
        if "self_attention" in asked.want or (asked.views and _looks_within(one, asked)):
            total += len(one.translator.self_attention_names) * max(n_places, n_written) ** 2
        if "attention" in asked.want or asked.views:
            total += cells
        elif {"alignment", "flags", "times"} & {*asked.want}:
            largest = max(largest, cells)  # looked at and forgotten, one after the other
        total += sum(map(len, found.tree))
    limits.check_cells("want and views", max(total, largest))


def _looks_within(seen: Seen, asked: Predict) -> bool:
    """Tell whether views of self-attention are asked for."""
    named = any(side in asked.head for side in (ENCODER, DECODER))
    return named or "steps" in asked.views or not seen.translator.attention_names


def result(seen: Seen, asked: Predict) -> dict[str, Any]:
    """Tell what was asked about one text, as JSON holds it."""
    one = seen.translation
    told: dict[str, Any] = {
        "text": one.text,
        "score": score_number(one.score),
        "finished": one.finished,
        "nbest": [{"text": n.text, "score": score_number(n.score)} for n in one.nbest],
    }
    for name in asked.want:
        told |= _WANTS[name](seen)
    if asked.views:
        views = [] if one.blank else asked.views
        told["views"] = {name: find_view(name).draw(seen).svg for name in views}
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
    if seen.manner.words:
        told |= _words(seen)
    if not one.attention_maps:
        return told | {"attention": {"names": [], "maps": []}, "layout": []}
    found = seen.maps()
    maps = [_rounded(one) for one in found.maps.values()]
    layout = [_part(one, name, *span) for name, span in found.spans.items()]
    return told | {"attention": {"names": list(found.maps), "maps": maps}, "layout": layout}


def _self_attention(seen: Seen) -> dict[str, Any]:
    told = []
    for one in seen.translation.self_maps:
        found = looked_within(seen.translation, {one.name: one.weights}, one)
        named = {"name": one.name, "side": one.side, "rows": found.target, "columns": found.source}
        told.append({**named, "weights": _rounded(one.weights)})
    return {"self_attention": told}


def _rounded(weights: Maps) -> list[list[float]]:
    return [[round(weight, _DIGITS) for weight in row] for row in weights.tolist()]


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
    "self_attention": _self_attention,
    "alignment": _alignment,
    "tree": _tree,
    "flags": _flags,
    "times": _times,
}


def views_of(predictor: Predictor) -> list[str]:
    """List the pictures that can be drawn of a model's predictions, the first ones first."""
    return [name for name in views_of_page() if find(Inspection, name).suits(predictor)]
