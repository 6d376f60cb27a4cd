"""From a recipe's files to codecs and stored arrays: what training starts from."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import numpy as np

from saccade.data import store
from saccade.data.batching import Batches
from saccade.data.codecs import TARGET, Codecs
from saccade.data.plan import PairBatches
from saccade.data.store import Store
from saccade.data.streaming import StreamedBatches
from saccade.errors import DataError, RecipeError
from saccade.guards.profile import Profile
from saccade.guards.statistics import gather
from saccade.modalities.base import Codec
from saccade.models.base import Model
from saccade.nouns import SOURCE_NAME, Raw
from saccade.parts import find
from saccade.readers.base import Reader
from saccade.readers.streamed import Streamed
from saccade.recipe import Recipe

_PROFILED = 20_000  # source lines whose characters are counted
_MEASURED = 2_000_000  # pairs whose lengths are


@dataclass(frozen=True, slots=True)
class Prepared:
    """All that training reads, and the hashes that say whether it is still the same.

    train: the stores of all training pairs; of a stream, of its sample.  readers: of what is there.
    stream: the corpus that is not stored, if there is one.
    """

    codecs: Codecs
    train: list[Store]
    valid: Store
    hashes: dict[str, str]
    readers: list[Reader] = field(default_factory=list)
    stream: Streamed | None = None


def prepare(
    recipe: Recipe, root: Path, codecs: Codecs | None = None, target: Codec | None = None
) -> Prepared:
    """Fit the codecs, unless they are given, and encode every corpus once.

    Args:
        recipe: whose data to read.
        root: where its relative paths start.
        codecs: all sides', if they are known already.
        target: the target's, if it alone is.
    """
    data = recipe.data
    readers = [part.build(root) for part in data.train]
    stream = _stream(readers, data.weights)
    known = known_before(readers)
    valid = data.valid.build(root)
    codecs = codecs or fit_codecs(recipe, known, target)
    hashes = {f"train {i + 1}": reader.fingerprint() for i, reader in enumerate(readers)}
    return Prepared(
        codecs,
        [_stored(reader, codecs) for reader in known],
        _stored(valid, codecs),
        {**hashes, "valid": valid.fingerprint()},
        known,
        stream,
    )


def known_before(readers: Sequence[Reader]) -> list[Reader]:
    """Return the readers of what is read before training: of a stream its sample."""
    return [one.head() if isinstance(one, Streamed) else one for one in readers]


def _stream(readers: Sequence[Reader], weights: Sequence[float]) -> Streamed | None:
    stream = next((one for one in readers if isinstance(one, Streamed)), None)
    if stream and (len(readers) > 1 or weights):
        what = "data.weights" if weights else f"{len(readers)} corpora"
        raise RecipeError(
            f"data.train: reader streamed beside {what}; expected it alone and once an epoch. Name"
            " all files in the paths of its corpus, and leave weights out."
        )
    return stream


def fit_codecs(recipe: Recipe, readers: list[Reader], target: Codec | None = None) -> Codecs:
    """Fit the codec of each side, or one of both together, or the target's if that is all."""
    data = recipe.data
    targets = [_targets(reader) for reader in readers]
    if not reads(recipe):
        only = target or _slotted(data.target.build().fit(targets), data.copies)
        return Codecs({SOURCE_NAME: only}, only)
    if data.joint:
        source = next(iter(data.read.values())).build()
        streams = [_sources(reader, name) for name in data.read for reader in readers]
        both = target or _slotted(source.fit([*streams, *targets]), data.copies)
        shared = {name: part.build().adopt(both) for name, part in data.read.items()}
        return Codecs(shared, source.adopt(both, next(iter(shared.values()))))
    sources = {
        name: _slotted(part.build().fit([_sources(r, name) for r in readers]), data.copies)
        for name, part in data.read.items()
    }
    first = next(iter(sources.values()))
    written = target or _slotted(data.target.build().fit(targets, first), data.copies, first)
    return Codecs(sources, written)


def adopt_codecs(recipe: Recipe, known: Codecs) -> Codecs:
    """Return the codecs of a model folder, at work as another recipe says."""
    parts = {name: part.build() for name, part in recipe.data.read.items()}
    target = recipe.data.target.build()
    if recipe.data.joint:
        target = next(iter(parts.values()))
    sources = {
        name: parts[name].adopt(codec) if name in parts else codec
        for name, codec in known.sources.items()
    }
    return Codecs(sources, target.adopt(known.target, next(iter(sources.values()))))


