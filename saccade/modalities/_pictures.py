"""What the codecs of pictures share: their size, how they are shown, and whether chance flips them.

One hands pixels to a model, another what a network sees in them, a third the columns of a line. A
person sees the same picture.
"""

from abc import ABC
from typing import ClassVar

from saccade.modalities._augment import Augmentation
from saccade.modalities._picture import Picture
from saccade.modalities._resize import Sizing
from saccade.modalities.base import Array, Codec
from saccade.nouns import Raw


class SizedCodec(Codec, ABC):
    """Pictures that are resized before a network reads them.

    Args:
        sizing: how large they are then.
    """

    chunk: ClassVar[int] = 64  # pictures that are encoded at once
    view: ClassVar[str] = "picture"

    def __init__(self, sizing: Sizing) -> None:
        self.sizing, self.limit = sizing, sizing.limit

    def labels(self, raw: Raw, values: Array) -> tuple[str, ...]:
        """Name nothing: the places form a grid or a row."""
        return ()

    def read(self, text: str, where: str = "input") -> Picture:
        """Read a data URI as the picture that the network will see."""
        return self.sizing.read(text, where)

    def write(self, raw: Raw) -> str:
        """Write a data URI of the picture that the network will see."""
        return self.sizing.write(raw)


class PictureCodec(SizedCodec, ABC):
    """Pictures of one size, or of at most so many pixels each way.

    Args:
        sizing: how large they are when a network reads them.
        augmentation: how they are changed by chance.
    """

    def __init__(self, sizing: Sizing, augmentation: Augmentation) -> None:
        super().__init__(sizing)
        self.augmentation = augmentation

    @property
    def varies(self) -> bool:
        """Whether pictures are changed by chance."""
        return self.augmentation.active

    @property
    def heeds(self) -> bool:
        """Whether pictures are mirrored, if nobody speaks of left and right."""
        return self.augmentation.flip

    def shown(self, raw: Raw) -> str:
        """Write a data URI of what the network sees: without what is cut off, with what is put on.

        Places of its grid are equal shares of this.
        """
        return self.sizing.shown(raw)
