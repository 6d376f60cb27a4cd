"""Words that are in no list."""

from pathlib import Path

import pytest

from saccade.errors import DataError
from saccade.metrics.invalid_words import InvalidWords


def test_words_are_valid_if_some_reference_has_them() -> None:
    outputs = ["a cat sleeps.", "teh dog", "cat"]
    references = [["a dog sleeps"], ["the cat,"], ["a", "mouse"]]
    found = InvalidWords().corpus(outputs, references)
    assert found.value == pytest.approx(100 / 6)  # teh; dog is another reference's
    assert found.detail == {"invalid": 1, "words": 6}
    assert found.signature == "case:mixed|norm:nfc|tok:whitespace|words:references"


def test_a_list_is_what_stands_before_tabs(tmp_path: Path) -> None:
    path = tmp_path / "lexicon.tsv"
    path.write_text("the\t31\ndog house\t2\n", encoding="utf-8")
    metric = InvalidWords(words=str(path))
    assert metric.corpus(["the 'house' 31 The"], ["x"]).detail == {"invalid": 2, "words": 4}
    assert metric.corpus(["the"], ["x"]).signature.endswith("words:lexicon.tsv")
    lower = InvalidWords(words=str(path), lowercase=True)
    assert lower.corpus(["the 'house' 31 The"], ["x"]).detail == {"invalid": 1, "words": 4}
    path.unlink()  # what was read stays so
    assert metric.corpus(["dog x y"], ["x"]).detail == {"invalid": 1, "words": 3}


def test_nothing_written_is_nothing_invalid() -> None:
    assert InvalidWords().corpus(["", "..."], ["a", "b"]).value == 0


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"invalid_words.words: .*none cannot be read as UTF-8 tex"):
        InvalidWords(words=str(tmp_path / "none"))
