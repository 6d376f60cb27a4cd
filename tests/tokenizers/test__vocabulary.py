import os
import subprocess
import sys
from pathlib import Path

import pytest

from saccade.errors import CheckpointError, DataError
from saccade.tokenizers._vocabulary import END, PAD, START, SYMBOLS, UNK, Reading, Vocabulary
from saccade.tokenizers.bpe import Bpe
from saccade.tokenizers.character import Character
from saccade.tokenizers.line import Line
from saccade.tokenizers.word import Word

LINES = ["l'homme dort.", "j'ai deux chats", "the cat sat on the mat"]


def word() -> Vocabulary:
    return Word().fit(LINES, ["nfc", "strip"])


def test_symbols_have_the_first_ids() -> None:
    assert (PAD, UNK, START, END) == (0, 1, 2, 3)
    assert word().pieces([PAD, START, END]) == ("<pad>", "<s>", "</s>")
    assert word().pieces([UNK]) == ("▁⁇",)


def test_decode_drops_symbols_and_shows_the_unknown() -> None:
    vocabulary = word()
    ids = [START, *vocabulary.encode("the zebra dort."), END, PAD]
    assert vocabulary.decode(ids) == "the ⁇ dort."


def test_encode_adds_nothing() -> None:
    assert word().encode("") == []
    assert not {PAD, START, END} & set(word().encode("the cat"))


def test_encode_many_is_encode_of_each() -> None:
    vocabulary = Bpe(size=60).fit(LINES, ["nfc"])
    assert vocabulary.encode_many(LINES) == [vocabulary.encode(line) for line in LINES]
    assert vocabulary.encode_many([]) == []


def test_words_are_joined_by_the_mark() -> None:
    vocabulary = word()
    ids = vocabulary.encode("l'homme dort.")
    assert vocabulary.pieces(ids) == ("▁l'", "homme", "▁dort", ".")
    assert vocabulary.words(ids) == [0, 0, 1, 1]
    assert vocabulary.words([START, *ids, END]) == [0, 1, 1, 2, 2, 3]


def test_words_of_characters_are_split_at_spaces() -> None:
    vocabulary = Character().fit(["ab c"], [])
    ids = vocabulary.encode("ab c")
    assert vocabulary.pieces(ids) == ("a", "b", "▁", "c")
    assert vocabulary.words(ids) == [0, 0, 1, 1]


def test_normalise_shows_what_is_encoded() -> None:
    vocabulary = Word().fit(["a"], ["nfkc", "lowercase", "quotes", "squeeze", "strip"])
    assert vocabulary.normalise("  L’ÉTÉ\u00a0 «ﬁn»\t") == 'l\'été "fin"'
    assert Character().fit(["a"], ["lowercase"]).normalise(" A ") == " a "


def test_unknown_shows_what_is_not_known() -> None:
    for vocabulary in (word(), Character().fit(["a b"], ["nfc"])):
        assert vocabulary.unknown("") == ()
        text = "Ωω a 猫"
        n = vocabulary.encode(text).count(UNK)
        found = vocabulary.unknown(text)
        assert len(found) == n
        assert {"Ωω", "猫"} <= set(found) or {"Ω", "猫"} <= set(found)


def test_save_and_load_keep_everything(tmp_path: Path) -> None:
    vocabulary = Bpe(size=60).fit(LINES, ["nfc", "lowercase"])
    vocabulary.save(tmp_path / "source.json")
    again = Vocabulary.load(tmp_path / "source.json")
    assert again.fingerprint == vocabulary.fingerprint
    assert len(again) == len(vocabulary)
    assert again.encode("THE homme") == vocabulary.encode("THE homme")


def test_fingerprints_tell_vocabularies_apart() -> None:
    assert word().fingerprint == word().fingerprint
    assert word().fingerprint != Word().fit(LINES, ["nfc"]).fingerprint


def test_two_sides_that_are_the_same_are_read_once(tmp_path: Path) -> None:
    saved, other = tmp_path / "source.json", tmp_path / "target.json"
    word().save(saved)
    word().save(other)
    source = Vocabulary.load(saved)
    assert Vocabulary.load(other, source) is source
    turned = source.read_as(Reading(reverse=True))
    assert Vocabulary.load(other, turned).fingerprint == source.fingerprint
    Character().fit(LINES, []).save(other)
    assert len(Vocabulary.load(other, source)) == len(Vocabulary.load(other)) != len(source)


def test_load_names_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"none\.json: no such vocabulary; expected a tok"):
        Vocabulary.load(tmp_path / "none.json")


def test_load_names_a_folder(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"cannot be read as a vocabulary: not a file"):
        Vocabulary.load(tmp_path)


