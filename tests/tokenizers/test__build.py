"""What the tokenizers share: normalisers, cuts and counts."""

from collections import Counter

import pytest
from tokenizers import models

from saccade.errors import DataError, RecipeError
from saccade.tokenizers._build import (
    characters,
    count_pieces,
    finished,
    marked,
    most_common,
    plain_text,
    whole_lines,
)
from saccade.tokenizers._vocabulary import SYMBOLS

BEHIND = [len(SYMBOLS), len(SYMBOLS) + 1]  # the first two behind the symbols
EMPTY = models.WordLevel({}, unk_token="<unk>")


@pytest.mark.parametrize(
    ("names", "given", "expected"),
    [
        (["nfd"], "é", "e\u0301"),
        (["nfkc"], "ﬁ ²", "fi 2"),
        (["strip", "squeeze"], "  a \t b ", "a b"),
        (["digits"], "1984, 2", "0000, 0"),
        (["quotes"], "«a» ‘b’", "\"a\" 'b'"),
        (["lowercase", "nfc"], "E\u0301", "é"),
        ([], " A ", " A "),
    ],
)
def test_normalisers_by_name(names: list[str], given: str, expected: str) -> None:
    assert plain_text(names).normalize_str(given) == expected


def test_an_unknown_normaliser_is_refused() -> None:
    with pytest.raises(RecipeError, match=r"there is no 'lowercas'. Did you mean 'lowercase'\?"):
        plain_text(["nfc", "lowercas"])


@pytest.mark.parametrize(
    ("options", "text", "pieces"),
    [
        ({"punctuation": True}, "l'ami dort.", ["▁l'", "ami", "▁dort", "."]),
        ({"punctuation": False}, "l'ami dort.", ["▁l'ami", "▁dort."]),
        ({"punctuation": False, "factors": True}, "dort￨V vite", ["▁dort", "￨V", "▁vite"]),
        ({"punctuation": False}, "<pad> x", ["▁<", "pad>", "▁x"]),
    ],
)
def test_cuts(options: dict[str, bool], text: str, pieces: list[str]) -> None:
    found = count_pieces(marked(EMPTY, [], **options), [text])
    assert list(found) == pieces


def test_characters_and_lines() -> None:
    assert count_pieces(characters(EMPTY, []), ["ab a"]) == Counter({"a": 2, "b": 1, " ": 1})
    assert list(count_pieces(whole_lines(EMPTY, []), ["one label", "</s>"])) == [
        "one label",
        "<",
        "/s>",
    ]


def test_the_commonest_are_kept_and_ties_are_broken_by_text() -> None:
    counts = Counter({"b": 2, "a": 2, "c": 5, "d": 1})
    tokenizer = whole_lines(most_common(counts, len(SYMBOLS) + 2, 1), [])
    assert finished(tokenizer).pieces(BEHIND) == ("c", "a")
    rare = whole_lines(most_common(counts, None, 2), [])
    assert finished(rare).pieces([*BEHIND, BEHIND[-1] + 1]) == ("c", "a", "b")
    with pytest.raises(DataError, match=r"no piece to learn: .* lower min_count"):
        finished(whole_lines(most_common(counts, None, 9), []))
