"""The tags of a sentence, how likely each is, and the best path."""

import numpy as np
import pytest

from saccade.errors import RecipeError
from saccade.inspections.base import draw
from saccade.inspections.trellis import TrellisView, tag_posteriors
from tests.look.test_inspection import translator
from tests.models.test_hmm import FACTORS, counted


def test_posteriors_are_those_of_the_model() -> None:
    _, predictor = counted()
    found = predictor.predict("the cats see")
    posteriors, path = tag_posteriors(predictor, found)
    np.testing.assert_allclose(posteriors.sum(axis=1), np.ones(3))
    assert path == list(found.hypothesis.tokens)
    every = [f"{a} {b} {c}" for a in "DNV" for b in "DNV" for c in "DNV"]
    scored = predictor.score(["the cats see"] * len(every), every)
    first = sum(
        np.exp(one.score) for one, tags in zip(scored, every, strict=True) if tags[0] == "D"
    )
    vocabulary = predictor.target.vocabulary
    assert vocabulary is not None
    assert posteriors[0, vocabulary.encode("D")[0]] == pytest.approx(first, abs=1e-5)


def test_it_is_drawn_with_words_and_factors() -> None:
    _, predictor = counted(FACTORS, ["B I O B I", "B I O", "B O"], factors=2)
    drawing = draw(predictor, "the￨d dog￨n sees￨v", "trellis")
    lines = drawing.terminal(80).splitlines()
    assert lines[0].split() == ["the￨d", "dog￨n", "sees￨v"]
    assert [line.split()[0] for line in lines[1:]] == ["B", "I", "O"]
    assert drawing.terminal(80).count("*") == 3
    assert "dog￨n, I: 0." in drawing.svg
    assert TrellisView.suits(predictor)


def test_a_model_without_states_is_refused() -> None:
    found = translator("bahdanau")
    assert not TrellisView.suits(found)
    with pytest.raises(RecipeError, match="inspect: EncoderDecoder has no trellis of states; exp"):
        tag_posteriors(found, found.translate("two cats"))
