from pathlib import Path

import pytest

from saccade.errors import DataError, RecipeError
from saccade.parts import Part
from saccade.readers.base import Reader
from saccade.readers.words import Words

CORPUS = Part(Reader, "pairs", {"pairs": [["chat noir", "The cat, the DOG"], ["l'eau", "a cat's"]]})


def words(**options: object) -> list[str]:
    examples = list(Words(Path(), corpora=[CORPUS], **options).read())  # type: ignore[arg-type]
    assert all(example.source == example.target for example in examples)
    return [example.source for example in examples]


def test_every_word_is_read_once_lower_cased_in_order_of_first_use() -> None:
    assert words() == ["the", "cat", "dog", "a", "cat's"]


@pytest.mark.parametrize(
    ("side", "expected"),
    [("source", ["chat", "noir", "l'eau"]), ("both", ["chat", "noir", "the", "cat", "dog"])],
)
def test_the_side_decides_where_words_come_from(side: str, expected: list[str]) -> None:
    assert words(side=side)[: len(expected)] == expected


def test_rare_words_are_left_out() -> None:
    assert words(min_count=2) == ["the"]


def test_words_can_be_read_as_often_as_they_occur() -> None:
    assert words(once=False) == ["the", "the", "cat", "dog", "a", "cat's"]


def test_the_fingerprint_knows_all_that_matters() -> None:
    readers = [
        Words(Path(), corpora=[CORPUS]),
        Words(Path(), corpora=[CORPUS, CORPUS]),
        Words(Path(), corpora=[CORPUS], min_count=2),
        Words(Path(), corpora=[CORPUS], side="source"),
        Words(Path(), corpora=[CORPUS], once=False),
    ]
    assert len({reader.fingerprint() for reader in readers}) == 5


def test_no_corpora_are_refused() -> None:
    with pytest.raises(RecipeError, match="words: no corpora; expected one reader or more"):
        Words(Path())


def test_no_word_left_is_an_error() -> None:
    with pytest.raises(DataError, match="words: no word occurs 9 times on the target side"):
        words(min_count=9)