def _slotted(codec: Codec, n: int, beside: Codec | None = None) -> Codec:
    return codec.reserve(n, beside) if n else codec


def _sources(reader: Reader, name: str) -> Iterator[Raw]:
    for example in reader.read():
        if name not in example.sources:
            raise DataError(
                f"{example.origin}: has no source '{name}'; it has {', '.join(example.sources)}."
                " Name the sources of the reader as in data.sources."
            )
        yield example.sources[name]


def _targets(reader: Reader) -> Iterator[Raw]:
    return (reference for example in reader.read() for reference in example.references)


def check_matched(prepared: Prepared, pieces_each: int) -> None:
    """Refuse pairs that do not have so many source pieces for each target symbol; 0 lets all by."""
    for one in [*prepared.train, prepared.valid] if pieces_each else []:
        sources, targets = one.lengths[next(iter(prepared.codecs.sources))], one.lengths[TARGET]
        odd = np.flatnonzero(sources != pieces_each * targets)
        if len(odd):
            i = int(odd[0])
            raise DataError(
                f"{one.origin(i)}: {sources[i]} source pieces but {targets[i]} target symbols;"
                f" expected {pieces_each} of the one for each of the other ({len(odd)} of"
                f" {len(one)} pairs differ). Mend the data, or cut both sides at spaces: tokenizer"
                " {kind: word, punctuation: false}."
            )


def profile_of(prepared: Prepared) -> Profile | None:
    """Measure what is usual in training text: lengths of all pairs, text of every n-th.

    n is chosen so that about 20,000 lines are read into it, which takes a second; of more than two
    million pairs, lengths of every m-th are measured. There is no profile where a side is not text,
    or where there are several sources.
    """
    codecs = prepared.codecs
    vocabulary = codecs.source.vocabulary
    if vocabulary is None or codecs.target.vocabulary is None or len(codecs.sources) > 1:
        return None
    name, stores = next(iter(codecs.sources)), prepared.train
    every = max(1, -(-sum(map(len, stores)) // _PROFILED))
    lines = (
        vocabulary.normalise(example.sources[name])
        for reader in prepared.readers
        for example in islice(reader.read(), 0, None, every)
    )
    each = max(1, -(-sum(map(len, stores)) // _MEASURED))
    sources = np.concatenate([store.lengths[name][::each] for store in stores])
    targets = np.concatenate([store.lengths[TARGET][::each] for store in stores])
    return gather(lines, sources, targets)


def _stored(reader: Reader, codecs: Codecs) -> Store:
    folder = store.default_folder()
    try:
        return store.build(reader, codecs, folder)
    except OSError as error:
        raise DataError(
            f"{folder}: the encoded data cannot be kept there: {error.strerror}; expected a"
            " place to write. Free some space, or set SACCADE_HOME to another folder."
        ) from error


def reads(recipe: Recipe) -> bool:
    """Say whether the recipe's model has a source; a language model has none."""
    return find(Model, recipe.model.kind).reads


def training_batches(recipe: Recipe, prepared: Prepared) -> PairBatches:
    """Cut the training pairs into batches, as they are stored or streamed."""
    size, codecs = recipe.training.batch_tokens, prepared.codecs
    stored = batches_of(recipe, prepared.train, codecs, size)
    if prepared.stream is None:
        return stored
    return StreamedBatches(
        prepared.stream,
        codecs,
        stored,
        batch_tokens=size,
        limits=_limits(recipe),
        seed=recipe.seed,
        mixed=recipe.training.mixed,
    )


def batches_of(
    recipe: Recipe, stores: Sequence[Store], codecs: Codecs, batch_tokens: int
) -> Batches:
    """Cut stores into batches as the recipe says."""
    data = recipe.data
    return Batches(
        stores,
        codecs,
        batch_tokens=batch_tokens,
        limits=_limits(recipe),
        seed=recipe.seed,
        weights=data.weights if len(stores) == len(data.weights) else (),
        mixed=recipe.training.mixed,
    )


def _limits(recipe: Recipe) -> dict[str, int]:
    limits = {name: part.build().max_length for name, part in recipe.data.read.items()}
    return {**limits, TARGET: recipe.data.target.build().max_length}
