"""Features of pictures: what a frozen network sees in each square, computed once and stored.

The raw value is the picture, so it is read, shown and drawn over like any other; what a model reads
are the features. This modality is the one that needs torch: it runs a network. It is imported only
where a recipe names it.
"""

import hashlib
import json
import random
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, final

import numpy as np
from numpy.typing import NDArray

from saccade.embedders._frozen import FrozenTrunk, sketched
from saccade.embedders._trunk import Trunk
from saccade.errors import CheckpointError, DataError, RecipeError
from saccade.intake.files import read_json
from saccade.modalities._augment import Augmentation
from saccade.modalities._picture import MOST
from saccade.modalities._pictures import PictureCodec
from saccade.modalities._resize import Fit, Sizing
from saccade.modalities.base import Array, Codec, Laid, Modality
from saccade.nouns import Raw, Side
from saccade.parts import Part


@final
class FeaturesCodec(PictureCodec):
    """The features that one network makes of pictures of one size.

    Args:
        network: makes the features.
        sizing: how large the pictures are that the network reads.
        weights: the hash that the network's weights must have.
        channels: features of a place.
        augmentation: whether pictures are mirrored by chance.
        kept: where a model folder keeps the weights; old ones do not.
    """

    unit = "places"
    dtype = "float16"

    def __init__(
        self,
        network: Part[Trunk],
        sizing: Sizing,
        weights: str,
        channels: int,
        augmentation: Augmentation = Augmentation(),
        kept: Path | None = None,
    ) -> None:
        super().__init__(sizing, augmentation)
        self.network, self.weights, self.channels = network, weights, channels
        self.kept = kept

    @property
    def side(self) -> Side:
        """The features of a place."""
        return Side(self.channels, embedder="projected")

    @property
    def fingerprint(self) -> str:
        """Hash of the network, its weights, and how pictures are resized."""
        size, fit = self.sizing.size, self.sizing.fit
        content = ["features", size, fit, self.network.plain(), self.weights]
        content += ["mirrored"] if self.augmentation.flip else []
        return hashlib.blake2b(json.dumps(content).encode(), digest_size=16).hexdigest()

    def describe(self) -> str:
        """Name the network, and say how large its pictures are."""
        size, kind = self.sizing.size, self.network.kind
        return f"{self.channels:,} features a place, by {kind} at {size} x {size} pixels"

    @cached_property
    def _frozen(self) -> FrozenTrunk:
        """The network, built when it is first needed."""
        kept = self.kept if self.kept is not None and self.kept.exists() else None
        frozen = FrozenTrunk(self.network.build, kept)
        if frozen.fingerprint != self.weights:
            advice = "Copy the model folder again" if kept else "Install or give the same weights"
            raise CheckpointError(
                f"{kept or 'features'}: the weights of {self.network.kind} are"
                f" {frozen.fingerprint[:12]}; the model was trained with {self.weights[:12]}."
                f" {advice}."
            )
        return frozen

    def network_weights(self) -> Mapping[str, Any]:
        """Return the weights of the network, of which `weights` is the hash."""
        return self._frozen.weights

    def encode(self, raws: Sequence[Raw], origins: Sequence[str] = ()) -> list[Array]:
        """Return the features of every picture, `[H', W', C]`."""
        return list(self._frozen.features(self.sizing.arrays(raws, origins)))

    def variants(self, raws: Sequence[Raw], origins: Sequence[str] = ()) -> list[Array]:
        """Return the features of every picture and, if some are flipped, of its mirror image."""
        if not self.augmentation.flip:
            return self.encode(raws, origins)
        pictures = list(self.sizing.arrays(raws, origins))
        plain = self._frozen.features(pictures)
        mirrored = self._frozen.features([np.ascontiguousarray(one[:, ::-1]) for one in pictures])
        return [np.stack(both) for both in zip(plain, mirrored, strict=True)]  # [2, H', W', C]

    def lengths(self, shapes: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the number of places, `[n, 3]` or `[n, 4]` to `[n]`."""
        return shapes[:, -3] * shapes[:, -2]

    def pad(self, arrays: Sequence[Array]) -> Laid:
        """Lay grids of one size out, `[B, H', W', C]`; where there are two, the first."""
        if not arrays:
            return Laid(np.zeros((0, 0, 0, self.channels), np.float16), np.zeros((0, 0, 0), bool))
        values = np.stack([one if one.ndim == 3 else one[0] for one in arrays])
        return Laid(values, np.ones(values.shape[:3], dtype=np.bool_))

    def vary(self, array: Array, chance: random.Random, said: str = "") -> Array:
        """Choose one of two grids, `[2, H', W', C]` to `[H', W', C]`."""
        return array[int(self.augmentation.flips(chance, said))] if self.varies else array

    def decode(self, values: Array) -> Raw:
        """Refuse: nobody can tell the picture from its features."""
        raise DataError(
            "features: a picture cannot be made of its features; expected to read, not to write"
            " them. Use data.target of kind text or numbers."
        )

    def save(self, path: Path) -> None:
        """Write a JSON file: which weights; `network_weights` has them."""
        found = {"weights": self.weights, "channels": self.channels}
        path.write_text(json.dumps(found), encoding="utf-8")


class Features(Modality):
    """What a network that does not learn sees in a picture; computed once, then read from disk.

    A picture is made square, `size` pixels each way: `squash` changes its proportions and so keeps
    all of it, `crop` keeps the middle of the longer side, `pad` puts grey around. The features of
    every place of the network's grid are stored in half precision: 7 x 7 x 1,280 numbers, 125 kB a
    picture, for EfficientNet-Lite at 224 pixels. They are computed again when the picture, the size
    or any weight of the network is another.

    random_flip: training sees every second picture mirrored, left to right, unless a word of the
    caption begins with one of `sided`. The features of both are stored, which doubles time and
    disk. The grid of a picture turned round is not that of the mirrored picture (on 50 photos of
    Flickr8k the cosine at a place is 0.90), and attention by content reads both alike.

    A model folder keeps the weights of the network, once, beside the hash that they must have. So
    it can be used where the package or file is not that they came from.
    """

    discrete: ClassVar[bool] = False
    raw: ClassVar[str] = "features"
    writable: ClassVar[bool] = False
    grows: ClassVar[bool] = False

    def __init__(
        self,
        *,
        network: Part[Trunk] = Part(Trunk, "efficientnet_lite"),
        size: int = 224,
        fit: Fit = "squash",
        random_flip: bool = False,
        sided: list[str] = ["left", "right"],  # noqa: B006 - only read
    ) -> None:
        if not 1 <= size <= MOST:
            raise RecipeError(
                f"features.size: found {size}; expected 1 to {MOST} pixels each way. Change it."
            )
        self.network, self.sizing = network, Sizing(size, fit)
        sides = tuple(word.lower() for word in sided)
        self.augmentation = Augmentation(flip=random_flip, sided=sides)
        self.varies = random_flip
        self.max_length = size * size

    def sketch(self) -> Side:
        """Return a side of as many features as the network has."""
        return Side(sketched(self.network.build).channels, embedder="projected")

    def fit(self, streams: Sequence[Iterable[Raw]], beside: Codec | None = None) -> Codec:
        """Take the network as it is."""
        frozen = FrozenTrunk(self.network.build)
        return self._codec(frozen.fingerprint, frozen.channels)

    def load(self, path: Path, beside: Codec | None = None) -> Codec:
        """Read what `FeaturesCodec.save` wrote."""
        try:
            found = read_json(path)
            weights, channels = found["weights"], found["channels"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise CheckpointError(
                f"{path}: cannot be read as features ({error}); expected what training wrote. Copy"
                " the model folder again."
            ) from None
        if type(weights) is not str or type(channels) is not int or not 0 < channels < 1 << 16:
            raise CheckpointError(
                f"{path}: has weights {str(weights)[:40]!r} and {str(channels)[:40]} channels;"
                " expected a hash and a number. Copy the model folder again."
            )
        return self._codec(weights, channels, path.with_suffix(".safetensors"))

    def adopt(self, codec: Codec, beside: Codec | None = None) -> Codec:
        """Read the features of another codec, mirrored by chance as the options say."""
        if type(codec) is not FeaturesCodec:
            return codec
        known = (codec.network, codec.sizing, codec.weights, codec.channels)
        return FeaturesCodec(*known, self.augmentation, codec.kept)

    def _codec(self, weights: str, channels: int, kept: Path | None = None) -> FeaturesCodec:
        known = (self.network, self.sizing, weights, channels)
        return FeaturesCodec(*known, self.augmentation, kept)
