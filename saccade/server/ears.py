"""Sounds that are being heard: kept in memory while they last, under names nobody can guess."""

import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from saccade.modalities._resample import coefficients
from saccade.predict.decode import Decode
from saccade.predict.listening import Heard, StretchedSound, sound_codec
from saccade.server.limits import Limits
from saccade.server.models import Served
from saccade.server.refusal import Refused

_FILTER = 1 << 18  # numbers of the filter that changes the rate, at most


@dataclass(slots=True)
class Ear:
    """A sound that is being heard, by which model, how to write it, and until when it is kept."""

    model: Served
    decode: Decode
    sound: StretchedSound
    until: float
    partial: Heard | None = None
    busy: bool = field(default=False)


class Ears:
    """Holds at most `limits.streams` sounds, each of at most `limits.heard` seconds.

    One to which nothing is sent for `limits.idle` seconds is forgotten. `ticket` makes their names.
    """

    def __init__(
        self,
        limits: Limits,
        clock: Callable[[], float] = time.monotonic,
        ticket: Callable[[], str] = lambda: secrets.token_urlsafe(24),
    ) -> None:
        self._limits, self._clock, self._ticket = limits, clock, ticket
        self._open: dict[str, Ear] = {}

    def __len__(self) -> int:
        return len(self._open)

    def open(self, model: Served, rate: int, pause: float, decode: Decode) -> str:
        """Begin to hear a sound; return what it can be asked for by."""
        codec = sound_codec(model.translator.sources)
        self.sweep()
        if len(self._open) >= self._limits.streams:
            wait = max(int(self._limits.idle), 1)
            raise Refused(
                429,
                f"listen: {len(self._open)} sounds are being heard; expected fewer than"
                f" {self._limits.streams}; try again in {wait} seconds.",
                retry=wait,
            )
        own = codec.analysis.rate
        if coefficients(rate, own) > _FILTER:
            raise Refused(
                400,
                f"rate: {rate} samples a second do not go well into the model's {own}; expected a"
                " usual rate, such as 16000, 44100 or 48000; record with one of them.",
            )
        sound = StretchedSound(codec, rate=rate, pause=pause)
        ticket = self._ticket()
        self._open[ticket] = Ear(model, decode, sound, self._clock() + self._limits.idle)
        return ticket

    @contextmanager
    def taken(self, ticket: str, *, last: bool) -> Iterator[Ear]:
        """Hand out a sound to one request at a time; what goes wrong, or is the last, ends it."""
        self.sweep()
        ear = self._open.get(ticket)
        if ear is None:
            raise Refused(
                404,
                "stream: there is none of this name; expected one that /v1/listen gave, and to"
                f" which something was sent less than {self._limits.idle:g} seconds ago; begin a"
                " new one.",
            )
        if ear.busy:
            raise Refused(
                409,
                "stream: its last chunk is not answered yet; expected one chunk after the other;"
                " wait for the answer.",
            )
        ear.busy = True
        try:
            yield ear
        except BaseException:
            self._open.pop(ticket, None)
            raise
        finally:
            ear.busy, ear.until = False, self._clock() + self._limits.idle
            if last:
                self._open.pop(ticket, None)

    def sweep(self) -> None:
        """Forget the sounds to which nothing was sent for too long."""
        now = self._clock()
        self._open = {t: ear for t, ear in self._open.items() if ear.busy or ear.until > now}
