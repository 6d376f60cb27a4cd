"""Lines of print: pictures of one height and any width, read column by column.

As text a line is a data URI, as any picture. A place is a column of grey pixels, so a line is a
sequence: what is known of text and sound, such as masks, batches of like lengths and recurrent
encoders, holds for it.
"""

import json
import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, ClassVar, final

import numpy as np

from saccade.errors import CheckpointError, RecipeError
from saccade.intake.files import read_json
from saccade.modalities._line import WIDEST, LineAugmentation
from saccade.modalities._picture import Picture
from saccade.modalities._pictures import SizedCodec
from saccade.modalities._resize import Sizing
from saccade.modalities.base import Array, Codec, Laid, Modality
from saccade.nouns import Raw, Side

_HIGHEST = 256  # pixels


@final
class LineImageCodec(SizedCodec):
    """Lines of one height. There is nothing to learn.

    Args:
        height: pixels of every column.
        augmentation: how training changes lines by chance.
    """

    unit = "columns"
    dtype = "uint8"

    def __init__(self, height: int, augmentation: LineAugmentation = LineAugmentation()) -> None:
        super().__init__(Sizing(height=height))
        self.height, self.augmentation = height, augmentation

    @property
    def side(self) -> Side:
        """As many numbers as a column has pixels."""
        return Side(self.height, embedder="columns")

    @property
    def fingerprint(self) -> str:
        """How lines are resized."""
        return f"line uint8 [W, {self.height}] grey bicubic"

    def describe(self) -> str:
        """Say how high lines are."""
        return f"lines of {self.height} grey pixels"

    def encode(self, raws: Sequence[Raw], origins: Sequence[str] = ()) -> list[Array]:
        """Return the columns of every line, `[W, H]`."""
        arrays = self.sizing.arrays(raws, origins)
        return [np.ascontiguousarray(array[:, :, 0].T) for array in arrays]

    def pad(self, arrays: Sequence[Array]) -> Laid:
        """Lay lines out from the left, `[B, W, H]`, with zeros behind."""
        width = max(map(len, arrays), default=0)
        values = np.zeros((len(arrays), width, self.height), dtype=np.uint8)
        mask = np.zeros((len(arrays), width), dtype=np.bool_)
        for i, one in enumerate(arrays):
            values[i, : len(one)], mask[i, : len(one)] = one, True
        return Laid(values, mask)

    @property
    def varies(self) -> bool:
        """Whether lines are changed by chance."""
        return self.augmentation.active

    def vary(self, array: Array, chance: random.Random, said: str = "") -> Array:
        """Return another line of the same text."""
        if not self.varies:
            return array
        return np.ascontiguousarray(self.augmentation.apply(array.T, chance).T)

    def decode(self, values: Array) -> Picture:
        """Return columns as a picture."""
        grey = np.asarray(values, dtype=np.uint8).T[:, :, None]  # [H, W, 1]
        return Picture(np.repeat(grey, 3, axis=2))

    def save(self, path: Path) -> None:
        """Write a JSON file."""
        path.write_text(json.dumps({"height": self.height}), encoding="utf-8")


class LineImage(Modality):
    """Pictures of lines of text, made grey and `height` pixels high; they keep their proportions.

    max_width: lines with more columns than this at that height are left out of training.

    Training may see each line otherwise in every epoch.  random_shear: letters lean by up to this
    share of their height, left or right.  random_scale: letters are lower by up to this share,
    anywhere between the edges.  random_stretch: the line is wider or narrower by up to this share.
    random_blur: up to so many pixels of Gaussian blur.
    """

    discrete: ClassVar[bool] = False
    raw: ClassVar[str] = "line"
    writable: ClassVar[bool] = False

    def __init__(
        self,
        *,
        height: int = 32,
        max_width: int = 2048,
        random_shear: float = 0.0,
        random_scale: float = 0.0,
        random_stretch: float = 0.0,
        random_blur: float = 0.0,
    ) -> None:
        if not _is_height(height):
            raise RecipeError(
                f"line.height: found {height}; expected 1 to {_HIGHEST} pixels. Change it."
            )
        if not 1 <= max_width <= WIDEST:
            raise RecipeError(
                f"line.max_width: found {max_width}; expected 1 to {WIDEST} columns. Change it."
            )
        self.height, self.max_length = height, max_width
        self.augmentation = LineAugmentation(
            random_shear, random_scale, random_stretch, random_blur
        )
        self.augmentation.check()
        self.varies = self.augmentation.active

    def sketch(self) -> Side:
        """Return a side of columns."""
        return LineImageCodec(self.height).side

    def fit(self, streams: Sequence[Iterable[Raw]], beside: Codec | None = None) -> Codec:
        """Take lines as the options say."""
        return LineImageCodec(self.height, self.augmentation)

    def load(self, path: Path, beside: Codec | None = None) -> Codec:
        """Read what `LineImageCodec.save` wrote."""
        try:
            height = read_json(path)["height"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise CheckpointError(
                f"{path}: cannot be read as the height of lines ({error}); expected what training"
                " wrote. Copy the model folder again."
            ) from None
        if not _is_height(height):
            raise CheckpointError(
                f"{path}: lines have {str(height)[:40]} pixels; expected 1 to {_HIGHEST}. Copy the"
                " model folder again."
            )
        return LineImageCodec(height, self.augmentation)

    def adopt(self, codec: Codec, beside: Codec | None = None) -> Codec:
        """Read lines in the height of another codec, changed by chance as the options say."""
        if type(codec) is not LineImageCodec:
            return codec
        return LineImageCodec(codec.height, self.augmentation)


def _is_height(found: Any) -> bool:
    return type(found) is int and 1 <= found <= _HIGHEST
