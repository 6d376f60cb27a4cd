"""Which frames of a clip a model sees, and how large."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saccade.errors import DataError
from saccade.modalities._animation import (
    ANIMATIONS,
    Footage,
    animation,
    folder_of_frames,
    read_bytes,
)
from saccade.modalities._clip import EVENTS, Clip, ClipFile, as_array, bytes_of, events_of
from saccade.modalities._movie import movie
from saccade.nouns import Raw

Pixels = NDArray[np.uint8]  # [H, W, 3]


@dataclass(frozen=True, slots=True)
class Sampling:
    """At most `frames` frames of `size` x `size` pixels, at least `every` seconds apart.

    What was sampled once stays as it is when it is sampled again.
    """

    frames: int
    size: int
    every: float

    def clip(self, raw: Raw, where: str) -> Clip:
        """Return a raw value as a clip that a model can read.

        Args:
            raw: a clip, a file of one, its text, or an array of frames.
            where: what an error message calls it.
        """
        if isinstance(raw, str):
            return self._from(animation(bytes_of(raw, where), where), where)
        if isinstance(raw, ClipFile):
            where = f"{where}: {raw.path}"
            return self._from(_opened(raw, where), where)
        whole = raw if isinstance(raw, Clip) else as_array(raw, where)
        picks = self.picks(len(whole.frames), whole.times, where)
        frames = np.stack([self.scaled(whole.frames[i]) for i in picks])
        return whole.taken(picks, frames)

    def _from(self, footage: Footage, where: str) -> Clip:
        picks = self.picks(footage.n_frames, footage.times, where)
        frames = np.stack([self.scaled(frame) for frame in footage.frames(picks)])
        events = events_of(footage.texts.get(EVENTS, "{}"), footage.n_frames, where)
        return Clip(frames[:0], footage.times, events).taken(picks, frames)

    def picks(self, n: int, times: Sequence[int], where: str) -> list[int]:
        """Return the numbers of the frames to see: those far enough apart, then evenly.

        >>> Sampling(3, 8, 0.0).picks(5, (), "clip")
        [0, 2, 4]
        """
        far = list(range(n))
        if self.every:
            if not times:
                raise DataError(
                    f"{where}: does not say when its frames are shown, but every asks for one in"
                    f" {self.every:g} seconds; expected times. Set the reader's rate, or every: 0."
                )
            far = _apart(times, round(1000 * self.every))
        if len(far) <= self.frames:
            return far
        steps = max(self.frames - 1, 1)
        return [far[round(i * (len(far) - 1) / steps)] for i in range(self.frames)]

    def scaled(self, frame: Pixels) -> Pixels:
        """Scale a frame to fit, centred on black."""
        height, width = frame.shape[:2]
        if (height, width) == (self.size, self.size):
            return frame
        from PIL import Image  # noqa: PLC0415 - takes a while

        zoom = self.size / max(height, width)
        tall, wide = max(round(height * zoom), 1), max(round(width * zoom), 1)
        resized = Image.fromarray(frame).resize((wide, tall), Image.Resampling.BILINEAR)
        found = np.zeros((self.size, self.size, 3), dtype=np.uint8)
        top, left = (self.size - tall) // 2, (self.size - wide) // 2
        found[top : top + tall, left : left + wide] = np.asarray(resized)
        return found


def whole_clip(raw: Raw, where: str = "clip") -> Clip:
    """Return all frames of what a codec wrote or read, as they are."""
    if isinstance(raw, Clip):
        return raw
    if not isinstance(raw, str):
        return as_array(raw, where)
    footage = animation(bytes_of(raw, where), where)
    frames = np.stack(list(footage.frames(range(footage.n_frames))))
    events = events_of(footage.texts.get(EVENTS, "{}"), footage.n_frames, where)
    return Clip(frames, footage.times, events)


def _apart(times: Sequence[int], least: int) -> list[int]:
    """Choose frames that are `least` milliseconds apart, the first one first."""
    found = [0]
    for i, time in enumerate(times):
        if time - times[found[-1]] >= least:
            found.append(i)
    return found


def _opened(file: ClipFile, where: str) -> Footage:
    if file.path.is_dir():
        return folder_of_frames(file.path, where, file.rate)
    if file.path.suffix.lower() in ANIMATIONS:
        return animation(read_bytes(file.path, where), where)
    return movie(file.path, where)
