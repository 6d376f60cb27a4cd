"""What every modality must do: learn to read and write one kind of raw value."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from saccade.embedders._trunk import Trunk
from saccade.embedders.base import Embedder
from saccade.errors import RecipeError
from saccade.heads.base import Head
from saccade.modalities._clip import Clip
from saccade.modalities._picture import Picture
from saccade.modalities._sound import Sound
from saccade.modalities._strokes import Strokes
from saccade.modalities.base import Array, Codec, Modality
from saccade.nouns import Raw
from saccade.parts import Part, find, kinds
from saccade.tokenizers.base import Tokenizer
from tests.samples import name

TEXTS = ["a cat sat", "the dog", "a dog sat on the cat", "on"]
STORIES = ["a cat sat. the dog sat.", "the dog.", "a dog sat. on the cat. on."]
SERIES = [
    np.array([[1.0, 10.0], [2.0, 30.0], [4.0, 20.0]]),
    np.array([[3.0, 25.0]]),
    np.array([[2.0, 15.0], [5.0, 10.0]]),
]
PICTURES = [
    Picture(np.arange(h * w * 3, dtype=np.uint8).reshape(h, w, 3)) for h, w in ((2, 5), (3, 1))
]
CLIPS = [
    Clip(np.arange(n * 64 * 64 * 3, dtype=np.uint32).reshape(n, 64, 64, 3).astype(np.uint8))
    for n in (3, 1)
]
STROKES = [
    Strokes.of([[(0, 0), (3, 4.5), (1, 1)], [(7, -2), (8, 2)]]),
    Strokes.of([[(0, 0), (1.5, 2)]]),
]
SOUNDS = [
    Sound((9000 * np.sin(np.arange(n) ** 1.5 / 90)).astype(np.int16), 16_000) for n in (2500, 100)
]
BITS = [np.array([[0, 1, 1]]), np.array([[1, 0, 0], [0, 0, 0], [1, 1, 1]])]
RAW: dict[str, list[Any]] = {
    "bits": BITS,
    "strokes": STROKES,
    "text": TEXTS,
    "story": STORIES,
    "numbers": SERIES,
    "picture": PICTURES,
    "line": PICTURES,
    "features": PICTURES,
    "video": CLIPS,
    "sound": SOUNDS,
}
DRAWN = Part(Trunk, "efficientnet_lite", {"weights": "none"})  # needs no package
OPTIONS: dict[str, dict[str, Any]] = {"features": {"network": DRAWN, "size": 40}}
PARTS = [
    *(Part(Modality, kind, OPTIONS.get(kind, {})) for kind in kinds(Modality)),
    Part(Modality, "text", {"tokenizer": Part(Tokenizer, "word")}),
    Part(Modality, "text", {"tokenizer": Part(Tokenizer, "character")}),
    Part(Modality, "text", {"tokenizer": Part(Tokenizer, "bpe", {"size": 40, "dropout": 0.5})}),
]
READ_ONLY = ("image", "features", "line", "video", "sound", "story")  # what a model cannot write
ONE_WAY = ("features", "line")  # what cannot be turned back into the raw value
COMPUTED = ("sound", "story")  # what is laid out otherwise than it is stored
LEARNED = ("story",)  # what cannot be written, but learns from the data
every = pytest.mark.parametrize("part", PARTS, ids=name)
written = pytest.mark.parametrize("part", [p for p in PARTS if p.kind not in READ_ONLY], ids=name)


def raws(part: Part[Modality]) -> list[Any]:
    return RAW[find(Modality, part.kind).raw]


def fitted(part: Part[Modality]) -> Codec:
    return part.build().fit([raws(part)])


def same(one: Raw, other: Raw) -> bool:
    """Compare raw values; numbers are kept in single precision."""
    if isinstance(one, str):
        return bool(one == other)
    if isinstance(one, Picture):
        return bool(np.array_equal(one.pixels, other.pixels))
    if isinstance(one, Strokes):
        return bool(np.allclose(one.points, other.points, atol=5e-3))
    if isinstance(one, Clip):
        return bool(np.array_equal(one.frames, other.frames))
    if isinstance(one, Sound):
        return bool(np.array_equal(one.samples, other.samples)) and one.rate == other.rate
    return one.shape == other.shape and bool(np.allclose(one, other, rtol=1e-5, atol=1e-5))


@every
def test_what_is_encoded_is_decoded(part: Part[Modality]) -> None:
    codec = fitted(part)
    arrays = codec.encode(raws(part))
    assert [array.dtype for array in arrays] == [np.dtype(codec.dtype)] * len(arrays)
    for raw, array in zip(raws(part), arrays, strict=True):
        assert part.kind in ONE_WAY or same(codec.decode(array), raw)
        alone = codec.encode([raw])[0]
        assert np.array_equal(alone, array)
    of_targets = codec.encode_targets(raws(part), raws(part))
    assert all(np.array_equal(*pair) for pair in zip(of_targets, arrays, strict=True))


@every
def test_what_is_written_as_text_is_read(part: Part[Modality]) -> None:
    codec = fitted(part)
    for raw in raws(part):
        read = codec.read(codec.write(raw))
        assert part.kind in ONE_WAY or same(read, raw)
        assert same(codec.read(codec.write(read)), read)
        assert np.array_equal(codec.encode([read])[0], codec.encode([raw])[0])


@every
def test_padding_keeps_values_and_marks_them(part: Part[Modality]) -> None:
    codec = fitted(part)
    arrays = codec.encode(raws(part))
    values, mask = codec.pad(arrays)
    assert mask.dtype == np.bool_
    assert values.shape[: mask.ndim] == mask.shape
    sizes = codec.lengths(np.array([array.shape for array in arrays], dtype=np.int32))
    found = mask.reshape(len(mask), -1).sum(axis=1)
    assert found.tolist() == [size + codec.extra for size in sizes]
    for row, marks, array in zip(values, mask, arrays, strict=True):
        if part.kind not in COMPUTED:
            places = array.reshape(-1, *array.shape[marks.ndim :])
            assert np.allclose(row[marks][: len(places)], places)
        assert not row[~marks].any()
        alone = codec.pad([array])
        assert codec.laid(array.shape) == alone.values.shape[1 : 1 + len(codec.laid(array.shape))]
        assert alone.mask.all()
        found = row[marks][..., : alone.values.shape[-1]] if part.kind == "story" else row[marks]
        assert np.array_equal(alone.values[alone.mask], found)


@written
def test_every_place_has_a_name(part: Part[Modality]) -> None:
    codec = fitted(part)
    for raw, array in zip(raws(part), codec.encode(raws(part)), strict=True):
        assert len(codec.labels(raw, array)) == len(array) + codec.extra
        assert sorted(codec.order(array)) == list(range(len(array)))
        assert len(codec.words(array)) == len(array)


@written
def test_a_frame_is_the_target_and_what_was_read_before_each_place(part: Part[Modality]) -> None:
    source, target = fitted(part), part.build().fit([raws(part)], fitted(part))
    read, written = source.encode(raws(part)), target.encode(raws(part))
    values, mask, prefix = target.frame(written, read)
    first = target.first(read)
    assert prefix.shape == values.shape
    assert np.array_equal(prefix[:, 0], first)
    for row, (array, marks) in enumerate(zip(written, mask, strict=True)):
        n = int(marks.sum())
        assert n == len(array) + target.extra
        assert marks[:n].all()
        assert np.allclose(values[row, : len(array)], array)
        assert np.array_equal(prefix[row, 1:n], values[row, : n - 1])
        alone = target.frame([array], [read[row]])
        assert np.array_equal(alone.prefix[0], prefix[row, :n])
        assert not prefix[row, n:].any()


@pytest.mark.parametrize("kind", READ_ONLY)
def test_what_cannot_be_written_is_refused(kind: str) -> None:
    part = Part(Modality, kind, OPTIONS.get(kind, {}))
    codec = fitted(part)
    arrays = codec.encode(raws(part))
    with pytest.raises(RecipeError, match=r"data.target: \w+ can be read but not written; expec"):
        codec.frame(arrays, arrays)
    with pytest.raises(RecipeError, match=r"data.target: \w+ can be read but not written; expec"):
        codec.first(arrays)


@every
def test_a_saved_codec_is_the_same(part: Part[Modality], tmp_path: Path) -> None:
    codec = fitted(part)
    codec.save(tmp_path / "source.json")
    again = part.build().load(tmp_path / "source.json")
    assert again.fingerprint == codec.fingerprint
    assert (again.side, again.horizon, again.describe()) == (
        codec.side,
        codec.horizon,
        codec.describe(),
    )
    pairs = zip(again.encode(raws(part)), codec.encode(raws(part)), strict=True)
    assert all(np.array_equal(*pair) for pair in pairs)


@every
def test_other_data_has_another_fingerprint(part: Part[Modality]) -> None:
    assert fitted(part).fingerprint == fitted(part).fingerprint
    other, learns = (
        part.build().fit([raws(part)[:1]]),
        part.kind not in READ_ONLY or part.kind in LEARNED,
    )
    assert (other.fingerprint != fitted(part).fingerprint) == learns


@every
def test_another_array_of_the_same_value_is_that_value(part: Part[Modality]) -> None:
    codec, modality = fitted(part), part.build()
    assert codec.varies == modality.varies
    found: set[tuple[Any, ...]] = set()
    for seed in range(9):
        array = codec.encode(raws(part)[:1])[0]
        other: Array = codec.vary(array, random.Random(seed))
        assert part.kind in ONE_WAY or same(codec.decode(other), raws(part)[0])
        assert other.dtype == array.dtype
        found.add(tuple(other.ravel().tolist()))
    assert (len(found) > 1) == codec.varies


@every
def test_a_side_names_parts_that_there_are(part: Part[Modality]) -> None:
    codec, modality = fitted(part), part.build()
    for side in (codec.side, modality.sketch()):
        assert side.size > 0
        assert side.embedder in kinds(Embedder)
        assert side.head in kinds(Head)
    assert (codec.vocabulary is not None) == modality.discrete
    assert (codec.side.embedder, codec.side.head) == (
        modality.sketch().embedder,
        modality.sketch().head,
    )


@every
def test_a_codec_that_is_adopted_encodes_as_before(part: Part[Modality]) -> None:
    codec = fitted(part)
    adopted = part.build().adopt(codec)
    pairs = zip(adopted.encode(raws(part)), codec.encode(raws(part)), strict=True)
    assert all(np.array_equal(*pair) for pair in pairs)
    assert adopted.side == codec.side
