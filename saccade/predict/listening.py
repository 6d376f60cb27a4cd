"""Listening: a sound that goes on is written down stretch by stretch, while it is heard.

This file imports no torch: whoever runs the model, it is asked for one stretch after the other.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, Unpack

import numpy as np
from numpy.typing import NDArray

from saccade.errors import RecipeError
from saccade.modalities._hearing import samples_of
from saccade.modalities._notation import Notation
from saccade.modalities._pauses import Pauses, Stretch
from saccade.modalities._resample import ResampleStream
from saccade.modalities._sound import Sound, rounded
from saccade.modalities._wave import check_header
from saccade.modalities.sound import SoundCodec
from saccade.predict.decode import PredictOptions
from saccade.predict.prediction import Prediction
from saccade.predict.times import TimedText

GROWN = 1.1  # times longer a stretch must be before it is read once more


class Transcriber(Protocol):
    """Whoever writes down what is said in a sound, such as a model that `saccade.load` opened."""

    @property
    def sources(self) -> Mapping[str, Notation]:
        """How the sources are read, by name."""

    def predict(self, given: Any, **options: Unpack[PredictOptions]) -> Any:
        """Predict the output for one input: `Predictor.predict`."""


@dataclass(frozen=True, slots=True)
class Heard:
    """What was said in a stretch of a stream, from `begins` to `ends` seconds.

    final: False if the stretch goes on, and what is written may still change.
    """

    prediction: Prediction
    begins: float
    ends: float
    final: bool = True

    @property
    def text(self) -> str:
        """What was said."""
        return self.prediction.text

    @property
    def words(self) -> tuple[TimedText, ...]:
        """When each word was said, in seconds of the stream."""
        return tuple(word.later(self.begins) for word in self.prediction.word_times)


class StretchedSound:
    """A stream of samples at any rate, cut at pauses into stretches as a model hears them.

    Args:
        codec: how the model hears.
        rate: samples a second; those of the model if 0.
        pause: seconds of quiet that end a stretch.
        longest: seconds of the longest stretch; those of the model's longest sound if 0.
    """

    def __init__(
        self, codec: SoundCodec, *, rate: int = 0, pause: float = 0.6, longest: float = 0.0
    ) -> None:
        hearing = codec.analysis.hearing
        self.rate = rate or hearing.rate  # of what comes in
        check_header(self.rate, 1, "listen")
        self._own = hearing.rate
        self._resampled = ResampleStream(self.rate, self._own)
        most = min(hearing.most, int(longest * self._own) if longest > 0 else hearing.most)
        self._pauses = Pauses(self._own, pause=pause, longest=most)
        self.samples = 0  # that came in

    @property
    def seconds(self) -> float:
        """How much was heard."""
        return self.samples / self.rate

    def push(self, samples: NDArray[Any]) -> list[Stretch]:
        """Take samples `[n]`, of 16 bits or floats from -1 to 1; return stretches that ended."""
        found = samples_of(samples, "listen")
        self.samples += len(found)
        return self._pauses.feed(rounded(self._resampled.feed(found)))

    def finish(self) -> list[Stretch]:
        """Return the last stretches."""
        ended = self._pauses.feed(rounded(self._resampled.finish()))
        return [*ended, *self._pauses.finish()]

    @property
    def current(self) -> Stretch | None:
        """The stretch that goes on; None if nobody has spoken since the last pause."""
        return self._pauses.current

    def sound(self, one: Stretch) -> Sound:
        """Return a stretch as a model takes it."""
        return Sound(np.asarray(one.samples), self._own)

    def times(self, one: Stretch) -> tuple[float, float]:
        """Return when a stretch begins and ends, in seconds of the stream."""
        return one.first / self._own, (one.first + len(one.samples)) / self._own


class Listener:
    """Writes down what is said while it is said: push samples, ask what was heard.

    A pause ends a stretch, which is final then. What is written for a stretch is what the model
    writes for its samples as a file, to the letter, in whatever chunks they came. So a recording
    without a pause gives the same as `predict`. A stretch that goes on is read once more from its
    beginning whenever it is asked for and a tenth longer than before: most encoders read in both
    directions. So the cost is bounded by `longest`, and so is the memory.

    >>> m = saccade.load("runs/digits")                                       # doctest: +SKIP
    >>> listener = saccade.Listener(m, rate=16_000)                           # doctest: +SKIP
    >>> for chunk in microphone:                                              # doctest: +SKIP
    ...     for heard in listener.push(chunk):
    ...         print(heard.begins, heard.text)
    >>> listener.finish()                                                     # doctest: +SKIP

    Args:
        model: one that reads sounds.
        rate: samples a second of what comes in; those of the model if 0.
        pause: seconds of quiet that end a stretch.
        longest: seconds of the longest stretch; those of the model's longest sound if 0.
        options: those of `Predictor.predict`.
    """

    def __init__(
        self,
        model: Transcriber,
        *,
        rate: int = 0,
        pause: float = 0.6,
        longest: float = 0.0,
        **options: Unpack[PredictOptions],
    ) -> None:
        self._model, self._options = model, options
        self._sound = StretchedSound(
            sound_codec(model.sources), rate=rate, pause=pause, longest=longest
        )
        self._partial: Heard | None = None

    @property
    def seconds(self) -> float:
        """How much was heard."""
        return self._sound.seconds

    def push(self, samples: NDArray[Any]) -> list[Heard]:
        """Take samples `[n]`, of 16 bits or floats from -1 to 1; return what is final now."""
        return [self._heard(one) for one in self._sound.push(samples)]

    def partial(self) -> Heard | None:
        """Return what was said since the last pause, as far as it is known; None if nothing was."""
        current, before = self._sound.current, self._partial
        if current is None:
            return None
        begins, ends = self._sound.times(current)
        same = before is not None and before.begins == begins
        if before is None or not same or ends - begins > GROWN * (before.ends - begins):
            self._partial = self._heard(current, final=False)
        return self._partial

    def finish(self) -> list[Heard]:
        """Return what was said since the last pause; nothing comes behind it."""
        return [self._heard(one) for one in self._sound.finish()]

    def _heard(self, one: Stretch, *, final: bool = True) -> Heard:
        found = self._model.predict(self._sound.sound(one), **self._options)
        return Heard(found, *self._sound.times(one), final)


def sound_codec(sources: Mapping[str, Notation]) -> SoundCodec:
    """Return how a model hears; refuse one that reads something else."""
    codec = next(iter(sources.values()))
    if len(sources) == 1 and type(codec) is SoundCodec:
        return codec
    raise RecipeError(
        f"listen: the model reads {', '.join(sources)}, and not one sound; expected a model whose"
        " only source is of kind sound. Use predict."
    )
