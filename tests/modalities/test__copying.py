"""Unknown words go through slots: the same word, the same slot, on both sides."""

from pathlib import Path

import pytest
import torch

from saccade.data.prepare import fit_codecs, prepare
from saccade.decoders.base import Decoder
from saccade.errors import RecipeError
from saccade.modalities._copying import encode_pairs, encode_sources, slot_words
from saccade.models.pointer_generator import PointerGenerator
from saccade.objectives.cross_entropy import cross_entropy
from saccade.parts import Part
from saccade.predict.predictor import Predictor
from saccade.readers.pairs import Pairs
from saccade.recipe import Decoding, from_plain
from saccade.tokenizers._vocabulary import END, UNK, Reading, Vocabulary
from saccade.tokenizers.character import Character
from saccade.tokenizers.word import Word
from tests.samples import backward, collate, sides, text_codecs

LINES = ["he is called", "il s'appelle", "and, a."]
PLAIN = Word().fit(LINES, ["nfc", "lowercase"])
SLOTTED = PLAIN.reserve(2)
FIRST, SECOND = SLOTTED.slots


def test_slots_are_the_last_ids_and_survive_saving(tmp_path: Path) -> None:
    assert (len(PLAIN), len(PLAIN) + 1) == (FIRST, SECOND)
    assert PLAIN.slots == ()
    SLOTTED.save(tmp_path / "source.json")
    again = Vocabulary.load(tmp_path / "source.json")
    assert again.slots == SLOTTED.slots
    assert again.fingerprint != PLAIN.fingerprint
    assert SLOTTED.decode([FIRST]) == "⁇"


def test_text_cannot_name_a_slot() -> None:
    for vocabulary in (SLOTTED, Word(punctuation=False).fit(LINES, []).reserve(2)):
        ids = vocabulary.encode("<copy 1> and <copy▁1>")
        assert not set(ids) & set(vocabulary.slots)


def test_the_kth_unknown_word_takes_slot_k_on_both_sides() -> None:
    """Ann, Bob, Ann, Cid: two slots, the third word stays unknown; Eve is not in the source."""
    sources, targets = ["He is called Ann Bob Ann, Cid."], ["il s'appelle Bob Eve ann Cid."]
    (left,), (right,) = encode_pairs(SLOTTED, SLOTTED, sources, targets)
    he, is_, called = SLOTTED.encode("he is called")
    comma = SLOTTED.encode("a,")[1]
    stop = SLOTTED.encode("a.")[1]
    assert left == [he, is_, called, FIRST, SECOND, FIRST, comma, UNK, stop]
    assert right[-5:] == [SECOND, UNK, FIRST, UNK, stop]
    assert encode_sources(SLOTTED, sources) == [left]
    assert slot_words(SLOTTED, sources[0]) == ["ann", "bob"]


def test_known_words_and_plain_vocabularies_are_left_alone() -> None:
    texts = ["he is called ann", "he is"]
    assert encode_sources(PLAIN, texts) == PLAIN.encode_many(texts)
    assert encode_pairs(PLAIN, PLAIN, texts, texts)[1] == PLAIN.encode_many(texts)
    assert slot_words(PLAIN, texts[0]) == []
    assert encode_sources(SLOTTED, texts[1:]) == SLOTTED.encode_many(texts[1:])


def test_two_vocabularies_have_slots_of_their_own() -> None:
    other = Word().fit(["il s'appelle"], []).reserve(2)
    (left,), (right,) = encode_pairs(SLOTTED, other, ["called ann"], ["il ann"])
    assert left[-1] == SLOTTED.slots[0]
    assert right[-1] == other.slots[0]


def test_only_words_have_slots() -> None:
    message = (
        "data.copies: 2 slots are for unknown words, but these pieces are not whole words; expected"
        " the tokenizer word. Change it, or set copies to 0."
    )
    with pytest.raises(RecipeError, match=message):
        Character().fit(LINES, []).reserve(2)


def test_a_model_copies_words_it_has_never_seen() -> None:
    names = ["kim", "lou", "max", "ned", "oli", "pia"]
    sources = [f"he is called {a} and {b}" for a in names for b in names if a != b]
    targets = [f"il s'appelle {b}, {a}" for a in names for b in names if a != b]
    with torch.random.fork_rng():
        torch.manual_seed(1)
        decoder = Part(Decoder, "rnn", {"hidden": 32, "dropout": 0.0})
        size = len(SLOTTED)
        model = PointerGenerator(*sides(size), decoder=decoder, embedding=16, dropout=0.0)
    batch = collate(*encode_pairs(SLOTTED, SLOTTED, sources, targets))
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(60):
        optimiser.zero_grad()
        backward(cross_entropy(model, batch).total / 10)
        optimiser.step()
    translator = Predictor(model, text_codecs(SLOTTED), Decoding())
    found = translator.translate("He is called Zorro and Yeti")
    assert found.text == "il s'appelle yeti, zorro"
    assert found.tokens[-3:] == ("▁yeti", ",", "▁zorro")
    assert found.source_tokens[3:] == ("▁zorro", "▁and", "▁yeti", "</s>")
    (scored,) = translator.score(["he is called zorro and yeti"], ["il s'appelle yeti, zorro"])
    assert scored.score > -1.0
    assert [n.text for n in found.nbest] == [found.text]


def test_reversed_sources_and_turns_have_the_same_slots() -> None:
    turned = SLOTTED.read_as(Reading(reverse=True, separator="|"))
    (ids,) = encode_sources(turned, ["he is Ann | | called Bob Ann"])
    first, second = SLOTTED.encode("he is"), SLOTTED.encode("called")
    assert ids == [FIRST, *first[::-1], END, FIRST, SECOND, *second]
    assert turned.cuts("he Ann | Bob") == ("▁ann", "▁he", "", "▁bob")
    assert turned.reserve(0).cuts("he Ann") == ("▁ann", "▁he")


def test_a_recipe_keeps_slots_and_the_store_fills_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SACCADE_HOME", str(tmp_path / "home"))
    pairs = [["he is ann", "il est ann"], ["he is bob", "il est bob"]]
    data = {
        "train": {"kind": "pairs", "pairs": pairs},
        "valid": {"kind": "pairs", "pairs": [["he is zoe and yan", "il est yan"]]},
        "joint": True,
        "copies": 3,
        "source": {"tokenizer": {"kind": "word", "min_count": 4}},
    }
    recipe = from_plain({"data": data, "training": {"max_steps": 1}})
    found = prepare(recipe, tmp_path, fit_codecs(recipe, [_lines(tmp_path)]))
    source, target = found.codecs.source.vocabulary, found.codecs.target.vocabulary
    assert source is not None
    assert target is not None
    slots = source.slots
    assert len(slots) == 3
    assert target.slots == slots
    he, is_ = source.encode("he is")
    sources, written = found.valid.pair(0)
    assert sources["source"].tolist() == [he, is_, slots[0], slots[1], slots[2]]
    assert written.tolist() == [UNK, UNK, slots[2]]


def _lines(root: Path) -> Pairs:
    """A corpus in which only `he` and `is` are frequent."""
    return Pairs(root, pairs=[["he is", "he is"]] * 4)
