"""What both codecs of pictures do alike."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import PIL.Image
import pytest

from saccade.embedders._trunk import Trunk
from saccade.modalities._photo import LARGEST
from saccade.modalities._picture import Picture, PictureFile, from_text, to_text
from saccade.modalities._pictures import PictureCodec
from saccade.modalities.base import Codec
from saccade.modalities.features import Features
from saccade.modalities.image import Image
from saccade.nouns import Hypothesis
from saccade.parts import Part
from saccade.predict.prediction import Prediction

TINY = Part(Trunk, "vgg", {"width": 1})


def codecs(**options: Any) -> list[Codec]:
    return [
        Image(size=40, fit="squash", **options).fit([[]]),
        Features(network=TINY, size=40, **options).fit([[]]),
    ]


@pytest.mark.parametrize("which", [0, 1])
def test_a_page_is_told_how_large_a_picture_may_be(which: int) -> None:
    codec = codecs()[which]
    assert isinstance(codec, PictureCodec)
    assert codec.limit == LARGEST
    assert (codec.view, codec.stand_in, codec.labels("", np.zeros(0))) == (
        "picture",
        "[picture]",
        (),
    )


def test_people_see_the_same_picture() -> None:
    pixels = np.random.default_rng(0).integers(0, 256, (60, 30, 3), dtype=np.uint8)
    one, other = (codec.read(to_text(Picture(pixels))) for codec in codecs())
    assert one.pixels.shape == (40, 40, 3)
    assert np.array_equal(one.pixels, other.pixels)
    written = [codec.write(Picture(pixels)) for codec in codecs()]
    assert written[0] == written[1] == to_text(one)


@pytest.mark.parametrize("flip", [False, True])
def test_chance_flips_both_or_none(flip: bool) -> None:
    found = [(codec.varies, codec.heeds) for codec in codecs(random_flip=flip)]
    assert found == [(flip, flip)] * 2


@pytest.mark.parametrize(("fit", "shape"), [("crop", (40, 40)), ("squash", (12, 30))])
@pytest.mark.parametrize("which", [0, 1])
def test_attention_is_drawn_over_what_the_network_saw(
    which: int, fit: str, shape: tuple[int, int], tmp_path: Path
) -> None:
    path = tmp_path / "x.jpg"
    pixels = np.random.default_rng(0).integers(0, 256, (12, 30, 3), dtype=np.uint8)
    PIL.Image.fromarray(pixels).save(path, "JPEG")
    kinds: list[Any] = [Image, Features]
    options = [{}, {"network": TINY}][which]
    codec = kinds[which](size=40, fit=fit, **options).fit([[]])
    looker: Any = SimpleNamespace(sources={"source": codec}, grid=lambda _: (2, 2))
    raw = PictureFile(path)
    one = Prediction({"source": raw}, {"source": np.zeros(0)}, Hypothesis((), 0.0, ()), looker)
    for seen in (one.seen, one._over("source").raw):
        assert from_text(seen).pixels.shape[:2] == shape
    assert from_text(codec.write(raw)).pixels.shape[:2] == (12, 30)  # a file is kept as it is
