"""Listening: what is written for a stretch is what the model writes for it as a file."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import saccade
from saccade.errors import DataError, RecipeError
from saccade.modalities._resample import resample
from saccade.modalities._sound import Sound, rounded
from saccade.predict.listening import Heard, Listener
from saccade.predict.predictor import Predictor
from saccade.recipe import Decoding
from tests.hummed import hum, hummer
from tests.samples import codecs, trained


@pytest.fixture(scope="module")
def model() -> Any:
    return saccade.load(hummer())


def heard(listener: Listener, sound: Any, size: int) -> list[Heard]:
    found = []
    for place in range(0, len(sound), size):
        found += listener.push(sound[place : place + size])
        listener.partial()
    return [*found, *listener.finish()]


@settings(deadline=None, max_examples=6)
@given(size=st.integers(40, 9000), digits=st.sampled_from(["213", "1", "33", "2 13 1", " 31"]))
def test_streamed_to_the_end_is_as_the_file(model: Any, size: int, digits: str) -> None:
    sound = hum(digits)
    found = heard(saccade.Listener(model), sound, size)
    assert [one.text for one in found] == digits.split()
    assert all(one.final for one in found)
    for one in found:
        first, end = round(one.begins * 8000), round(one.ends * 8000)
        alone = model.predict(Sound(sound[first:end], 8000))
        assert one.text == alone.text
        assert one.prediction.hypothesis == alone.hypothesis
    if " " not in digits:
        assert [one.prediction.hypothesis for one in found] == [
            model.predict(Sound(sound, 8000)).hypothesis
        ]


def test_another_rate_is_as_the_file(model: Any) -> None:
    sound = rounded(resample(hum("231").astype(np.float64), 8000, 44_100))
    (found,) = heard(saccade.Listener(model, rate=44_100), sound, 700)
    assert found.prediction.hypothesis == model.predict(Sound(sound, 44_100)).hypothesis
    assert found.text == "231"
    (floats,) = heard(saccade.Listener(model, rate=44_100), sound / 32768, 5000)
    assert floats.prediction.hypothesis == found.prediction.hypothesis


def test_partial_results_grow_and_cost_little(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    listener, sound, texts, calls = Listener(model), hum("213213"), list[str](), list[float]()
    predict = model.predict

    def counted(given: Sound, **options: Any) -> Any:
        calls.append(given.seconds)
        return predict(given, **options)

    monkeypatch.setattr(model, "predict", counted)
    assert listener.partial() is None
    for place in range(0, len(sound), 80):
        assert not listener.push(sound[place : place + 80])
        partial = listener.partial()
        texts += [partial.text] if partial else []
        assert partial is None or not partial.final
    assert {"2", "21", "213"} <= set(texts)
    assert len(calls) < 60  # of 150 chunks
    assert listener.seconds == pytest.approx(len(sound) / 8000)
    listener.push(hum(" "))
    assert listener.partial() is None


def test_memory_and_cost_are_bounded(model: Any) -> None:
    listener, longest = Listener(model, longest=2.0), 0.0
    for _ in range(40):
        for one in listener.push(hum("2132", gap=0.0)):
            longest = max(longest, one.ends - one.begins)
        partial = listener.partial()
        assert partial is None or partial.ends - partial.begins <= 2.0
    assert 1.0 <= longest <= 2.0


def test_what_cannot_be_listened_to_is_refused(model: Any) -> None:
    reader = Predictor(trained("bahdanau", 2), codecs(), Decoding())
    with pytest.raises(RecipeError, match="listen: the model reads source, and not one sound"):
        Listener(reader)
    with pytest.raises(DataError, match="listen: has 10 samples a second; expected 1,000"):
        Listener(model, rate=10)
    listener = Listener(model)
    with pytest.raises(DataError, match=r"listen: 1 of 2 samples are no numbers"):
        listener.push(np.array([0.0, np.nan]))
    with pytest.raises(DataError, match=r"listen: an array \[2\] of int64; expected a sound"):
        listener.push(np.array([1, 2]))
    assert listener.push(np.zeros(0, np.int16)) == []
    assert listener.finish() == []
