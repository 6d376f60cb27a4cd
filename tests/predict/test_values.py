"""Predictions of values: numbers in, numbers out, each window by itself."""

from typing import Any

import numpy as np
import pytest

from saccade.data.codecs import Codecs
from saccade.errors import DataError, RecipeError
from saccade.modalities._numbers import parse
from saccade.modalities.numbers import NumbersCodec, Scale
from saccade.models.base import Model
from saccade.parts import Part
from saccade.predict.evaluation import shortened
from saccade.predict.predictor import Predictor
from saccade.recipe import Decoding
from tests.samples import scramble

RNN = {"kind": "rnn", "hidden": 6, "dropout": 0.0}
HEAD = {"kind": "values", "relative": True}
WINDOWS = ["10,1 12,2 14,1", "20,5", "13,1 11,0", "30,2 31,2 32,2 33,2"]


def predictor(batch_tokens: int = 100) -> Predictor:
    scale = Scale((15.0, 2.0), (5.0, 1.0))
    codecs = Codecs({"source": NumbersCodec(scale, 0)}, NumbersCodec(scale.first(1), 3))
    options = {"encoder": RNN, "decoder": RNN, "head": HEAD}
    model = scramble(Part(Model, "encoder_decoder", options).build(*codecs.shape))
    return Predictor(model, codecs, Decoding(batch_tokens=batch_tokens))


def test_a_window_does_not_know_of_its_neighbours() -> None:
    whole = predictor().predict(WINDOWS)
    assert [one.values.shape for one in whole] == [(3, 1)] * 4
    for batch_tokens in (1, 7):
        alone = predictor(batch_tokens).predict(WINDOWS)
        for one, other in zip(whole, alone, strict=True):
            assert np.allclose(one.values, other.values, atol=1e-4)
    turned = predictor().predict(WINDOWS[::-1])
    assert np.allclose(turned[0].values, whole[-1].values, atol=1e-4)
    chunked = list(predictor().stream(WINDOWS, chunk=1))
    assert [one.text for one in chunked] == [predictor().predict(w).text for w in WINDOWS]


def test_text_and_arrays_and_mappings_are_read_alike() -> None:
    asked, window = predictor(), parse(WINDOWS[0])
    expected = asked.predict(WINDOWS[0]).values
    assert np.array_equal(asked.predict(window).values, expected)
    assert np.array_equal(asked.predict({"source": window}).values, expected)
    assert np.array_equal(asked.forecast(WINDOWS[0]).values, expected)


def test_longer_forecasts_begin_as_shorter_ones() -> None:
    short, long = (predictor().predict(WINDOWS[0], steps=n) for n in (2, 6))
    assert np.allclose(long.values[:2], short.values, atol=1e-5)
    assert np.allclose(parse(str(long)), long.values, rtol=1e-5)
    assert np.array_equal(shortened(long, 2).values, long.values[:2])


def test_attention_of_a_forecast() -> None:
    found = predictor().predict(WINDOWS[0])
    (weights,) = found.attention_maps.values()
    assert weights.shape == (len(found.tokens), len(found.source_tokens)) == (3, 3)
    assert np.allclose(weights.sum(axis=1), 1, atol=1e-5)
    assert found.source_tokens == tuple(WINDOWS[0].split())
    assert (found.alignment, found.flags, found.token_scores) == ([], (), ())


def test_what_cannot_be_forecast() -> None:
    with pytest.raises(DataError, match="series 2: is empty; expected numbers parted by spaces"):
        predictor().predict(["1,1", " "])
    with pytest.raises(DataError, match="input 1: 'x' is no number; expected numbers"):
        predictor().predict("1,x")
    with pytest.raises(DataError, match="a series has 1 columns; expected 2, as in training"):
        predictor().predict("1 2 3")
    with pytest.raises(RecipeError, match="forecast: steps is 0; expected 1 or more"):
        predictor().predict("1,1", steps=0)
    with pytest.raises(RecipeError, match="chunk is 0; expected 1 or more"):
        predictor().predict("1,1", chunk=0)
    with pytest.raises(RecipeError, match="score: this model writes values, which have no prob"):
        predictor().score(["1,1"], ["2"])


def test_sources_have_names() -> None:
    with pytest.raises(DataError, match="input 1: has sea; expected source, the model's sources"):
        predictor().predict({"sea": "1,1"})


@pytest.mark.parametrize(
    "options", [{"beam": 3}, {"nbest": 2}, {"prefix": "1"}, {"length_penalty": 1.0}, {"sample": {}}]
)
def test_options_of_search_are_refused(options: dict[str, Any]) -> None:
    (name,) = options
    said = rf"forecast: {name}: for models that choose among symbols, but this one writes values"
    with pytest.raises(RecipeError, match=said):
        predictor().predict(WINDOWS[0], **options)
