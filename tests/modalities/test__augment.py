"""Pictures that are changed by chance: how far, which never, and the same again from a seed."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from saccade.data import batching
from saccade.data.prepare import batches_of, prepare
from saccade.errors import RecipeError
from saccade.modalities._augment import Augmentation
from saccade.modalities._picture import Picture, Pixels, to_text
from saccade.modalities.image import Image
from tests.train import small


def pixels(height: int = 12, width: int = 10) -> Pixels:
    return np.random.default_rng(0).integers(0, 256, (height, width, 3), dtype=np.uint8)


def changed(one: Augmentation, picture: Pixels, n: int = 40, said: str = "") -> list[Pixels]:
    return [one.apply(picture, random.Random(seed), said) for seed in range(n)]


def test_every_second_picture_is_mirrored() -> None:
    found = changed(Augmentation(flip=True), pixels(), 200)
    mirrored = [np.array_equal(one, pixels()[:, ::-1]) for one in found]
    kept = [one for one, other in zip(found, mirrored, strict=True) if not other]
    assert all(np.array_equal(one, pixels()) for one in kept)
    assert 70 < sum(mirrored) < 130


@pytest.mark.parametrize("said", ["a man on the LEFT .", "right-handed", "the leftmost dog"])
def test_pictures_with_sides_are_not_mirrored(said: str) -> None:
    found = changed(Augmentation(flip=True), pixels(), said=said)
    assert all(np.array_equal(one, pixels()) for one in found)
    other = changed(Augmentation(flip=True, sided=("links",)), pixels(), said=said)
    assert not all(np.array_equal(one, pixels()) for one in other)


def test_a_window_lies_inside_and_is_as_large_as_asked_for() -> None:
    ramp = np.zeros((40, 60, 3), dtype=np.uint8)
    ramp[..., 0] = np.linspace(0, 240, 60)
    ramp[..., 1] = np.linspace(0, 240, 40)[:, None]
    for one in changed(Augmentation(crop=0.5), ramp):
        assert one.shape == ramp.shape
        for channel, axis in ((0, 1), (1, 0)):
            edges = one[..., channel].take([1, -2], axis=axis).astype(int).mean(axis=1 - axis)
            assert 100 <= edges[1] - edges[0] <= 240  # half of the ramp, or more
        assert not one[..., 2].any()
    assert len({one.tobytes() for one in changed(Augmentation(crop=0.5), ramp)}) == 40


def test_colours_change_and_grey_stays_grey() -> None:
    grey = np.full((4, 4, 3), 100, dtype=np.uint8)
    for one in changed(Augmentation(colour=0.3), grey):
        assert 69 <= one.min() <= one.max() <= 131
        assert (one == one[..., :1]).all()
    found = changed(Augmentation(colour=0.3), pixels())
    assert len({one.tobytes() for one in found}) == 40
    assert {one.dtype.name for one in found} == {"uint8"}
    assert np.abs(np.mean(found) - pixels().mean()) < 15


def test_a_picture_is_moved_and_only_black_goes_out_of_it() -> None:
    picture = np.zeros((12, 10, 1), dtype=np.uint8)
    picture[1:4, 5:10] = pixels(3, 5)[..., :1] | 1
    corners = set()
    for one in changed(Augmentation(shift=2), picture, 200):
        lines = [np.flatnonzero(one.any(axis=axis)) for axis in ((1, 2), (0, 2))]
        down, across = int(lines[0][0]), int(lines[1][0])
        corners.add((down, across))
        assert np.array_equal(one[down : down + 3, across : across + 5], picture[1:4, 5:10])
        assert one.sum() == picture.sum()
    assert corners == {(down, across) for down in range(4) for across in (3, 4, 5)}


def test_a_black_picture_stays_where_it_is() -> None:
    black = np.zeros((4, 4, 3), dtype=np.uint8)
    assert all(np.array_equal(one, black) for one in changed(Augmentation(shift=2), black))


def test_an_absurd_shift_is_refused() -> None:
    with pytest.raises(RecipeError, match=r"image\.random_shift: found -1; expected 0 to"):
        Image(random_shift=-1)


def test_nothing_is_changed_unless_asked_for() -> None:
    assert not Augmentation().active
    assert all(np.array_equal(one, pixels()) for one in changed(Augmentation(), pixels()))


@pytest.mark.parametrize("option", ["random_crop", "random_colour"])
@pytest.mark.parametrize("share", [-0.1, 1.0])
def test_what_is_no_share_is_refused(option: str, share: float) -> None:
    said = rf"image\.{option}: found {share:g}; expected a share from 0 on and below 1"
    options: dict[str, Any] = {option: share}
    with pytest.raises(RecipeError, match=said):
        Image(**options)


def test_the_codec_is_the_same_but_for_chance(tmp_path: Path) -> None:
    plain, other = Image().fit([]), Image(random_crop=0.2).fit([])
    assert plain.fingerprint == other.fingerprint
    assert (plain.varies, other.varies, other.heeds) == (False, True, False)
    other.save(tmp_path / "source.json")
    again = Image(random_flip=True).load(tmp_path / "source.json")
    assert (again.varies, again.heeds) == (True, True)
    assert Image(random_flip=True, size=9).adopt(plain).heeds
    assert plain.vary(pixels(), random.Random(0)) is not None


CAPTIONS = ["a dog", "dog on the left", "a cat", "the right cat", "bird", "cats"]


def data(**options: Any) -> dict[str, Any]:
    rows = [
        [to_text(Picture(np.roll(pixels(8, 8), i, axis=0))), CAPTIONS[i % len(CAPTIONS)]]
        for i in range(24)
    ]
    return {
        "train": {"kind": "pairs", "pairs": rows},
        "valid": {"kind": "pairs", "pairs": rows[:4]},
        "source": {"kind": "image", **options},
        "target": {"tokenizer": "word"},
    }


MODEL = {
    "kind": "encoder_decoder",
    "embedding": 16,
    "embedder": {"kind": "cnn", "width": 16, "stride": 4},
    "encoder": "none",
    "decoder": {"kind": "rnn", "hidden": 16},
}
ALL = {"random_crop": 0.3, "random_flip": True, "random_colour": 0.2}


def test_an_epoch_changes_pictures_by_seed_epoch_and_example(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    recipe = small.recipe(data=data(random_flip=True), model=MODEL)
    prepared = prepare(recipe, Path())
    batches = batches_of(recipe, prepared.train, prepared.codecs, 9999)
    plain = batches.batch(range(24)).sources["source"].values
    epochs = [batches.batch(range(24), e).sources["source"].values for e in (0, 0, 1, 2, 3, 4)]
    assert epochs[0].equal(epochs[1])
    backwards = batches.batch(range(23, -1, -1), 0).sources["source"].values.flip(0)
    assert epochs[0].equal(backwards)
    moved = [not all(one[i].equal(plain[i]) for one in epochs) for i in range(24)]
    sided = ["left" in c or "right" in c for c in CAPTIONS] * 4
    assert not any(flipped and side for flipped, side in zip(moved, sided, strict=True))
    assert sum(moved) > 10
    monkeypatch.setattr(batching, "_said", lambda *_: "")
    assert any(
        not batches.batch([1], e).sources["source"].values[0].equal(plain[1]) for e in range(9)
    )


def test_a_resumed_run_sees_the_pictures_it_would_have_seen(tmp_path: Path) -> None:
    options: dict[str, Any] = {"data": data(**ALL), "model": MODEL, "batch_tokens": 256}
    small.run(tmp_path / "whole", **options, max_steps=9)
    small.run(tmp_path / "parts", **options, max_steps=4)
    small.run(tmp_path / "parts", resume=True, **options, max_steps=9)
    small.assert_same(tmp_path / "whole", tmp_path / "parts")
    small.run(tmp_path / "plain", data=data(), model=MODEL, batch_tokens=256, max_steps=9)
    losses = [[row.get("loss") for row in small.rows(tmp_path / n)] for n in ("whole", "plain")]
    assert losses[0] != losses[1]
