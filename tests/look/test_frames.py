import numpy as np

from saccade.look.frames import examine_frames, frames_of_labels
from saccade.nouns import pair
from tests.samples import codecs, trained


def test_targets_that_need_more_frames_are_found() -> None:
    model = trained("ctc", 1)  # two frames a place
    pairs = [pair("one", "un", "a:1"), pair("one", "quatreuns", "a:2"), pair("six", "uuuuu", "a:3")]
    (found,) = examine_frames("train", model, codecs(), pairs)
    assert found.level == "warning"
    assert found.text.startswith("train: 2 targets (66.7%) need more frames than their source has")
    assert found.places == ("a:2: 8 frames, 9 needed", "a:3: 8 frames, 9 needed")
    (good,) = examine_frames("train", model, codecs(), pairs[:1])
    assert (good.level, good.text) == (
        "good",
        "train: every target fits into the frames of its source",
    )
    assert examine_frames("train", model, codecs(), []) == []
    assert frames_of_labels(np.array([4, 4, 4])) == 5
