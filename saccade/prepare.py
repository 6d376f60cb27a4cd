"""From a recipe's files to vocabularies and stores of ids: what training starts from."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from saccade import store
from saccade.batching import Batches
from saccade.errors import DataError
from saccade.readers.base import Reader
from saccade.recipe import Data, Recipe, Side
from saccade.store import Store
from saccade.tokenizers.base import learn
from saccade.vocab import Vocabulary


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


def prepare(recipe: Recipe, root: Path, vocabularies: Vocabularies | None = None) -> Prepared:
    """Learn the vocabularies, unless they are given, and turn every corpus into ids once."""
    data = recipe.data
    readers = [part.build(root) for part in data.train]
    valid = data.valid.build(root)
    vocabularies = vocabularies or learn_vocabularies(data, readers)
    hashes = {f"train {i + 1}": reader.fingerprint() for i, reader in enumerate(readers)}
    return Prepared(
        vocabularies,
        [_stored(reader, vocabularies) for reader in readers],
        _stored(valid, vocabularies),
        {**hashes, "valid": valid.fingerprint()},
    )


def _stored(reader: Reader, vocabularies: Vocabularies) -> Store:
    folder = store.default_folder()
    try:
        return store.build(reader, vocabularies.source, vocabularies.target, folder)
    except OSError as error:
        raise DataError(
            f"{folder}: the ids of the data cannot be kept there: {error.strerror}; expected a"
            " place to write. Free some space, or set SACCADE_HOME to another folder."
        ) from error


def learn_vocabularies(data: Data, readers: list[Reader]) -> Vocabularies:
    """Learn the pieces of each side, or of both together."""
    sources = [(example.source for example in reader.read()) for reader in readers]
    targets = [(example.target for example in reader.read()) for reader in readers]
    if data.joint:
        both = _learn(data.source, [*sources, *targets])
        return Vocabularies(both, both)
    return Vocabularies(_learn(data.source, sources), _learn(data.target, targets))


def _learn(side: Side, streams: Sequence[Iterable[str]]) -> Vocabulary:
    return learn(side.tokenizer.build(), streams, side.normalise)


def batches_of(recipe: Recipe, stores: list[Store], batch_tokens: int) -> Batches:
    """Cut stores into batches as the recipe says."""
    return Batches(
        stores,
        batch_tokens=batch_tokens,
        max_source=recipe.data.source.max_length,
        max_target=recipe.data.target.max_length,
        seed=recipe.seed,
        weights=recipe.data.weights if len(stores) == len(recipe.data.weights) else (),
    )
