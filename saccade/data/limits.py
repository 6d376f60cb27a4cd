"""How long outputs may get, learned from the training data where a recipe does not say."""

import dataclasses
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from saccade.data.codecs import TARGET
from saccade.data.prepare import Prepared
from saccade.recipe import Recipe
from saccade.search._plan import RATIO

_MARGIN = 1.5  # times what training has seen


def settled(recipe: Recipe, prepared: Prepared, before: Recipe | None = None) -> Recipe:
    """Return the recipe with limits of outputs; those that it names stay as they are.

        T_max                 a caption does not grow with its picture:  max_ratio = 0
                              max_extra + 1.5 max over pairs of T
        (S + 1) max_ratio     a transcript grows with its sound:  max_extra stays
                              max_ratio = min(2, 1.5 max over pairs of (T + 1) / (S + 1))

    Pairs that training leaves out since they are too long do not count. A run that is resumed
    keeps the limits of its recipe `before`.
    """
    decoding = recipe.decoding
    if decoding.max_ratio >= 0:
        return recipe
    if before is not None:
        return _limited(recipe, before.decoding.max_ratio, before.decoding.max_extra)
    modalities = {name: part.build() for name, part in recipe.data.read.items()}
    longest = {name: one.max_length for name, one in modalities.items()}
    if any(one.grows for one in modalities.values()):
        most = max(_largest_ratio(*_pairs(s.lengths, longest, recipe)) for s in prepared.train)
        return _limited(recipe, min(RATIO, float(f"{_MARGIN * most:.4g}")), decoding.max_extra)
    used = [_used(store.lengths, longest, recipe) for store in prepared.train]
    targets = [store.lengths[TARGET] for store in prepared.train]
    most_written = int(
        _MARGIN * max(int(t.max(where=u, initial=0)) for t, u in zip(targets, used, strict=True))
    )
    return _limited(recipe, 0.0, decoding.max_extra + most_written)


def _limited(recipe: Recipe, ratio: float, extra: int) -> Recipe:
    decoding = dataclasses.replace(recipe.decoding, max_ratio=ratio, max_extra=extra)
    return dataclasses.replace(recipe, decoding=decoding)


def _pairs(
    lengths: Mapping[str, NDArray[np.int32]], longest: dict[str, int], recipe: Recipe
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the places of the longest source and of the target of every pair that is used."""
    used = _used(lengths, longest, recipe)
    return np.max([lengths[name] for name in longest], axis=0)[used], lengths[TARGET][used]


def _largest_ratio(sources: NDArray[np.int32], targets: NDArray[np.int32]) -> float:
    return float(((targets + 1) / (sources + 1)).max(initial=0.0))


def _used(
    lengths: Mapping[str, NDArray[np.int32]], longest: dict[str, int], recipe: Recipe
) -> NDArray[np.bool_]:
    """Say of every pair whether it is within the limits."""
    used = lengths[TARGET] <= recipe.data.target.build().max_length
    for name, most in longest.items():
        used &= lengths[name] <= most
    return used
