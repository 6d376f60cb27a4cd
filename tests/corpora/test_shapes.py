"""Pictures of shapes as a corpus; the scenes themselves are tested beside it."""

from itertools import islice

import numpy as np

from saccade.corpora._scenes import scene_of
from saccade.corpora.shapes import Shapes
from saccade.modalities._picture import from_text


def test_a_pair_is_a_scene_with_its_regions_and_caption() -> None:
    for number, (text, caption) in enumerate(islice(Shapes(seed=3).pairs("valid"), 5)):
        scene = scene_of("valid", number, 3)
        found = from_text(text)
        assert np.array_equal(found.pixels, scene.draw())
        assert found.regions == scene.regions
        assert caption == scene.caption


def test_every_named_word_of_a_caption_finds_its_box() -> None:
    for text, caption in islice(Shapes().pairs("test"), 50):
        words = tuple(caption.split())
        boxes = from_text(text).boxes(words)
        unnamed = {word for i, word in enumerate(words) if i not in boxes}
        assert unnamed <= {"a", "above", "below", "left", "right", "of"}


def test_no_caption_of_the_test_pictures_is_in_training() -> None:
    train, test = (
        {caption for _, caption in Shapes(size=2000).pairs(split)} for split in ("train", "test")
    )
    assert len(train) > 1500
    assert len(test) > 500
    assert not train & test
