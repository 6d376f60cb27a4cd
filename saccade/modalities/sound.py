"""Sounds: what is said in a recording, heard in bands of frequency every hundredth of a second.

As text a sound is a data URI that holds a WAVE, FLAC, Ogg or MP3 file. Paths and addresses are
never opened there; a reader hands over a `SoundFile`. The store keeps samples. Features are made
of them when a batch is laid out, so that training can change the samples first.
"""

import hashlib
import json
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, Literal, final, get_args

import numpy as np
from numpy.typing import NDArray

from saccade.errors import CheckpointError, DataError, RecipeError
from saccade.intake.files import read_json
from saccade.modalities._filterbank import Filterbank, Frames
from saccade.modalities._hearing import Hearing, Long
from saccade.modalities._normalise import FLOOR, BandScale, Sums, own_scale, read_scale
from saccade.modalities._notation import Clock, Values
from saccade.modalities._perturb import Perturbation
from saccade.modalities._sound import Sound, to_text
from saccade.modalities._wave import FASTEST, SLOWEST
from saccade.modalities.base import Array, Codec, Laid, Modality
from saccade.nouns import Raw, Side

By = Literal["corpus", "file", "speaker"]

_DECIBELS = 10 / np.log(10)  # of a natural logarithm of energy
_MOST_BINS, _LONGEST, _MOST_SILENCE, _MOST_SPEAKERS = 256, 3600.0, 10.0, 30_000
_LARGEST = 64 << 20  # bytes of a file of scales


