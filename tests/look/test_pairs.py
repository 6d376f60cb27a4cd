from pathlib import Path

from saccade.look import doctor, pairs
from saccade.nouns import Example, pair
from saccade.readers._table import Unread
from saccade.tokenizers._vocabulary import Vocabulary
from saccade.tokenizers.character import Character
from saccade.tokenizers.word import Word


def texts(findings: list[doctor.Finding]) -> str:
    return "\n".join(finding.text for finding in findings)


def test_pairs() -> None:
    rows = [("hello there", "bonjour vous")] * 3 + [("Paris", "Paris"), ("a", "b" * 50)]
    found = texts(pairs.examine_pairs("x", [pair(s, t, "") for s, t in rows]))
    assert "x: 2 pairs (40.0%) are repeats" in found
    assert "x: the target is a copy of the source: 1 (20.0%)" in found
    assert "x: lengths that do not go together (usual target/source: 1.08): 1 (20.0%)" in found
    assert "empty" not in found
    assert "different targets" not in found


def test_empty_sides_are_named_by_their_origin() -> None:
    examples = [
        pair("a", "b"),
        pair(" ", "b", "f.tsv:2"),
        Example({"source": "c"}, ("d", ""), "f:3"),
    ]
    (found,) = pairs.examine_pairs("x", examples)
    assert found.text == "x: 2 pairs (66.7%) have an empty side"
    assert (found.level, found.places) == ("warning", ("f.tsv:2", "f:3"))
    assert "Leave them out" in found.advice


def test_sources_with_several_targets() -> None:
    rows = [("run", "ran"), ("run", "runs"), ("run", "ran"), ("be", "was"), ("do", "did")]
    found = pairs.examine_pairs("x", [pair(s, t) for s, t in rows])
    (one,) = [finding for finding in found if "different" in finding.text]
    assert one.text == "x: 1 of 3 sources (33.3%) have different targets"
    assert (one.level, one.places) == ("warning", ("run → ran | runs",))
    assert "a column of features" in one.advice
    few = [*(pair(str(i), f"{i}.") for i in range(9)), pair("0", "other")]
    assert [f.level for f in pairs.examine_pairs("x", few) if "different" in f.text] == ["note"]


def test_columns_that_are_not_read() -> None:
    here = Path("data/train.tsv")
    features, other = pairs.examine_unread(
        [Unread(here, "3", "V;PST;3;SG"), Unread(here, "4", "from a book")]
    )
    assert features.level == "warning"
    assert features.text == "train.tsv: column 3 is not read, for example 'V;PST;3;SG'"
    assert "set features: 3 of the reader, and data.source.tokenizer: featured" in features.advice
    assert (other.level, other.text) == (
        "note",
        "train.tsv: column 4 is not read, for example 'from a book'",
    )


def test_overlap() -> None:
    train = [pair("a", "b", ""), pair("c", "d", "")]
    bad = pairs.overlap(train, [pair("a", "x", ""), pair("e", "f", "")], "test")
    assert bad.level == "warning"
    assert bad.text == "test: 1 of 2 sources (50.0%) stand in training too"
    assert pairs.overlap(train, [pair("e", "f", "")], "test").level == "good"


def phones() -> Vocabulary:
    return Word(punctuation=False).fit(["h ə l oʊ", "b aɪ", "t iː"], [])


def test_one_unknown_phone_is_no_reason_for_subwords() -> None:
    held_out = ["b ə t aɪ"] * 4 + ["h oʊ ʒ"]
    found = pairs.unknowns(phones(), held_out, "valid target")
    assert found.text == "valid target: 1 of 19 pieces (5.26%) are unknown: 'ʒ' (1)"
    assert (found.level, found.places) == ("note", ("h oʊ ʒ",))
    assert "bpe" not in found.advice
    assert "add examples that hold them" in found.advice


def test_many_unknown_phones_are_a_warning_but_no_reason_either() -> None:
    found = pairs.unknowns(phones(), ["b ə t ʒ"] * 6, "valid target")
    assert found.text.endswith("6 of 24 pieces (25.00%) are unknown: 'ʒ' (6)")
    assert found.level == "warning"
    assert "bpe" not in found.advice


def test_many_unknown_words_of_sentences_call_for_subwords() -> None:
    known = Word().fit(["the cat sat on the mat while a dog slept in its basket near it"], [])
    lines = ["the black cat saw a white mouse", "a grey dog slept near the old sofa"]
    found = pairs.unknowns(known, lines, "valid source")
    assert found.text == (
        "valid source: 7 of 15 pieces (46.67%) are unknown: 'black' (1), 'saw' (1), 'white' (1) and"
        " 4 more"
    )
    assert found.level == "warning"
    assert "tokenizer: bpe" in found.advice


def test_unknown_characters_are_no_reason_for_subwords() -> None:
    found = pairs.unknowns(Character().fit(["abc"], []), ["abжcж", "xyz"], "input")
    assert found.text.startswith("input: 5 of 8 pieces (62.50%) are unknown: 'ж' (2)")
    assert "bpe" not in found.advice


def test_all_known() -> None:
    found = pairs.unknowns(phones(), ["b aɪ"], "x")
    assert (found.level, found.text) == ("good", "x: 0 of 2 pieces (0.00%) are unknown")
