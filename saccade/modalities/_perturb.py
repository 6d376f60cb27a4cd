"""Other sounds of the same words: faster or slower, with silence, noise and gaps, for training."""

import random
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saccade.errors import RecipeError
from saccade.modalities._filterbank import Frames
from saccade.modalities._resample import resample_by_matrix

_STEP = 100  # steps in which the speed changes, so that few filters are needed
_TIME, _BAND = 0.1, 0.2  # the widest mask, as a share of the frames and of the bands
_NOISE = 40.0  # decibels between the loudest and the faintest noise


@dataclass(frozen=True, slots=True)
class Perturbation:
    """How far a sound may be changed.

    speed: it is played faster or slower by up to this share, and so higher or lower.  silence: up
    to so many seconds are put before and behind it.  noise: white noise is added whose level is at
    most this share of the sound's.  masks: so many spans of time, and so many of frequency, are
    hidden.
    """

    speed: float = 0.0
    silence: float = 0.0
    noise: float = 0.0
    masks: int = 0

    def check(self) -> None:
        """Refuse what is out of range."""
        ranges = (
            ("speed", self.speed, 0.5),
            ("silence", self.silence, 10),
            ("noise", self.noise, 1),
        )
        for name, found, most in (*ranges, ("masks", self.masks, 10)):
            if not 0 <= found <= most:
                raise RecipeError(
                    f"sound.random_{name}: found {found:g}; expected 0 to {most:g}. Change it."
                )

    @property
    def active(self) -> bool:
        """Whether anything is changed at all."""
        return bool(self.speed or self.silence or self.noise or self.masks)

    def samples(
        self, samples: NDArray[np.int16], rate: int, chance: random.Random
    ) -> NDArray[np.float32]:
        """Change a sound `[n]`: speed (Ko et al. 2015, "Audio augmentation"), silence, noise."""
        x = samples.astype(np.float64)
        if self.speed:
            speed = round(_STEP * (1 + chance.uniform(-self.speed, self.speed)))
            x = resample_by_matrix(x, speed, _STEP)
        if self.silence:
            ends = [np.zeros(round(rate * chance.uniform(0, self.silence))) for _ in "ab"]
            x = np.concatenate([ends[0], x, ends[1]])
        if self.noise:
            level = self.noise * 10 ** (-_NOISE / 20 * chance.random()) * np.sqrt((x**2).mean())
            normal = np.random.Generator(np.random.PCG64(chance.getrandbits(64)))
            x = x + level * normal.standard_normal(len(x))
        return x.astype(np.float32)

    def frames(self, frames: Frames, chance: random.Random) -> Frames:
        """Hide spans of normalised features `[T, F]`, which become 0, their mean.

        Park et al. 2019, "SpecAugment" (arXiv:1904.08779), section 2, without time warping. A span
        of time is at most a tenth of the sound, one of frequency a fifth of the bands.
        """
        if not self.masks:
            return frames
        found = frames.copy()
        for axis, share in ((0, _TIME), (1, _BAND)):
            n = found.shape[axis]
            for _ in range(self.masks):
                width = int(chance.random() * (share * n + 1))
                begin = int(chance.random() * (n - width + 1))
                np.moveaxis(found, axis, 0)[begin : begin + width] = 0
        return found