@dataclass(frozen=True, slots=True)
class Analysis:
    """How samples become features.

    silence: seconds that are put before and behind every sound.  by: whose mean and deviation
    features are divided by.
    """

    rate: int
    bins: int
    max_seconds: float
    long: Long
    by: By
    silence: float

    def check(self) -> None:
        """Refuse what is out of range."""
        fits = (
            SLOWEST <= self.rate <= FASTEST
            and 1 <= self.bins <= min(_MOST_BINS, self.rate // 100)
            and 0 < self.max_seconds <= _LONGEST
            and 0 <= self.silence <= _MOST_SILENCE
        )
        if not fits:
            raise RecipeError(
                f"sound: found rate {self.rate}, bins {self.bins}, max_seconds"
                f" {self.max_seconds:g} and silence {self.silence:g}; expected a rate of"
                f" {SLOWEST} to {FASTEST}, 1 to {_MOST_BINS} bins and no more than a hundredth of"
                f" the rate, up to {_LONGEST:g} and up to {_MOST_SILENCE:g} seconds. Change them."
            )

    @property
    def hearing(self) -> Hearing:
        """How sounds are read."""
        return Hearing(self.rate, self.max_seconds, self.long)

    @property
    def bank(self) -> Filterbank:
        """How they are cut into bands."""
        return Filterbank(self.rate, self.bins)

    @property
    def quiet(self) -> int:
        """Samples of silence before a sound, and as many behind it."""
        return round(self.silence * self.rate)

    def count(self, samples: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the frames of sounds with so many samples; one at least."""
        bank = self.bank
        over = np.maximum(samples + 2 * self.quiet - bank.length, 0)
        return np.asarray(1 + over // bank.shift, dtype=np.int32)

    def frames(self, samples: NDArray[Any]) -> Frames:
        """Return the features of a sound, silence around it, not yet on one scale: `[T, F]`."""
        short = max(self.bank.length - len(samples) - 2 * self.quiet, 0)
        around = np.pad(samples.astype(np.float32), (self.quiet, self.quiet + short))
        return np.maximum(self.bank.frames(around), FLOOR)


@dataclass(frozen=True, slots=True, eq=False)
class Scales:
    """What was learned: the scale of the corpus, and those of its speakers by name."""

    corpus: BandScale | None = None
    speakers: Mapping[str, BandScale] = field(default_factory=dict)


@final
class SoundCodec(Codec):
    """Sounds at one rate, and the scale of their features.

    An array is `[1 + n]`: the number of the speaker, 0 if it is none of the training data, and the
    samples.
    """

    unit = "frames"
    dtype = "int16"
    chunk: ClassVar[int] = 64  # sounds that are encoded at once
    view: ClassVar[str] = "spectrogram"

    def __init__(
        self, analysis: Analysis, scales: Scales, perturbation: Perturbation = Perturbation()
    ) -> None:
        self.analysis, self.scales, self.perturbation = analysis, scales, perturbation
        self._numbers = {name: n for n, name in enumerate(scales.speakers, start=1)}
        self._by_number = list(scales.speakers.values())

    @property
    def side(self) -> Side:
        """As many columns as there are bands."""
        return Side(self.analysis.bins, embedder="spectrogram")

    @property
    def fingerprint(self) -> str:
        """How sounds are read, and which speakers are known."""
        one = self.analysis
        content = ["sound int16", one.rate, one.max_seconds, one.long, list(self._numbers)]
        return hashlib.blake2b(json.dumps(content).encode(), digest_size=16).hexdigest()

    def describe(self) -> str:
        """Say how sounds are heard."""
        one = self.analysis
        said = f", {len(self._numbers):,} speakers" if one.by == "speaker" else ""
        return f"sounds in {one.bins} bands at {one.rate:,} Hz, scaled by {one.by}{said}"

    def encode(self, raws: Sequence[Raw], origins: Sequence[str] = ()) -> list[Array]:
        """Return the speaker and the samples of every sound, `[1 + n]`."""
        names = origins or [f"sound {n}" for n in range(1, len(raws) + 1)]
        hearing = self.analysis.hearing
        heard = (hearing.sound(raw, name) for raw, name in zip(raws, names, strict=True))
        return [
            np.concatenate([np.array([self._numbers.get(one.speaker, 0)], np.int16), one.samples])
            for one in heard
        ]

    def lengths(self, shapes: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the number of frames, `[n, 1]` to `[n]`."""
        return self.analysis.count(shapes[:, 0] - 1)

    def laid(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Return the frames and bands of an array."""
        return int(self.lengths(np.array([shape], np.int32))[0]), self.analysis.bins

    def pad(self, arrays: Sequence[Array]) -> Laid:
        """Make features of sounds and put zeros behind: `[B, T, F]`, and a mask `[B, T]`.

        Those that `vary` made already are taken as they are.
        """
        rows = [one if one.ndim == 2 else self.features(one) for one in arrays]
        lengths = np.array([len(row) for row in rows], dtype=np.int64)
        mask = np.arange(int(lengths.max(initial=0))) < lengths[:, None]  # [B, T]
        values = np.zeros((*mask.shape, self.analysis.bins), dtype=np.float32)
        for place, row in zip(values, rows, strict=True):
            place[: len(row)] = row
        return Laid(values, mask)

    def features(self, array: Array) -> Frames:
        """Return the features of an array as a model reads them, `[T, F]`."""
        return self._scaled(self.analysis.frames(array[1:]), int(array[0]))

    def _scaled(self, frames: Frames, speaker: int) -> Frames:
        """Bring features to the scale of the corpus, of a known speaker, or to their own."""
        if self.scales.corpus is not None:
            return self.scales.corpus.apply(frames)
        known = 1 <= speaker <= len(self._by_number)
        return (self._by_number[speaker - 1] if known else own_scale(frames)).apply(frames)

    def clock(self, values: Values) -> Clock:
        """Return when the frames of an array are, and their mean energy."""
        rate, samples = self.analysis.rate, values[1:]
        levels = _DECIBELS * self.analysis.frames(samples).mean(axis=1)
        return Clock(0.01, -self.analysis.silence, len(samples) / rate, levels)

    @property
    def varies(self) -> bool:
        """Whether sounds are changed by chance."""
        return self.perturbation.active

    def vary(self, array: Array, chance: random.Random, said: str = "") -> Array:
        """Return the features of another sound of the same words."""
        if not self.varies:
            return array
        samples = self.perturbation.samples(array[1:], self.analysis.rate, chance)
        return self.perturbation.frames(
            self._scaled(self.analysis.frames(samples), int(array[0])), chance
        )

    def decode(self, values: Array) -> Sound:
        """Return samples as a sound."""
        array = np.asarray(values, dtype=np.int16)
        speaker = [*self._numbers, ""][int(array[0]) - 1] if array[0] else ""
        return Sound(array[1:], self.analysis.rate, speaker)

    def labels(self, raw: Raw, values: Array) -> tuple[str, ...]:
        """Name nothing: how many places there are is up to the embedder."""
        return ()

    def read(self, text: str, where: str = "input") -> Sound:
        """Read a data URI."""
        return self.analysis.hearing.sound(text, where)

    def take(self, raw: Raw, where: str = "input") -> Sound:
        """Return what a model hears of a sound, a file or an array of samples."""
        return self.analysis.hearing.sound(raw, where)

    def write(self, raw: Raw) -> str:
        """Write what a model hears as a data URI."""
        return to_text(self.analysis.hearing.sound(raw, "sound"), self.analysis.silence)

    def save(self, path: Path) -> None:
        """Write a JSON file."""
        corpus, speakers = self.scales.corpus, self.scales.speakers
        said = {
            **asdict(self.analysis),
            "scale": corpus.plain() if corpus else None,
            "speakers": {name: scale.plain() for name, scale in speakers.items()},
        }
        path.write_text(json.dumps(said), encoding="utf-8")


class Audio(Modality):
    """Sounds: `bins` bands of frequency, 100 times a second, by Kaldi's filterbank.

    rate: samples a second; recordings at other rates are resampled.  max_seconds, long: longer
    sounds are refused, or cut there.  by: whose mean and deviation the bands are brought to: those
    of all training data, of the file itself, or of its speaker in the training data; an unknown
    speaker's file goes by itself.  silence: seconds put before and behind every sound.

    Training may hear each sound otherwise in every epoch.  random_speed: faster or slower by up to
    this share.  random_silence: up to so many seconds more at both ends.  random_noise: white
    noise, at most this share of the sound's level.  random_masks: so many spans of time, and of
    frequency, are hidden.
    """

    discrete: ClassVar[bool] = False
    raw: ClassVar[str] = "sound"
    writable: ClassVar[bool] = False

    def __init__(  # noqa: PLR0913 - all are options
        self,
        *,
        rate: int = 16_000,
        bins: int = 40,
        max_seconds: float = 30.0,
        long: Long = "refuse",
        by: By = "corpus",
        silence: float = 0.0,
        random_speed: float = 0.0,
        random_silence: float = 0.0,
        random_noise: float = 0.0,
        random_masks: int = 0,
    ) -> None:
        self.analysis = Analysis(rate, bins, max_seconds, long, by, silence)
        self.analysis.check()
        self.perturbation = Perturbation(random_speed, random_silence, random_noise, random_masks)
        self.perturbation.check()
        self.varies = self.perturbation.active
        self.max_length = int(self.analysis.count(np.array(self.analysis.hearing.most)))

    def sketch(self) -> Side:
        """Return a side of as many columns as there are bands."""
        return Side(self.analysis.bins, embedder="spectrogram")

    def fit(self, streams: Sequence[Iterable[Raw]], beside: Codec | None = None) -> Codec:
        """Learn the scale of the bands, where it is not that of each file."""
        if self.analysis.by == "file":
            return SoundCodec(self.analysis, Scales(), self.perturbation)
        return SoundCodec(self.analysis, self._learned(chain(*streams)), self.perturbation)

    def _learned(self, raws: Iterable[Raw]) -> Scales:
        hearing, bank = self.analysis.hearing, self.analysis.bank
        everyone, speakers = Sums(bank.bins), dict[str, Sums]()
        for n, raw in enumerate(raws, start=1):
            sound = hearing.sound(raw, f"sound {n}")
            frames = np.maximum(bank.frames(sound.samples.astype(np.float32)), FLOOR)
            everyone.add(frames)
            if sound.speaker:
                speakers.setdefault(sound.speaker, Sums(bank.bins)).add(frames)
        if self.analysis.by == "corpus":
            return Scales(everyone.scale())
        if not 1 <= len(speakers) <= _MOST_SPEAKERS:
            raise DataError(
                f"data: {len(speakers):,} speakers are named; by: speaker expected 1 to"
                f" {_MOST_SPEAKERS:,}. Let the reader name them, or set by: corpus."
            )
        return Scales(None, {name: speakers[name].scale() for name in sorted(speakers)})

    def load(self, path: Path, beside: Codec | None = None) -> Codec:
        """Read what `SoundCodec.save` wrote."""
        try:
            said = read_json(path, _LARGEST)
            analysis = _analysis(said)
            corpus = read_scale(said["scale"], analysis.bins) if said["scale"] else None
            speakers = {
                str(name): read_scale(one, analysis.bins)
                for name, one in list(said["speakers"].items())[:_MOST_SPEAKERS]
            }
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecipeError) as error:
            raise CheckpointError(
                f"{path}: cannot be read as the scale of sounds ({str(error)[:200]}); expected what"
                " training wrote. Copy the model folder again."
            ) from None
        return SoundCodec(analysis, Scales(corpus, speakers), self.perturbation)

    def adopt(self, codec: Codec, beside: Codec | None = None) -> Codec:
        """Hear sounds as another codec does, changed by chance as the options say."""
        if type(codec) is not SoundCodec:
            return codec
        return SoundCodec(codec.analysis, codec.scales, self.perturbation)


def _analysis(said: Any) -> Analysis:
    """Read how samples become features; ValueError or RecipeError if it makes no sense."""
    kinds = {"rate": (int,), "bins": (int,), "max_seconds": (int, float), "silence": (int, float)}
    odd = [name for name, types in kinds.items() if type(said[name]) not in types]
    if odd or said["long"] not in get_args(Long) or said["by"] not in get_args(By):
        raise ValueError(f"{', '.join(odd) or 'long or by'} is not what it may be")
    found = Analysis(*(said[name] for name in Analysis.__dataclass_fields__))
    found.check()
    return found
