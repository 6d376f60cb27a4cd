import numpy as np
import pytest

from saccade.errors import DataError, RecipeError
from saccade.modalities._notation import Clock
from saccade.predict.alignment import align
from saccade.predict.predictor import Predictor
from saccade.recipe import Decoding
from tests.samples import codecs, trained

PREDICTOR = Predictor(trained("ctc"), codecs(), Decoding())


def test_labels_follow_each_other_and_words_are_theirs() -> None:
    found = align(PREDICTOR, "two cats", "deux chats")
    assert "".join(one.text for one in found.labels).replace("▁", " ").strip() == "deux chats"
    ends = [0.0, *(one.end for one in found.labels)]
    for before, one in zip(ends, found.labels, strict=False):
        assert before <= one.first < one.end <= 9
        assert 0 < one.probability <= 1
        assert one.seconds is None
    assert [one.text for one in found.words] == ["deux", "chats"]
    first, second = found.words
    assert (first.first, first.end) == (found.labels[0].first, found.labels[3].end)
    assert first.end <= second.first
    assert found.score == pytest.approx(
        PREDICTOR.score(["two cats"], ["deux chats"])[0].score, 1e-4
    )
    assert len(found.path) == 18  # two frames a place, END too
    assert np.diff(found.path).min() >= 0


def test_places_that_last_are_times(monkeypatch: pytest.MonkeyPatch) -> None:
    levels = np.array([0, 50, 50, 0.0])  # of o, n, e and END
    clock = Clock(0.5, -0.5, 1.0, levels)
    monkeypatch.setattr(type(PREDICTOR.source), "clock", lambda *_: clock)
    found = align(PREDICTOR, "one", "un")
    first, second = (one.seconds for one in found.labels)
    assert first is not None
    assert second is not None
    assert 0 <= first[0] < first[1] <= second[0] + 0.5
    assert second[1] <= 1.0
    assert found.words[0].seconds == (first[0], second[1])


def test_texts_that_cannot_be_are_refused() -> None:
    with pytest.raises(
        DataError, match=r"align: the text needs 14 frames, one a label and a blank"
    ):
        align(PREDICTOR, "one", "uuuuuuun")
    with pytest.raises(DataError, match=r"align: the text 'ü' has ü that the model cannot write"):
        align(PREDICTOR, "one", "ü")
    attentive = Predictor(trained("bahdanau", 2), codecs(), Decoding())
    with pytest.raises(RecipeError, match="align: EncoderDecoder does not write frame by frame"):
        align(attentive, "one", "un")
