"""Choose among all maps of attention by name: over the input, in an encoder, in a decoder."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from saccade.errors import RecipeError, suggest
from saccade.look.inspection import (
    Looked,
    attention_maps,
    joined,
    map_title,
    numbers_of,
    places_of,
    words,
)
from saccade.modalities._notation import Notation
from saccade.predict.looker import Maps, SelfMap
from saccade.predict.prediction import Prediction
from saccade.tokenizers._vocabulary import START

MEAN, MAX, ALL = "mean", "max", "all"
_MEANS = (MEAN, MAX)  # what is made of several maps


@dataclass(frozen=True, slots=True)
class Chosen:
    """Maps by title; `within` is one of self-attention, if they are of that, and None if not."""

    maps: Mapping[str, Maps]
    within: SelfMap | None = None


def choose(prediction: Prediction, head: str = MEAN) -> Chosen:
    """Return the maps that `head` names, which may be several, parted by commas.

    A map by name; `layer 2`, `encoder` or `encoder layer 2`: the mean of its maps, with `max`
    behind it their maximum, with `all` each of them. `mean`, `max` and `all` alone are of the maps
    over the input, or, where there are none, of self-attention.
    """
    found = [_one(prediction, name.strip()) for name in head.split(",")]
    sides = {one.within.side if one.within else "" for one in found}
    if len(sides) > 1:
        told = ", ".join(side or "over the input" for side in sorted(sides))
        raise RecipeError(
            f"--head: '{head}' names maps over different places: {told}; expected maps of one side."
            " Draw them one after the other."
        )
    return Chosen({t: m for one in found for t, m in one.maps.items()}, found[0].within)


def every_map(prediction: Prediction, head: str) -> Chosen:
    """Return each of the maps that `head` is made of."""
    if head in _MEANS:
        return choose(prediction, ALL)
    plain = head.removesuffix(f" {MEAN}").removesuffix(f" {MAX}").removesuffix(f" {ALL}")
    looker = prediction.looker
    named = plain in (*looker.attention_names, *looker.self_attention_names)
    return choose(prediction, plain if named or "," in plain else f"{plain} {ALL}")


@dataclass(frozen=True, slots=True)
class _Group:
    """The maps of one side, by name."""

    maps: Mapping[str, Maps]
    within: SelfMap | None = None


def _groups(prediction: Prediction) -> Iterator[_Group]:
    """Yield the maps over the input, then those of every side; none is looked for in vain."""
    if prediction.attention_maps:
        yield _Group(prediction.attention_maps)
    by_side: dict[str, dict[str, SelfMap]] = {}
    for one in prediction.self_maps:
        by_side.setdefault(one.side, {})[one.name] = one
    for maps in by_side.values():
        weights = {name: one.weights for name, one in maps.items()}
        yield _Group(weights, next(iter(maps.values())))


def _one(prediction: Prediction, head: str) -> Chosen:
    plain, how = head, MEAN
    for ending in (*_MEANS, ALL):
        if head == ending or head.endswith(f" {ending}"):
            plain, how = head.removesuffix(ending).strip(), ending
    names = [MEAN, MAX, ALL]
    for group in _groups(prediction):
        names += group.maps
        if head in group.maps:
            return Chosen({_title(prediction, group, head): group.maps[head]}, group.within)
        of = {
            name: m for name, m in group.maps.items() if not plain or name.startswith(f"{plain} ")
        }
        if plain in group.maps:
            of = {plain: group.maps[plain]}
        if of and how == ALL:
            return Chosen(of, group.within)
        if of:
            made = (
                np.max(list(of.values()), axis=0) if how == MAX else np.mean([*of.values()], axis=0)
            )
            title = _title(prediction, group, plain or how, how)
            return Chosen({title: np.asarray(made)}, group.within)
    if len(names) == len((MEAN, MAX, ALL)):
        attention_maps(prediction)  # says that there is none
    raise RecipeError(
        f"--head: no map '{head}'.{suggest(head, names)} There are: {', '.join(names)}."
    )


def _title(prediction: Prediction, group: _Group, head: str, how: str = "") -> str:
    if group.within is None:
        return map_title(prediction, head if how != MAX or head == MAX else f"{head}, {how}")
    if head in group.maps:
        return head
    side = group.within.side
    return f"{side if head in _MEANS else head}, {how} of its maps"


def looked_within(
    prediction: Prediction,
    maps: Mapping[str, Maps],
    within: SelfMap,
    *,
    whole: bool = False,
    apart: bool = False,
) -> Looked:
    """Put the places of a side on both axes of its maps: rows ask, columns are read.

    Of a decoder a row is the symbol that is written there. It reads START and what was written
    before it.
    """
    sides = (
        _decoder_axes(prediction, within) if within.of_decoder else _source_axes(prediction, within)
    )
    rows, columns = sides
    if whole:
        numbers = rows.numbers(apart=apart), columns.numbers(apart=apart)
        maps = {name: joined(one, *numbers) for name, one in maps.items()}
    source, target = (axis.shown(whole=whole, apart=apart) for axis in (columns, rows))
    own = () if whole else rows.numbers(apart=apart)
    spans = {within.side: (0, len(source))}
    return Looked(maps, source, target, spans, within=True, numbers=own)


@dataclass(frozen=True, slots=True)
class _Axis:
    """Places of an axis: what stands before them, then symbols of a notation, or numbers alone."""

    notation: Notation
    ids: Sequence[int]
    labels: tuple[str, ...]
    before: tuple[str, ...] = ()

    def numbers(self, *, apart: bool) -> list[int]:
        """Say which word every place belongs to."""
        n = len(self.before)
        own = (
            numbers_of(self.notation, self.ids, apart=apart)
            if self.ids
            else [*range(len(self.labels))]
        )
        return [*range(n), *(n + number for number in own)]

    def shown(self, *, whole: bool, apart: bool) -> tuple[str, ...]:
        """Name the places, or the words."""
        own = self.labels
        if whole and self.ids:
            own = words(self.notation, self.ids, self.labels, apart=apart)
        return (*self.before, *own)


def _source_axes(prediction: Prediction, within: SelfMap) -> tuple[_Axis, _Axis]:
    name = within.source or next(iter(prediction.arrays))
    notation, n = prediction.looker.sources[name], len(within.weights)
    labels, ids = prediction.labels(name), tuple[int, ...]()
    if len(labels) != n:  # a picture, or places that were put together
        labels = tuple(str(place) for place in range(1, n + 1))
    elif notation.vocabulary is not None:
        ids = tuple(places_of(prediction, name))
    one = _Axis(notation, ids, labels)
    return one, one


def _decoder_axes(prediction: Prediction, within: SelfMap) -> tuple[_Axis, _Axis]:
    target, tokens = prediction.looker.target, prediction.tokens
    ids = prediction.hypothesis.tokens if target.vocabulary is not None else ()
    before = past_labels(prediction, within.n_before)[: len(tokens)]
    n = len(tokens) - len(before)
    return _Axis(target, ids, tokens), _Axis(target, ids[:n], tokens[:n], before)


def past_labels(prediction: Prediction, n_before: int) -> tuple[str, ...]:
    """Name the places of a decoder's past up to START; those before it have no name."""
    vocabulary = prediction.looker.target.vocabulary
    start = "start" if vocabulary is None else vocabulary.pieces([START])[0]
    return (*[""] * n_before, start)
