from itertools import islice

import pytest

from saccade.corpora._letters import ALPHABET
from saccade.corpora.handwriting import Handwriting, written_by
from saccade.errors import RecipeError
from saccade.modalities._strokes import from_text


def test_texts_are_short_and_can_be_written() -> None:
    for text, strokes in islice(Handwriting(longest=9).pairs("train"), 200):
        assert len(text) <= 9
        assert set(text) <= set(ALPHABET)
        assert len(from_text(strokes)) >= 2 * len(text.replace(" ", ""))


def test_reading_is_writing_the_other_way_round() -> None:
    write = list(islice(Handwriting().pairs("valid"), 20))
    read = list(islice(Handwriting(task="read").pairs("valid"), 20))
    assert [(b, a) for a, b in read] == write


def test_all_characters_occur() -> None:
    texts = (text for text, _ in islice(Handwriting(size=3000).pairs("train"), 3000))
    assert set(ALPHABET) - set("".join(texts)) <= set("QqXxZz")


def test_a_text_alone_is_the_text_of_the_corpus() -> None:
    text, strokes = next(Handwriting(seed=4).pairs("train"))
    assert (written_by(text, 4).points == from_text(strokes).points).all()


@pytest.mark.parametrize("longest", [6, 61])
def test_a_length_out_of_range_is_refused(longest: int) -> None:
    message = f"handwriting.longest: found {longest}; expected 7 to 60 characters. Change it."
    with pytest.raises(RecipeError, match=message):
        Handwriting(longest=longest)


def test_what_is_not_in_the_alphabet_is_refused() -> None:
    with pytest.raises(RecipeError, match="handwriting: the text has 'é'; expected some of abc"):
        written_by("été", 1)
    with pytest.raises(RecipeError, match="handwriting: the text is empty; expected some of"):
        written_by(" ", 1)
