"""Scenes of shapes: the caption is true of the picture, and the picture of the caption."""

import re
from collections import Counter
from functools import cache
from hashlib import blake2b
from itertools import product
from typing import get_args

import numpy as np
import pytest

from saccade.corpora._scenes import COLOURS, SHAPES, SIDE, SIZES, Box, Scene, scene, scene_of
from saccade.corpora.base import Split

N = 400
CAPTION = re.compile(
    rf"a( small| large)? ({'|'.join(COLOURS)}) ({'|'.join(SHAPES)})"
    r" (above|below|left of|right of)"
    rf" a( small| large)? ({'|'.join(COLOURS)}) ({'|'.join(SHAPES)})"
)


@cache
def scenes() -> tuple[Scene, ...]:
    return tuple(scene(f"test {i}") for i in range(N))


def middle(box: Box) -> tuple[float, float]:
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def named(found: Scene) -> tuple[Box, Box]:
    """Return the boxes of the first and the second shape."""
    one, other = found.regions.values()
    return one, other


def test_the_same_key_gives_the_same_picture() -> None:
    assert scene("one") == scene("one")
    assert np.array_equal(scene("one").draw(), scene("one").draw())
    assert not np.array_equal(scene("one").draw(), scene("two").draw())


def test_the_picture_is_what_it_was() -> None:
    """Whole-number arithmetic gives these pixels everywhere; another result is another corpus."""
    found = scene("one")
    assert found.caption == "a large black cross above a red triangle"
    assert blake2b(found.draw().tobytes(), digest_size=8).hexdigest() == "427abc32bdd55947"


def test_captions_are_well_formed() -> None:
    for found in scenes():
        assert CAPTION.fullmatch(found.caption), found.caption
        assert found.caption.split() == list(found.words)


def test_the_relation_is_true() -> None:
    tests = {
        "above": lambda one, other: one[3] <= other[1],
        "below": lambda one, other: one[1] >= other[3],
        "left": lambda one, other: one[2] <= other[0],
        "right": lambda one, other: one[0] >= other[2],
    }
    seen = Counter[str]()
    for found in scenes():
        (word,) = set(found.words) & set(tests)
        one, other = named(found)
        assert tests[word](one, other), found.caption
        across, down = np.abs(np.subtract(middle(one), middle(other)))
        far, near = (down, across) if word in ("above", "below") else (across, down)
        assert near <= far / 2 + 1.5, found.caption  # boxes are whole pixels
        seen[word] += 1
    assert min(seen[word] for word in tests) > N / 12


def test_the_larger_is_named_first_and_of_equals_the_upper_or_left() -> None:
    order = list(SIZES)
    for found in scenes():
        sizes = [order.index(figure.size) for figure in found.ordered]
        assert sizes[0] >= sizes[1]
        if sizes[0] == sizes[1]:
            assert found.words[len(found.ordered[0].words)] in ("above", "left")


def test_boxes_hold_all_of_the_ink_and_touch_it_on_every_side() -> None:
    for found in scenes()[:100]:
        pixels = found.draw().astype(int)
        inked = np.zeros((SIDE, SIDE), dtype=bool)
        one, other = named(found)
        for left, top, right, bottom in (one, other):
            assert 0 <= left < right <= SIDE
            assert 0 <= top < bottom <= SIDE
            inked[top:bottom, left:right] = True
        paper = np.median(pixels[~inked], axis=0)
        assert abs(pixels[~inked] - paper).max() <= 19, found.caption  # nothing but the grain
        for (left, top, right, bottom), figure in zip((one, other), found.ordered, strict=True):
            inside = abs(pixels[top:bottom, left:right] - paper).max(axis=2) > 30
            if figure.shape in ("square", "cross"):
                assert inside.any(axis=0)[1:-1].all()
                assert inside.any(axis=1)[1:-1].all()
            assert inside.any()


def test_a_region_has_the_colour_that_its_name_says() -> None:
    for found in scenes()[:100]:
        pixels = found.draw().astype(int)
        for name, (left, top, right, bottom) in found.regions.items():
            x, y = (left + right) // 2, (top + bottom) // 2
            seen = pixels[y - 1 : y + 1, x - 1 : x + 1].mean(axis=(0, 1))
            nearest = min(COLOURS, key=lambda colour: abs(COLOURS[colour] - seen).sum())
            assert nearest in name.split(), found.caption


def test_regions_are_named_by_the_words_of_the_caption_in_order() -> None:
    for found in scenes():
        one, other = found.regions
        assert re.fullmatch(rf"a {one} (above|below|left of|right of) a {other}", found.caption)


def test_shapes_differ_to_the_eye() -> None:
    """The share of its box that a shape fills tells circle, triangle and square apart."""
    shares: dict[str, list[float]] = {shape: [] for shape in SHAPES}
    for found in scenes()[:200]:
        pixels = found.draw().astype(int)
        for figure in found.ordered:
            left, top, right, bottom = figure.box
            patch = pixels[top:bottom, left:right]
            ink = abs(patch - np.array(COLOURS[figure.colour])).sum(axis=2) < 90
            shares[figure.shape].append(float(ink.mean()))
    means = {shape: float(np.mean(found)) for shape, found in shares.items()}
    assert means["square"] > means["circle"] + 0.1 > means["cross"] + 0.15
    assert means["circle"] > means["triangle"] + 0.15


def test_everything_occurs_about_equally_often() -> None:
    words = Counter(word for found in scenes() for word in found.words)
    for options in (SHAPES, tuple(COLOURS)):
        for word in options:
            assert words[word] == pytest.approx(2 * N / len(options), rel=0.35)
    for size in ("small", "large"):
        assert words[size] == pytest.approx(2 * N / 3, rel=0.25)


def test_no_caption_is_in_two_splits() -> None:
    splits: tuple[Split, ...] = get_args(Split)
    captions = [{scene_of(split, i).caption for i in range(300)} for split in splits]
    for one, other in ((0, 1), (0, 2), (1, 2)):
        assert not captions[one] & captions[other]
    assert not captions[2] & {scene_of("train", i, seed=2).caption for i in range(300)}


def test_every_shape_of_the_test_pictures_is_in_the_training_pictures() -> None:
    """What is held out is how two shapes stand together, not a shape, a colour or a size."""
    train = [f for i in range(1000) for f in scene_of("train", i).ordered]
    test = [f for i in range(200) for f in scene_of("test", i).ordered]
    seen, asked = ({(f.shape, f.colour, f.size) for f in figures} for figures in (train, test))
    assert asked <= seen == set(product(SHAPES, COLOURS, SIZES))
