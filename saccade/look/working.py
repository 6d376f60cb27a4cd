"""Find how one word reads, worked out by hand from the numbers of the model."""

from collections.abc import Sequence
from typing import NamedTuple

from saccade.attention._worked import Worked
from saccade.errors import RecipeError, suggest
from saccade.look.heads import past_labels
from saccade.look.inspection import attention_maps, batch_of, numbers_of, places_of
from saccade.look.spoken import Spot, find_word, unknown_word
from saccade.predict.looker import DECODER
from saccade.predict.prediction import Prediction
from saccade.predict.predictor import Predictor
from saccade.predict.watching import Seat, Watched, watch
from saccade.tokenizers._vocabulary import END, MARK
from saccade.views.steps import CalculatedStep, Calculation
from saccade.views.words import label

_MEANS = ("mean", "max")


class _Map(NamedTuple):
    """A map that can be worked out: its name, its attention, and which of its maps it is."""

    name: str
    watched: Watched
    number: int


def work_out(
    predictor: Predictor, prediction: Prediction, word: str = "", head: str = "mean"
) -> Calculation:
    """Say step by step how a word reads by one map.

    Args:
        predictor: of the prediction.
        prediction: what was written.
        word: of the input or of the output; the first one if not given.
        head: a map by name, or a layer, of which the first is taken. If it is `mean` or `max`, a
            word of the input is worked out by the first map of self-attention of an encoder, one of
            the output by the first map over the input, or else by the first of a decoder.
    """
    if not predictor.self_attention_names:
        attention_maps(prediction)  # refuses a model that has none
    maps = _maps(predictor, watch(predictor.model, batch_of(predictor, prediction)))
    chosen = maps if head in (*_MEANS, "all") else [_named(maps, head)]
    known: list[str] = []
    for one in _first_of_each_side(chosen):
        pieces, numbers = _asking(prediction, one.watched.seat)
        spot = find_word(word, pieces, numbers) if word else Spot(0)
        if spot is not None and pieces:
            work = one.watched.work(spot.first)[one.number]
            return _calculation(prediction, one, pieces[spot.first : spot.first + spot.n], work)
        known += pieces
    raise unknown_word(word, known)


def _maps(predictor: Predictor, watched: Sequence[Watched]) -> list[_Map]:
    within = [
        _Map(name, one, i) for one in watched if one.seat.side for i, name in enumerate(one.names)
    ]
    across = [(one, i) for one in watched if not one.seat.side for i in range(len(one.names))]
    names = predictor.attention_names  # a map that is no attention's, of CTC, stands behind them
    return [
        *(_Map(name, one, i) for name, (one, i) in zip(names, across, strict=False)),
        *within,
    ]


def _named(maps: Sequence[_Map], head: str) -> _Map:
    """Return the map of this name, or the first of this layer."""
    for one in maps:
        if head == one.name:
            return one
    plain = " ".join(part for part in head.split(" ") if part not in (*_MEANS, "all"))
    for one in maps:
        if plain and one.name.startswith(f"{plain} "):
            return one
    names = [one.name for one in maps]
    raise RecipeError(
        f"--head: no map '{head}' whose steps can be shown.{suggest(head, names)} Expected one of:"
        f" {', '.join(name or '(nameless)' for name in names)}. Name one."
    )


def _first_of_each_side(maps: Sequence[_Map]) -> list[_Map]:
    """Return the maps to look for a word in: of encoders, over the input, of decoders."""
    by_side: dict[str, _Map] = {}
    for one in maps:
        by_side.setdefault(one.watched.seat.side, one)
    order = [*(side for side in by_side if side not in ("", DECODER)), "", DECODER]
    return [by_side[side] for side in order if side in by_side]


def _asking(prediction: Prediction, seat: Seat) -> tuple[Sequence[str], Sequence[int]]:
    """Return the places that ask, and which word each belongs to."""
    if seat.side in ("", DECODER):
        pieces, notation = prediction.tokens, prediction.looker.target
        ids: Sequence[int] = prediction.hypothesis.tokens
        if notation.vocabulary is not None:  # END is written too
            pieces, ids = (*pieces, *notation.vocabulary.pieces([END])), (*ids, END)
    else:
        name = _source(prediction, seat)
        pieces, notation = prediction.labels(name), prediction.looker.sources[name]
        ids = places_of(prediction, name)
    if notation.vocabulary is None or len(ids) != len(pieces):
        return pieces, range(len(pieces))
    return pieces, numbers_of(notation, ids, apart=False)


def _read(prediction: Prediction, seat: Seat, n: int) -> Sequence[str]:
    """Name the places that are read, of which there are `n`."""
    if seat.side == DECODER:
        return (*past_labels(prediction, seat.n_before), *prediction.tokens)[:n]
    source = prediction.source_tokens
    labels = source if not seat.side else prediction.labels(_source(prediction, seat))
    return labels if len(labels) == n else [str(place) for place in range(1, n + 1)]


def _source(prediction: Prediction, seat: Seat) -> str:
    return seat.source or next(iter(prediction.arrays))


def _calculation(
    prediction: Prediction, one: _Map, asker: Sequence[str], work: Worked
) -> Calculation:
    """Take the numbers out of torch, and leave out places that may not be read."""
    kept = work.kept.cpu().numpy()
    places = _read(prediction, one.watched.seat, len(kept))
    n_pieces = len(asker)
    asks = label(asker[0]) if n_pieces == 1 else f"{label(asker[0])} of {''.join(asker)}"
    return Calculation(
        asker=asks.replace(MARK, ""),
        name=one.name or "attention",
        places=tuple(place for place, keep in zip(places, kept, strict=False) if keep),
        steps=tuple(
            CalculatedStep(
                step.equation,
                found[kept] if step.by_place else found,
                by_place=step.by_place,
            )
            for step in work.steps
            for found in [step.value.double().cpu().numpy()]
        ),
    )
