"""What every tokenizer keeps: text of known characters, unknown ones visibly, symbols apart."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.errors import DataError, RecipeError
from saccade.parts import find, kinds
from saccade.tokenizers._vocabulary import END, PAD, START, UNK
from saccade.tokenizers.base import Tokenizer
from saccade.tokenizers.bpe import Bpe
from saccade.tokenizers.character import Character
from saccade.tokenizers.featured import Featured
from saccade.tokenizers.line import Line
from saccade.tokenizers.unigram import Unigram
from saccade.tokenizers.word import Word

LETTERS = "abcdé'’.,!?<>/«»- 한グ\t\u0301\u2028"
LINES = [
    "l'homme dort. j'ai deux chats, « oui » !",
    "a<pad>b </s> <s> x<unk>y a<pad>b </s> a<pad>b",
    "the cat  sat on the mat",
    *LETTERS,
]
SUBWORDS: list[Tokenizer] = [
    Character(),
    Bpe(size=120),
    Bpe(size=120, punctuation=False),
    Unigram(size=120),
]
FITTED = [tokenizer.fit(LINES, []) for tokenizer in SUBWORDS]


def test_all_parts_are_tested() -> None:
    assert {type(tokenizer) for tokenizer in [*SUBWORDS, Word(), Line(), Featured()]} == {
        find(Tokenizer, kind) for kind in kinds(Tokenizer)
    }


@given(st.text(alphabet=LETTERS))
def test_known_characters_come_back(text: str) -> None:
    for vocabulary in FITTED:
        ids = vocabulary.encode(text)
        assert vocabulary.decode(ids) == text
        assert not {PAD, UNK, START, END} & set(ids)


@given(st.text(alphabet=LETTERS), st.booleans())
def test_known_words_come_back(text: str, punctuation: bool) -> None:
    vocabulary = Word(punctuation=punctuation).fit([text, "a"], [])
    assert vocabulary.decode(vocabulary.encode(text)) == text


@given(st.text(alphabet=LETTERS))
def test_known_lines_come_back_as_one_symbol(text: str) -> None:
    vocabulary = Line().fit([text, "a"], [])
    assert vocabulary.decode(vocabulary.encode(text)) == text
    assert len(vocabulary.encode(text)) == bool(text)


@given(st.text(st.characters(exclude_characters="▁", exclude_categories=["Cs"])))
def test_normal_text_comes_back(text: str) -> None:
    vocabulary = Bpe(size=200).fit([text, "a"], ["nfc", "strip"])
    decoded = vocabulary.decode(vocabulary.encode(text))
    assert decoded == vocabulary.normalise(text)
    assert decoded == unicodedata.normalize("NFC", text).strip() or not text.isprintable()


@given(st.text(alphabet="ab жЖ", min_size=1))
def test_unknown_characters_are_shown(text: str) -> None:
    for vocabulary in FITTED:
        decoded = vocabulary.decode(vocabulary.encode(text))
        assert ("⁇" in decoded) == bool({"ж", "Ж"} & set(text))
        assert decoded.count(" ") == text.count(" ")


@pytest.mark.parametrize("symbol", ["<pad>", "<unk>", "<s>", "</s>"])
def test_written_symbols_are_text(symbol: str) -> None:
    lines = [symbol, f"a{symbol}", f"a'{symbol} {symbol}"] * 5
    for tokenizer in [*SUBWORDS, Word(), Word(punctuation=False), Featured()]:
        vocabulary = tokenizer.fit(lines, [])
        for line in lines:
            ids = vocabulary.encode(line)
            assert min(ids) > END
            assert vocabulary.decode(ids) == line


@pytest.mark.parametrize(
    "tokenizer", [*SUBWORDS, Word(), Featured()], ids=lambda t: type(t).__name__
)
def test_nothing_to_learn_from_is_an_error(tokenizer: Tokenizer) -> None:
    with pytest.raises(DataError, match="no piece to learn: the lines are empty"):
        tokenizer.fit(["", ""], [])


def test_unknown_normaliser_is_an_error() -> None:
    with pytest.raises(RecipeError, match=r"no 'nfcc'\. Did you mean 'nfc'\? Choices: nfc,"):
        Word().fit(["a"], ["nfcc"])


@pytest.mark.parametrize(
    "tokenizer", [*SUBWORDS, Word(), Featured()], ids=lambda t: type(t).__name__
)
def test_same_lines_same_vocabulary(tokenizer: Tokenizer) -> None:
    lines = LINES * 3
    assert tokenizer.fit(lines, []).fingerprint == tokenizer.fit(lines, []).fingerprint