def test_load_names_what_is_not_a_tokenizer(tmp_path: Path) -> None:
    (tmp_path / "v.json").write_text("{}")
    with pytest.raises(CheckpointError, match=r"v\.json: not a tokenizer's JSON file"):
        Vocabulary.load(tmp_path / "v.json")


def test_load_refuses_other_symbols(tmp_path: Path) -> None:
    path = tmp_path / "v.json"
    word().save(path)
    path.write_text(
        path.read_text().replace('"</s>":3', '"</t>":3').replace('"</s>": 3', '"</t>": 3')
    )
    with pytest.raises(CheckpointError, match=r"v\.json: id 3 is '</t>'; expected '</s>'"):
        Vocabulary.load(path)


def test_forking_after_encoding_is_silent() -> None:
    program = (
        "import os\n"
        "from saccade.tokenizers.word import Word\n"
        "v = Word().fit(['a b c'] * 100, [])\n"
        "v.encode_many(['a b'] * 100)\n"
        "child = os.fork()\n"
        "v.encode_many(['a b'] * 100)\n"
        "child and os.waitpid(child, 0)\n"
    )
    environment = {k: v for k, v in os.environ.items() if k != "TOKENIZERS_PARALLELISM"}
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        check=True,
        env=environment,
        cwd=Path(__file__).parents[2],
    )
    assert done.stderr == b""


def test_symbols_are_those_saved() -> None:
    assert SYMBOLS == ("<pad>", "<unk>", "<s>", "</s>")


def test_half_characters_are_refused() -> None:
    with pytest.raises(
        DataError, match=r"text 'a\\ud800' holds half a character, a lone surrogate"
    ):
        word().encode("a\ud800")


def test_a_reversed_reading_begins_with_the_last_piece() -> None:
    plain = word()
    turned = plain.read_as(Reading(reverse=True))
    ids = turned.encode("l'homme dort.")
    assert ids == plain.encode("l'homme dort.")[::-1]
    assert turned.pieces(ids) == (".", "▁dort", "homme", "▁l'")
    assert turned.decode([*ids, END, PAD]) == "l'homme dort."
    assert turned.encode_many(LINES) == [turned.encode(line) for line in LINES]


def test_words_of_a_reversed_reading_count_as_the_text_has_them() -> None:
    turned = word().read_as(Reading(reverse=True))
    ids = turned.encode("l'homme dort.")
    assert turned.words(ids) == [1, 1, 0, 0]
    assert turned.words([*ids, END]) == [1, 1, 0, 0, 2]
    assert turned.order([*ids, END]) == [3, 2, 1, 0, 4]
    assert word().order(ids) == [0, 1, 2, 3]


def test_turns_are_texts_of_their_own_with_an_end_between_them() -> None:
    plain = word()
    parted = plain.read_as(Reading(separator="__eou__"))
    text = "the cat sat __eou__ l'homme dort. __eou__ "
    turns = [plain.encode(turn) for turn in ("the cat sat", "l'homme dort.")]
    ids = parted.encode(text)
    assert ids == [*turns[0], END, *turns[1]]
    assert parted.encode_many([text, "", "the", " __eou__ "]) == [ids, [], parted.encode("the"), []]
    assert parted.decode([*ids, END, PAD]) == "the cat sat __eou__ l'homme dort."
    assert parted.words(ids) == [0, 1, 2, 3, 4, 4, 5, 5]


def test_each_turn_is_reversed_in_its_place() -> None:
    both = word().read_as(Reading(reverse=True, separator="|"))
    ids = both.encode("the cat | the mat")
    assert both.pieces(ids) == ("▁cat", "▁the", "</s>", "▁mat", "▁the")
    assert both.decode(ids) == "the cat | the mat"


def test_another_reading_is_another_vocabulary() -> None:
    plain = word()
    turned = plain.read_as(Reading(reverse=True))
    assert plain.read_as(Reading()) is plain
    assert turned.fingerprint != plain.fingerprint
    assert turned.same_pieces(plain)
    assert not turned.same_pieces(Word().fit(LINES[:1], ["nfc", "strip"]))
    assert turned.fingerprint != plain.read_as(Reading(separator="|")).fingerprint
    assert turned.read_as(Reading()).fingerprint == plain.fingerprint


def test_kinds_of_pieces_and_what_alignments_count() -> None:
    letters, lines = Character().fit(["ab c"], []), Line().fit(["ab c"], [])
    words = Word().fit(["ab c"], [])
    kinds = [(v.characters, v.whole_lines, v.whole_words) for v in (letters, lines, words)]
    assert kinds == [(True, False, False), (False, True, False), (False, False, True)]
    ids = letters.encode("ab c")
    assert letters.words(ids) == [0, 0, 1, 1]
    assert letters.units(ids) == [0, 1, 2, 3]
    assert letters.read_as(Reading(reverse=True)).units(ids) == [3, 2, 1, 0]
    assert words.units(words.encode("ab c")) == [0, 1]
