"""Unknown words become classes by their suffix and case."""

from pathlib import Path

import pytest

from saccade.errors import RecipeError
from saccade.modalities.text import TextCodec
from saccade.tokenizers._suffixes import SuffixClasses, suffix_classes
from saccade.tokenizers._vocabulary import UNK, Reading, Vocabulary
from saccade.tokenizers.word import Word

LINES = ["we saw the singing ringing Roma Rosa", "the the dog"]
VOCABULARY = Word(punctuation=False, suffixes=5, min_count=2).fit(LINES, [])


def pieces(text: str, vocabulary: Vocabulary = VOCABULARY) -> tuple[str, ...]:
    return vocabulary.pieces(vocabulary.encode(text))


def test_an_unknown_word_is_the_longest_suffix_that_two_rare_words_share() -> None:
    assert pieces("the king zebra Anna xyz Xyz") == (*("▁the", "▁⁇ing", "▁⁇", "▁⁇a", "▁⁇", "▁⁇"),)
    small, capital = VOCABULARY.encode("xyz Xyz")
    assert small != capital
    assert UNK not in (small, capital)


def test_a_suffix_has_at_most_so_many_letters() -> None:
    assert pieces("bringing") == ("▁⁇nging",)
    short = Word(punctuation=False, suffixes=1, min_count=2).fit(LINES, [])
    assert pieces("bringing", short) == ("▁⁇g",)
    assert pieces("bringing", Word(min_count=2).fit(LINES, [])) == ("▁⁇",)


def test_frequent_words_make_no_classes() -> None:
    assert suffix_classes({"▁aing": 3, "▁bing": 3}, 3, rare=2) == []
    assert "<rare a ing>" in suffix_classes({"▁aing": 2, "▁bing": 2}, 3, rare=2)


def test_broader_classes_lead_from_every_word_to_unknown() -> None:
    broader = VOCABULARY.broader
    assert len(broader) == len(VOCABULARY)
    for i in range(len(broader)):
        steps, here = 0, i
        while here != UNK:
            here, steps = broader[here], steps + 1
            assert steps <= 7
    (king,) = VOCABULARY.encode("king")
    assert VOCABULARY.pieces([broader[king]]) == ("▁⁇ng",)
    assert Word().fit(LINES, []).broader == ()


def test_factors_have_no_class() -> None:
    vocabulary = Word(factors=True, suffixes=3, min_count=2).fit(["running￨V ringing￨V a￨D"], [])
    assert pieces("king￨N", vocabulary) == ("▁⁇ing", "▁⁇")
    assert vocabulary.encode("king￨N")[1] == UNK


def test_it_is_saved_and_read_backwards(tmp_path: Path) -> None:
    VOCABULARY.save(tmp_path / "v.json")
    again = Vocabulary.load(tmp_path / "v.json")
    assert again.encode("the king") == VOCABULARY.encode("the king")
    assert again.broader == VOCABULARY.broader
    turned = VOCABULARY.read_as(Reading(reverse=True))
    assert turned.encode("the king") == VOCABULARY.encode("the king")[::-1]


def test_a_side_tells_the_classes() -> None:
    assert TextCodec(VOCABULARY).side.broader == VOCABULARY.broader
    assert VOCABULARY.unknown("the king") == ("king",)


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(RecipeError, match=r"word\.suffixes: 11 is not between 0 and 10; 0 leaves"):
        Word(suffixes=11)
    with pytest.raises(RecipeError, match=r"data\.copies: 3 slots are .* word\.suffixes makes cla"):
        VOCABULARY.reserve(3)


def test_no_classes_without_pieces_that_are_classes() -> None:
    assert not SuffixClasses(["<pad>", "▁<rare", "▁a"])
