"""The view of a phrase-based search."""

import pytest

from saccade.errors import RecipeError
from saccade.inspections.base import draw
from saccade.inspections.phrases import covering
from saccade.models.base import Model
from saccade.parts import Part
from saccade.predict.predictor import Predictor
from saccade.recipe import Decoding
from saccade.search.base import Search
from tests import samples
from tests.look.test_inspection import translator


def phrasing() -> Predictor:
    """A model that knows no phrase: every word is one of its own, and unknown."""
    codecs = samples.codecs()
    model = Part(Model, "phrase_based", {"passes": [1, 1], "tune": 0}).build(*codecs.shape)
    return Predictor(model, codecs, Decoding(search=Part(Search, "stack")))


def test_every_word_is_covered_once() -> None:
    asked = phrasing()
    one = asked.predict("two cats")
    found = covering(asked, one)
    places = sorted(p for phrase in found.phrases for p in range(phrase.first, phrase.end))
    assert places == list(range(len(one.source_values)))
    assert len(found.stacks) == len(places) + 1
    assert found.stacks[0].kept == 1
    drawing = draw(asked, "two cats", "phrases")
    assert "covered, step by step" in drawing.svg
    assert drawing.terminal(80).startswith("covered")


def test_a_model_without_phrases_says_so() -> None:
    with pytest.raises(RecipeError, match=r"inspect --view phrases: .* has no phrases"):
        draw(translator("bahdanau"), "two cats", "phrases")
