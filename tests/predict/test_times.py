"""Times of symbols: cores from weights, borders where the sound is quietest."""

from typing import Any

import numpy as np
import pytest

import saccade
from saccade.modalities._notation import Clock
from saccade.modalities._sound import Sound
from saccade.predict.alignment import align
from saccade.predict.times import spoken, weighed_spans
from tests.hummed import hum, hummer
from tests.test_sound import tone

LOUD, QUIET = 60.0, 5.0


def clock(levels: list[float], start: float = 0.0) -> Clock:
    return Clock(0.01, start, 0.01 * len(levels) + 2 * start, np.array(levels))


def test_spans_hold_the_middle_of_the_weights() -> None:
    weights = np.array([[1, 0, 0, 0], [0, 0.5, 0.5, 0], [0.04, 0.9, 0.03, 0.03], [0, 0, 0, 0]])
    assert weighed_spans(weights, 8) == [(0, 2), (2, 6), (2, 4), (0, 8)]
    assert weighed_spans(weights, 7)[1] == (2, 6)


@pytest.mark.parametrize("spikes", [[(0, 1), (18, 19)], [(16, 17), (39, 40)], [(8, 9), (30, 31)]])
def test_early_and_late_spikes_give_the_words(spikes: list[tuple[float, float]]) -> None:
    levels = [QUIET] * 4 + [LOUD] * 12 + [QUIET] * 3 + [LOUD] * 15 + [QUIET] * 6
    found = spoken(spikes, clock(levels))
    assert np.allclose(found, [(0.04, 0.16), (0.19, 0.34)])


def test_a_spike_in_the_silence_around_has_a_time() -> None:
    (one,) = spoken([(0, 4)], clock([QUIET] * 30, start=-0.05))
    assert 0 <= one[0] < one[1] <= 0.2
    (last,) = spoken([(29, 30)], Clock(0.01, -0.05, 0.2, np.full(30, QUIET)))
    assert 0 <= last[0] < last[1] <= 0.2
    assert spoken([], clock([QUIET] * 30)) == []


def test_attention_that_jumps_is_taken_as_it_is() -> None:
    found = spoken([(20, 24), (2, 6)], clock([LOUD] * 30))
    assert np.allclose(found, [(0.2, 0.24), (0.02, 0.06)])


def test_digits_are_where_they_were_hummed() -> None:
    model: Any = saccade.load(hummer())
    one = model.predict(Sound(hum("213"), 8000))
    begin, truth = 0.0, []
    for digit in (2, 1, 3):
        truth.append((begin, begin := begin + len(tone(digit, 1)) / 8000))
        begin += 0.08
    assert [time.text for time in one.times] == ["2", "1", "3"]
    assert np.allclose([(time.begins, time.ends) for time in one.times], truth, atol=0.03)
    assert [word.text for word in one.word_times] == ["213"]
    assert (one.word_times[0].begins, one.word_times[0].ends) == (
        one.times[0].begins,
        one.times[-1].ends,
    )
    aligned = align(model.whole(), Sound(hum("213"), 8000), "213")
    assert np.allclose([one.seconds or () for one in aligned.labels], truth, atol=0.03)
    assert one.times[0].plain() == {
        "text": "2",
        "begins": round(one.times[0].begins, 3),
        "ends": round(one.times[0].ends, 3),
    }
    (first,) = model.predict(Sound(hum("2"), 8000)).times
    assert first.ends - first.begins > 0.1  # not one frame
