"""Text as one side of an example: what its options change."""

import random
from pathlib import Path

import numpy as np
import pytest

from saccade.errors import CheckpointError, RecipeError
from saccade.modalities.numbers import NumbersCodec, Scale
from saccade.modalities.text import Text, TextCodec
from saccade.parts import Part
from saccade.tokenizers._vocabulary import END, PAD, START, Reading
from saccade.tokenizers.base import Tokenizer
from saccade.tokenizers.word import Word
from tests.samples import vocabulary

WORDS = Part(Tokenizer, "word")
LINES = ["one two", "three | one"]


def turned(separator: str = "|") -> TextCodec:
    return TextCodec(vocabulary().read_as(Reading(separator=separator)))


def test_turns_are_rows_of_their_own() -> None:
    codec = turned()
    one, two, six = (vocabulary().encode(text) for text in ("one", "two", "six"))
    values, mask = codec.pad(codec.encode(["one|two", "six"]))
    assert values.tolist() == [
        [[*one, END], [*two, END]],
        [[*six, END], [PAD] * 4],
    ]
    assert mask.sum(axis=2).tolist() == [[4, 4], [4, 0]]


def test_one_turn_and_an_empty_text_are_turns_too() -> None:
    codec = turned()
    values, mask = codec.pad(codec.encode(["one"]))
    assert values.shape == mask.shape == (1, 1, 4)
    values, mask = codec.pad(codec.encode(["", "one|two"]))
    assert values[0].tolist() == [[END, PAD, PAD, PAD], [PAD] * 4]
    assert mask.sum(axis=(1, 2)).tolist() == [1, 8]


def test_only_sources_are_cut_and_turned() -> None:
    modality = Text(tokenizer=WORDS, separator="|", reverse=True)
    source = modality.fit([LINES])
    target = modality.adopt(source, source)
    (read,), (written,) = source.encode(["one two"]), target.encode(["one two"])
    assert read.tolist() == written.tolist()[::-1]
    assert source.pad([read]).mask.ndim == 3
    assert target.pad([written]).mask.ndim == 2
    assert not modality.ordered
    assert Text().ordered


def test_a_frame_holds_start_and_end() -> None:
    codec = TextCodec(vocabulary())
    values, mask, prefix = codec.frame([np.array([5, 6]), np.array([], dtype=np.int64)], [])
    assert values.tolist() == [[5, 6, END], [END, PAD, PAD]]
    assert prefix.tolist() == [[START, 5, 6], [START, PAD, PAD]]
    assert mask.tolist() == [[True, True, True], [True, False, False]]
    assert codec.first([np.array([5])] * 2).tolist() == [START, START]


def test_copied_words_of_a_target_have_the_slots_of_their_source() -> None:
    source = TextCodec(Word().fit(["he is"], [])).reserve(2)
    target = TextCodec(Word().fit(["il est"], [])).reserve(2, source)
    assert source.vocabulary is not None
    assert target.vocabulary is not None
    first, second = target.vocabulary.slots
    (written,) = target.encode_targets(["il est bob ann"], ["ann is bob"])
    assert written[-2:].tolist() == [second, first]


def test_only_text_has_words_to_copy() -> None:
    with pytest.raises(RecipeError, match=r"data.copies: 2 slots are for unknown words, but place"):
        NumbersCodec(Scale((0.0,), (1.0,)), 1).reserve(2)


def test_labels_are_pieces_and_the_end() -> None:
    codec = TextCodec(Word().fit(["a b"], []))
    assert codec.labels("a b", codec.encode(["a b"])[0]) == ("▁a", "▁b", "</s>")


def test_without_dropout_nothing_varies() -> None:
    codec = TextCodec(vocabulary())
    array = codec.encode(["one"])[0]
    assert codec.vary(array, random.Random(1)) is array


def test_a_vocabulary_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="no such vocabulary; expected a tokenizer's JSON"):
        Text().load(tmp_path / "source.json")
