"""Small pictures of two coloured shapes, with what there is to see in them."""

from collections.abc import Iterator
from functools import lru_cache

from saccade.corpora._scenes import scene_of
from saccade.corpora.base import Corpus, Split, check_size
from saccade.modalities._picture import Picture, to_text

_HELD_OUT = 1000


class Shapes(Corpus):
    """Pictures of two shapes, 40 x 40 pixels, with captions such as `a red circle above a cross`.

    Circles, squares, triangles and crosses in six colours; small, large, or of a size that is not
    said; one above, below, left of or right of the other, on grainy paper. The larger is named
    first, of two equal ones the upper or the left one, so every picture has one caption. There are
    9,936 captions. No caption of one split is in another: a model that writes a test caption has
    seen both shapes, but never so beside each other. The box of each shape goes with its picture.
    """

    def __init__(self, *, seed: int = 1, size: int = 8000) -> None:
        check_size("shapes", size)
        self._seed, self._size = seed, size

    def pairs(self, split: Split) -> Iterator[tuple[str, str]]:
        """Yield (picture as text, caption)."""
        for number in range(self._size if split == "train" else _HELD_OUT):
            yield _pair(split, number, self._seed)


@lru_cache(maxsize=1 << 14)  # a corpus is read several times before training begins
def _pair(split: Split, number: int, seed: int) -> tuple[str, str]:
    scene = scene_of(split, number, seed)
    return to_text(Picture(scene.draw(), scene.regions)), scene.caption
