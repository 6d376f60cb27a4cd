"""Texts that are encoded by their words have the ids that they have as a whole."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.tokenizers import _by_word
from saccade.tokenizers._build import _NORMALISERS
from saccade.tokenizers._vocabulary import Vocabulary
from saccade.tokenizers.base import Tokenizer
from saccade.tokenizers.bpe import Bpe
from saccade.tokenizers.character import Character
from saccade.tokenizers.featured import Featured
from saccade.tokenizers.line import Line
from saccade.tokenizers.unigram import Unigram
from saccade.tokenizers.word import Word

LINES = [
    "The cat's (small) bed -- isn't  here, \"is it\"?",
    "a<pad>b </s> x_1 10.5% a-b @home <s> x<unk>y",
    "été ‘l’eau’ \u0301 한\tグ ﬁ",
]
LETTERS = "abTh1' .,-_<>/s()\"\té\u0301\u2028 한"
CUT: list[Tokenizer] = [
    Bpe(size=90),
    Bpe(size=90, punctuation=False),
    Unigram(size=90),
    Word(),
    Word(punctuation=False),
    Word(suffixes=3),
]
NORMALISE = [[], ["nfc", "strip"], [one for one in _NORMALISERS if one != "no_punctuation"]]
FITTED = [tokenizer.fit(LINES, steps) for tokenizer in CUT for steps in NORMALISE]


@settings(deadline=None, max_examples=60)
@given(st.lists(st.text(alphabet=LETTERS, max_size=30), max_size=6))
def test_by_words_is_as_a_whole(texts: list[str]) -> None:
    for vocabulary in FITTED:
        assert vocabulary._by_word
        assert vocabulary._by_word(texts) == vocabulary._cut_up(texts)
        assert vocabulary._by_word(texts) == vocabulary._cut_up(texts)  # as remembered


@settings(deadline=None, max_examples=60)
@given(st.lists(st.text(alphabet=LETTERS, max_size=30), max_size=6))
def test_many_texts_are_encoded_like_few(texts: list[str]) -> None:
    for vocabulary in FITTED[-3:]:
        many = vocabulary.encode_many([*texts, *["a b"] * _by_word.LEAST])
        assert many[: len(texts)] == vocabulary.encode_many(texts)


@pytest.mark.parametrize("tokenizer", [Character(), Line(), Featured()])
def test_pieces_that_cross_spaces_are_cut_as_a_whole(tokenizer: Tokenizer) -> None:
    assert tokenizer.fit(["a b", "b c"], ["nfc"])._by_word is None


def test_what_may_leave_nothing_of_a_word_is_cut_as_a_whole() -> None:
    assert Bpe(size=90).fit(LINES, ["no_punctuation"])._by_word is None
    assert Word(factors=True).fit(["a￨B c￨D"], [])._by_word is None


def test_so_many_words_are_remembered_and_no_long_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_by_word, "_MOST", 3)
    vocabulary = Bpe(size=90).fit(LINES, [])
    many = vocabulary._by_word
    assert many
    texts = ["a cat here", f"a {'b' * 33}", "is it small"]
    assert many(texts[:2]) == vocabulary._cut_up(texts[:2])
    assert list(many._known) == ["a", "cat", "here"]
    assert many(texts) == vocabulary._cut_up(texts)
    assert len(many._known) == 3


def test_few_texts_leave_no_trace() -> None:
    vocabulary = Bpe(size=90).fit(LINES, [])
    vocabulary.encode_many(["a cat"] * (_by_word.LEAST - 1))
    assert vocabulary._by_word
    assert not vocabulary._by_word._known
    assert isinstance(vocabulary, Vocabulary)
