"""Texts are cut as models read them, and joined as they were."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.guards.profile import Profile, trigrams_of
from saccade.models.base import Model
from saccade.parts import Part
from saccade.predict.passage import Passage, cut, reads_sentences, unit_of, whole
from saccade.predict.passage import ReadingUnit as Unit
from saccade.predict.predictor import Predictor
from saccade.recipe import Decoding
from saccade.tokenizers._vocabulary import Reading, Vocabulary
from saccade.tokenizers.character import Character
from saccade.tokenizers.line import Line
from tests.predict.test_predictor import translator
from tests.samples import sides, text_codecs, vocabulary

TEXT = "  One. Two!\r\n\r\n\tThree \n"


def profile(lines: list[str]) -> Profile:
    grams = Counter(gram for line in lines for gram in trigrams_of(line))
    return Profile(len(lines), grams.total(), grams, (), (), 10)


def test_units() -> None:
    assert cut(TEXT, Unit.sentences).parts == ("One.", "Two!", "Three")
    assert cut(TEXT, Unit.lines) == Passage(("One. Two!", "Three"), ("  ", "\r\n\r\n\t", " \n"))
    assert cut(TEXT, Unit.none) == whole(TEXT)
    for unit in Unit:
        assert cut(" \n", unit) == Passage((), (" \n",))


@given(st.text(alphabet="aB1. \n\r\u2028?。,", max_size=60), st.sampled_from(list(Unit)))
def test_what_is_joined_again_is_the_text(text: str, unit: Unit) -> None:
    for most in (None, 4):
        passage = cut(text, unit, len, most)
        assert passage.join(passage.parts) == text
        assert not "".join(passage.gaps).strip()


def test_a_long_sentence_is_cut_at_a_comma_a_space_or_anywhere_but_in_a_number() -> None:
    assert cut("one two, three four", Unit.sentences, len, 12).parts == (
        "one two,",
        "three four",
    )
    assert cut("one two three four", Unit.sentences, len, 12).parts == (
        "one two",
        "three four",
    )
    assert cut("abcdefgh", Unit.sentences, len, 5).parts == ("abcde", "fgh")
    assert cut("abc123456", Unit.sentences, len, 5).parts == ("abc", "123456")
    assert cut("x 1234567.89 y", Unit.sentences, len, 4).parts == ("x", "1234567.89", "y")
    assert cut("ae\u0301i", Unit.sentences, len, 2).parts == ("a", "e\u0301", "i")
    assert cut("one two three four", Unit.lines, len, 5).parts == ("one two three four",)


@given(st.text(alphabet="ab1, .", min_size=1, max_size=80))
def test_parts_keep_to_the_limit_unless_a_number_is_longer(text: str) -> None:
    for part in cut(text, Unit.sentences, len, 10).parts:
        assert len(part) <= 10 or all(c in "1.," for c in part)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["He sleeps.", "She sees them!", "Who?"], True),
        (["Mr. Gray sleeps.", "He said: no. Never.", "yes"], True),
        (["他来了。", "好。"], True),
        (["cat", "dog", "St. John's"], False),
        (["den 3. mai 2004", "5. jan. 2001", "4 juil. 2002"], False),
        (["One. Two. Three. Four.", "One. Two. Three."], False),
        (["No. Never.", "Go! Now!"], False),
        ([], False),
    ],
)
def test_lines_of_training_tell_whether_a_model_reads_sentences(
    lines: list[str], expected: bool
) -> None:
    assert reads_sentences(profile(lines)) is expected
    assert not reads_sentences(None)
    assert not reads_sentences(replace(profile(lines), trigrams={}, n_lines=3))


def built(recipe: str, line: str, **sides: Vocabulary) -> Predictor:
    """Return a predictor of a sample model with a profile of sentences and other pieces."""
    given = translator(recipe, learned=False)
    codecs = text_codecs(sides.get("source", vocabulary()), sides.get("target", vocabulary()))
    return Predictor(given.model, codecs, given.decoding, profile([line] * 4))


def test_what_a_model_reads() -> None:
    sentence = "Two cats."
    assert unit_of(built("bahdanau", sentence)) is Unit.sentences
    assert unit_of(built("bahdanau", "cats")) is Unit.lines
    labels = Line().fit(["good", "bad"], [])
    assert unit_of(built("bahdanau", sentence, target=labels)) is Unit.lines
    turns = vocabulary().read_as(Reading(separator="__eou__"))
    assert unit_of(built("bahdanau", sentence, source=turns)) is Unit.lines
    feeds = Character().fit(["a\nb"], [])
    assert unit_of(built("bahdanau", sentence, source=feeds)) is Unit.none
    spoken = Part(Model, "language_model").build(*sides(len(vocabulary())))
    other = Predictor(spoken, text_codecs(vocabulary()), Decoding(), profile([sentence] * 4))
    assert unit_of(other) is Unit.none
