"""Sentences as places: what is kept of a story, and what is refused."""

import numpy as np
import pytest

from saccade.errors import DataError, RecipeError
from saccade.modalities.story import Story, StoryCodec, sentences_of, story_of
from saccade.modalities.text import TextCodec

LONG = "one went. two went. three went. four went."


def fitted(sentences: int = 50, separator: str = ".") -> StoryCodec:
    codec = Story(sentences=sentences, separator=separator).fit([[LONG, "One went!"]])
    assert isinstance(codec, StoryCodec)
    return codec


def test_a_sentence_is_a_row() -> None:
    values, mask = fitted().pad(fitted().encode(["one went. two", "three"]))
    assert mask.tolist() == [[True, True], [True, False]]
    assert values.shape == (2, 2, 2)
    assert values[0, 0, 0] != values[0, 1, 0]
    assert values[0, 1, 1] == 0
    assert not values[1, 1].any()


def test_the_last_sentences_are_kept_and_the_loss_is_told() -> None:
    codec = fitted(sentences=2)
    assert codec.labels(LONG, None) == ("three went", "four went")
    assert codec.encode([LONG])[0].shape == (2, 2)
    assert codec.skipped(LONG) == 2
    assert codec.describe().endswith("of 1 longer stories only the last 2 sentences")
    assert "longer" not in fitted().describe()
    assert fitted().skipped(LONG) == 0


def test_case_and_marks_do_not_count() -> None:
    codec = fitted()
    one, other = codec.encode(["One went!", "one  went"])
    assert np.array_equal(one, other)


@pytest.mark.parametrize("told", ["", " . . ", "\n"])
def test_a_story_without_sentences_is_refused(told: str) -> None:
    message = r"a.txt:3: has no sentences; expected one or more, parted by '.'. Write what is to"
    with pytest.raises(DataError, match=message):
        fitted().encode(["one", told], ["a.txt:2", "a.txt:3"])


def test_a_sentence_without_end_is_refused() -> None:
    with pytest.raises(DataError, match="a sentence has 1,001 words; expected at most 1,000"):
        fitted().encode(["one " * 1001])


def test_another_separator() -> None:
    codec = fitted(separator="\n")
    assert codec.kept("Dr. One went\ntwo went") == ["Dr. One went", "two went"]
    assert story_of(["a", "b"], "\n") == "a\nb"
    assert sentences_of(story_of(["a b", "c"], "."), ".") == ["a b", "c"]


def test_a_target_beside_is_text() -> None:
    modality = Story()
    codec = fitted()
    assert isinstance(modality.adopt(codec, codec), TextCodec)
    assert isinstance(modality.adopt(codec), StoryCodec)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sentences": 0}, "story.sentences: 0 cannot be kept; expected 1 to 10,000"),
        ({"separator": ""}, "story.separator: is empty; expected what parts sentences"),
    ],
)
def test_wrong_options(options: dict[str, object], message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        Story(**options)  # type: ignore[arg-type]
