"""Labels, and pictures of bits."""

from pathlib import Path

import numpy as np
import pytest

from saccade.errors import RecipeError
from saccade.parts import Part
from saccade.readers.base import Reader
from saccade.readers.bitmaps import Bitmaps
from tests.readers.test_idx import idx


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "images").write_bytes(idx(40, 8, 8))
    (tmp_path / "labels").write_bytes(idx(40))
    return tmp_path


def reader(folder: Path, *, seed: int = 1, threshold: float = 0.0) -> Bitmaps:
    corpus = Part(Reader, "idx", {"images": "images", "labels": "labels"})
    return Bitmaps(folder, corpus=corpus, seed=seed, threshold=threshold)


def test_bits_are_as_likely_as_pixels_are_bright(folder: Path) -> None:
    found = list(reader(folder).read())
    assert [one.source for one in found[:3]] == ["0", "1", "2"]
    bits = np.stack([one.target for one in found]).reshape(-1)
    grey = (np.arange(40 * 64) % 256) / 255
    assert set(bits.tolist()) == {0, 1}
    assert abs(bits[grey > 0.5].mean() - grey[grey > 0.5].mean()) < 0.04
    assert bits[grey == 0].sum() == 0
    assert bits[grey == 1].all()


def test_all_see_the_same_bits_unless_the_seed_differs(folder: Path) -> None:
    first, again, other = (list(reader(folder, seed=s).read()) for s in (1, 1, 2))
    assert all(np.array_equal(a.target, b.target) for a, b in zip(first, again, strict=True))
    assert any((a.target != b.target).any() for a, b in zip(first, other, strict=True))
    assert reader(folder).fingerprint() != reader(folder, seed=2).fingerprint()


def test_a_threshold_leaves_nothing_to_chance(folder: Path) -> None:
    found = next(reader(folder, threshold=0.1).read())
    assert found.target.reshape(-1).tolist() == [int(n / 255 > 0.1) for n in range(64)]


def test_an_absurd_threshold_is_refused(folder: Path) -> None:
    with pytest.raises(RecipeError, match=r"threshold: found 2; expected 0 to draw bits"):
        reader(folder, threshold=2)
