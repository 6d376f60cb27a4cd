"""From a recipe's files to vocabularies and stores of ids: what training starts from."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from saccade.data import store
from saccade.data.batching import Batches, Collate, collate
from saccade.data.store import Pairs, Store
from saccade.errors import DataError
from saccade.guards.profile import Profile
from saccade.guards.statistics import gather
from saccade.modalities._resegment import BpeDropout, Resegment
from saccade.models.base import Model
from saccade.parts import find
from saccade.readers.base import Reader
from saccade.recipe import Recipe, Side
from saccade.tokenizers._vocabulary import Vocabulary
from saccade.tokenizers.base import learn

_PROFILED = 20_000  # source lines whose characters are counted


@dataclass(frozen=True, slots=True)
class Vocabularies:
    """The two sides' pieces; the same object twice if joint."""

    source: Vocabulary
    target: Vocabulary


@dataclass(frozen=True, slots=True)
class Prepared:
    """All that training reads, and the hashes that say whether it is still the same."""

    vocabularies: Vocabularies
    train: list[Store]
    valid: Store
    hashes: dict[str, str]


def prepare(
    recipe: Recipe,
    root: Path,
    vocabularies: Vocabularies | None = None,
    target: Vocabulary | None = None,
) -> Prepared:
    """Learn the vocabularies, unless they are given, and turn every corpus into ids once.

    Args:
        recipe: whose data to read.
        root: where its relative paths start.
        vocabularies: both sides', if they are known already.
        target: the target's, if it alone is.
    """
    data = recipe.data
    readers = [part.build(root) for part in data.train]
    valid = data.valid.build(root)
    vocabularies = vocabularies or learn_vocabularies(recipe, readers, target)
    hashes = {f"train {i + 1}": reader.fingerprint() for i, reader in enumerate(readers)}
    return Prepared(
        vocabularies,
        [_stored(reader, vocabularies) for reader in readers],
        _stored(valid, vocabularies),
        {**hashes, "valid": valid.fingerprint()},
    )


def check_matched(prepared: Prepared, pieces_each: int) -> None:
    """Refuse pairs that do not have so many source pieces for each target symbol; 0 lets all by."""
    for one in [*prepared.train, prepared.valid] if pieces_each else []:
        odd = np.flatnonzero(one.source_lengths != pieces_each * one.target_lengths)
        if len(odd):
            i = int(odd[0])
            raise DataError(
                f"{one.origin(i)}: {one.source_lengths[i]} source pieces but"
                f" {one.target_lengths[i]} target symbols; expected {pieces_each} of the one for"
                f" each of the other ({len(odd)} of {len(one)} pairs differ). Mend the data, or cut"
                " both sides at spaces: tokenizer {kind: word, punctuation: false}."
            )


def profile_of(recipe: Recipe, prepared: Prepared, root: Path) -> Profile:
    """Measure what is usual in the training data: lengths of all pairs, text of every n-th.

    n is chosen so that about 20,000 lines are read into it, which takes a second.
    """
    stores = prepared.train
    every = max(1, -(-sum(map(len, stores)) // _PROFILED))
    normalise = prepared.vocabularies.source.normalise
    lines = (
        normalise(example.source)
        for part in recipe.data.train
        for example in islice(part.build(root).read(), 0, None, every)
    )
    sources = np.concatenate([store.source_lengths for store in stores])
    targets = np.concatenate([store.target_lengths for store in stores])
    return gather(lines, sources, targets)


def _stored(reader: Reader, vocabularies: Vocabularies) -> Store:
    folder = store.default_folder()
    try:
        return store.build(reader, vocabularies.source, vocabularies.target, folder)
    except OSError as error:
        raise DataError(
            f"{folder}: the ids of the data cannot be kept there: {error.strerror}; expected a"
            " place to write. Free some space, or set SACCADE_HOME to another folder."
        ) from error


def learn_vocabularies(
    recipe: Recipe, readers: list[Reader], target: Vocabulary | None = None
) -> Vocabularies:
    """Learn the pieces of each side, or of both together, or of the target if that is all."""
    data = recipe.data
    sources = [(example.source for example in reader.read()) for reader in readers]
    targets = [(example.target for example in reader.read()) for reader in readers]
    if not reads(recipe):
        only = target or _learn(data.target, targets, data.copies)
        return Vocabularies(only, only)
    if data.joint:
        both = target or _learn(data.source, [*sources, *targets], data.copies)
        return Vocabularies(both.read_as(data.source.reading), both)
    source = _learn(data.source, sources, data.copies).read_as(data.source.reading)
    return Vocabularies(source, target or _learn(data.target, targets, data.copies))


def reads(recipe: Recipe) -> bool:
    """Say whether the recipe's model has a source; a language model has none."""
    return find(Model, recipe.model.kind).reads


def numeric(recipe: Recipe) -> bool:
    """Say whether the recipe's model reads and writes numbers; a forecaster does."""
    return find(Model, recipe.model.kind).numeric


def _learn(side: Side, streams: Sequence[Iterable[str]], copies: int) -> Vocabulary:
    if side.separator:
        streams = [(turn for text in one for turn in text.split(side.separator)) for one in streams]
    vocabulary = learn(side.tokenizer.build(), streams, side.normalise)
    return vocabulary.reserve(copies) if copies else vocabulary


def batches_of(
    recipe: Recipe, stores: Sequence[Pairs], batch_tokens: int, join: Collate = collate
) -> Batches:
    """Cut stores into batches as the recipe says; `join` makes a batch of pairs."""
    return Batches(
        stores,
        batch_tokens=batch_tokens,
        max_source=recipe.data.source.max_length,
        max_target=recipe.data.target.max_length,
        seed=recipe.seed,
        weights=recipe.data.weights if len(stores) == len(recipe.data.weights) else (),
        join=join,
    )


def resegment_of(recipe: Recipe, vocabularies: Vocabularies) -> Resegment | None:
    """Return how training texts are cut anew, or None if no tokenizer has dropout."""
    data = recipe.data
    sides = (data.source, data.source if data.joint else data.target)
    chances = [side.tokenizer.build().dropout for side in sides]
    if not any(chances):
        return None
    source, target = (
        BpeDropout(vocabulary, p) if p else None
        for vocabulary, p in zip((vocabularies.source, vocabularies.target), chances, strict=True)
    )
    return Resegment(recipe.seed, source, target)
