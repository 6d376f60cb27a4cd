"""Moving pictures: frames of red, green and blue, with the time at which each is shown.

As text a clip is a data URI that holds an animated PNG or a GIF. Paths and addresses in a text are
never opened; readers hand over files as `ClipFile`.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import ClassVar, final

import numpy as np

from saccade.errors import CheckpointError, RecipeError
from saccade.intake.files import read_json
from saccade.modalities._clip import Clip, to_text
from saccade.modalities._sampling import Sampling
from saccade.modalities.base import Array, Codec, Laid, Modality
from saccade.nouns import Raw, Side

_SIDE = Side(3, embedder="frames")
_MOST_FRAMES, _MOST_SIZE, _LONGEST = 512, 512, 3600.0


@final
class VideoCodec(Codec):
    """Clips as a model sees them. There is nothing to learn from them.

    A place is a frame. All frames have one size, so only their number differs in a batch.
    """

    unit = "frames"
    dtype = "uint8"
    chunk: ClassVar[int] = 64  # examples that are encoded at once
    view: ClassVar[str] = "film"

    def __init__(self, sampling: Sampling) -> None:
        self.sampling = sampling

    @property
    def side(self) -> Side:
        """Three channels."""
        return _SIDE

    @property
    def fingerprint(self) -> str:
        """Which frames are seen, and how large."""
        return f"video uint8 [F, H, W, 3] {json.dumps(asdict(self.sampling))}"

    def describe(self) -> str:
        """Say how many frames are seen, and how large."""
        size = self.sampling.size
        return f"clips up to {self.sampling.frames} frames of {size} x {size} pixels"

    def encode(self, raws: Sequence[Raw], origins: Sequence[str] = ()) -> list[Array]:
        """Return the frames of every clip, `[F, H, W, 3]`."""
        names = origins or [f"clip {n}" for n in range(1, len(raws) + 1)]
        return [self.sampling.clip(r, name).frames for r, name in zip(raws, names, strict=True)]

    def pad(self, arrays: Sequence[Array]) -> Laid:
        """Put black frames behind every clip: `[B, F, H, W, 3]`, and a mask `[B, F]`.

        >>> codec = VideoCodec(Sampling(9, 1, 0.0))
        >>> codec.pad([np.ones((2, 1, 1, 3)), np.ones((1, 1, 1, 3))]).mask.tolist()
        [[True, True], [True, False]]
        """
        lengths = np.array([len(one) for one in arrays])
        mask = np.arange(int(lengths.max(initial=0))) < lengths[:, None]  # [B, F]
        size = self.sampling.size
        values = np.zeros((*mask.shape, size, size, 3), dtype=np.uint8)
        for row, one in zip(values, arrays, strict=True):
            row[: len(one)] = one
        return Laid(values, mask)

    def decode(self, values: Array) -> Clip:
        """Return frames as a clip."""
        return Clip(np.asarray(values, dtype=np.uint8))

    def labels(self, raw: Raw, values: Array) -> tuple[str, ...]:
        """Name nothing: places are frames, once for every network that reads them."""
        return ()

    def read(self, text: str, where: str = "input") -> Clip:
        """Read a data URI."""
        return self.sampling.clip(text, where)

    def take(self, raw: Raw, where: str = "input") -> Clip:
        """Return what a model sees of a clip, an array of frames or a file."""
        return self.sampling.clip(raw, where)

    def write(self, raw: Raw) -> str:
        """Write what a model sees of a clip as a data URI."""
        return to_text(self.sampling.clip(raw, "clip"))

    def save(self, path: Path) -> None:
        """Write a JSON file."""
        path.write_text(json.dumps(asdict(self.sampling)), encoding="utf-8")


class Video(Modality):
    """Clips: at most `frames` frames, evenly chosen, scaled to fit `size` x `size` pixels.

    `every` is the least number of seconds between two frames; 0 takes all. Bars of black are put
    beside frames that are not square.
    """

    discrete: ClassVar[bool] = False
    raw: ClassVar[str] = "video"
    writable: ClassVar[bool] = False
    grows: ClassVar[bool] = False

    def __init__(self, *, frames: int = 32, size: int = 64, every: float = 0.0) -> None:
        _check(frames, size, every)
        self.sampling, self.max_length = Sampling(frames, size, every), frames

    def sketch(self) -> Side:
        """Return a side of three channels."""
        return _SIDE

    def fit(self, streams: Sequence[Iterable[Raw]], beside: Codec | None = None) -> Codec:
        """Take clips as they are."""
        return VideoCodec(self.sampling)

    def load(self, path: Path, beside: Codec | None = None) -> Codec:
        """Read what `VideoCodec.save` wrote."""
        try:
            raw = read_json(path)
            frames, size, every = raw["frames"], raw["size"], raw["every"]
            if type(frames) is not int or type(size) is not int or type(every) is not float:
                raise ValueError(f"{str(raw)[:60]} are no numbers of frames, pixels and seconds")
            _check(frames, size, every)
        except (OSError, ValueError, KeyError, TypeError, RecipeError) as error:
            raise CheckpointError(
                f"{path}: cannot be read as the limits of clips ({error}); expected what training"
                " wrote. Copy the model folder again."
            ) from None
        return VideoCodec(Sampling(frames, size, every))


def _check(frames: int, size: int, every: float) -> None:
    if not (1 <= frames <= _MOST_FRAMES and 1 <= size <= _MOST_SIZE and 0 <= every <= _LONGEST):
        raise RecipeError(
            f"video: found {frames} frames, size {size} and every {every:g}; expected 1 to"
            f" {_MOST_FRAMES} frames, 1 to {_MOST_SIZE} pixels and 0 to {_LONGEST:g} seconds."
            " Change them."
        )
