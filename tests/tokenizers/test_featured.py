"""Characters, and features behind a tab as whole pieces."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.errors import RecipeError
from saccade.modalities.text import TextCodec
from saccade.tokenizers._vocabulary import END, UNK, Vocabulary
from saccade.tokenizers.character import Character
from saccade.tokenizers.featured import Featured

LINES = ["Vivo\tV;PST;3;SG", "a;b c▁\tN;PL", "vivió", "</s>"]
VOCABULARY = Featured().fit(LINES, ["nfc", "strip"])


def pieces(text: str, vocabulary: Vocabulary = VOCABULARY) -> tuple[str, ...]:
    return vocabulary.pieces(vocabulary.encode(text))


def test_features_are_whole_pieces_behind_the_characters() -> None:
    assert pieces("Vivo\tV;PST;3;SG") == ("V", "i", "v", "o", "▁V", "▁PST", "▁3", "▁SG")
    assert VOCABULARY.encode("V")[0] != VOCABULARY.encode("\tV")[0]


@pytest.mark.parametrize(
    "text",
    ["vivo \t V ; PST", "vivo\t\tV;;PST;", "vivo\tV\tPST", "vivo\t;V;PST; \t", " vivo\tV;PST "],
)
def test_spaces_and_empty_features_do_not_count(text: str) -> None:
    assert pieces(text) == ("v", "i", "v", "o", "▁V", "▁PST")


def test_a_separator_before_the_tab_is_a_character() -> None:
    assert pieces(";a;b\tN;PL") == (";", "a", ";", "b", "▁N", "▁PL")
    assert pieces("a;b;") == ("a", ";", "b", ";")
    assert pieces("a b▁\t") == ("a", "▁", "b", "_")  # the first is how a space is shown


def test_text_without_features_is_read_as_characters_are() -> None:
    letters = Character().fit(LINES, ["nfc", "strip"])
    for text in ("vivió", "a;b c", "", " x"):
        assert pieces(text) == pieces(text, letters)


def test_unknown_features_and_characters_are_one_piece_each() -> None:
    ids = VOCABULARY.encode("ж\tV;FUT")
    assert [i == UNK for i in ids] == [True, False, True]
    assert Featured(min_count=2).fit(["aa\tV;N", "a\tV"], []).encode("a\tV;N").count(UNK) == 1


@pytest.mark.parametrize("separator", ["|", "+", ".", ", ", "\\", "]", "::"])
def test_any_separator(separator: str) -> None:
    vocabulary = Featured(separator=separator).fit([f"ab\tN{separator}PL"], [])
    assert pieces(f"ab\tN{separator}PL", vocabulary) == ("a", "b", "▁N", "▁PL")


@pytest.mark.parametrize("separator", ["", "▁", ";" * 9])
def test_a_separator_that_cannot_be_one(separator: str) -> None:
    with pytest.raises(RecipeError, match=r"featured\.separator: found '.*'; expected 1 to 8 char"):
        Featured(separator=separator)


def test_normalisers_leave_the_features_alone() -> None:
    vocabulary = Featured().fit(["a  b\tV;PST"], ["squeeze", "strip"])
    assert pieces("a   b \t V;PST", vocabulary) == ("a", "▁", "b", "▁V", "▁PST")
    with pytest.raises(RecipeError, match="normalise: digits makes the features 1, 2 and 3 the sa"):
        Featured().fit(["a\tV;3"], ["digits"])
    with pytest.raises(RecipeError, match=r"no 'nfcc'\. Did you mean 'nfc'\?"):
        Featured().fit(["a"], ["nfcc"])


@given(st.text(alphabet="ab;V \t</s>"), st.booleans())
def test_normal_text_comes_back(text: str, squeeze: bool) -> None:
    vocabulary = Featured().fit([text, "a"], ["squeeze"] if squeeze else [])
    assert vocabulary.decode(vocabulary.encode(text)) == vocabulary.normalise(text)
    assert UNK not in vocabulary.encode(text)
    assert min(vocabulary.encode(text), default=9) > END


def test_it_is_saved_in_the_file_of_the_library(tmp_path: Path) -> None:
    VOCABULARY.save(tmp_path / "v.json")
    again = Vocabulary.load(tmp_path / "v.json")
    assert again.encode("Vivo\tV;PST") == VOCABULARY.encode("Vivo\tV;PST")
    assert again.featured
    assert not Character().fit(["▁"], []).featured


def test_labels_and_words_show_features_whole() -> None:
    codec = TextCodec(VOCABULARY)
    text = "vivo\tV;PST"
    (ids,) = codec.encode([text])
    assert codec.labels(text, ids) == ("v", "i", "v", "o", "▁V", "▁PST", "</s>")
    assert codec.words(ids) == [0, 0, 0, 0, 1, 2]
