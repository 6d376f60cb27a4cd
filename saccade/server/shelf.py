"""Files kept in memory for a while, under names that nobody can guess."""

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass

from saccade.server.refusal import Refused


@dataclass(frozen=True, slots=True)
class ShelfFile:
    """A file, what it is called, and until when it is kept."""

    name: str
    body: bytes
    until: float


class Shelf:
    """Holds at most `count` files of at most `room` bytes in all, each for `seconds`.

    `ticket` makes the names under which they can be asked for.
    """

    def __init__(
        self,
        ticket: Callable[[str], str] = lambda name: f"{secrets.token_urlsafe(24)}{name}",
        *,
        count: int = 32,
        room: int = 16_000_000,
        seconds: float = 600.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.seconds = seconds
        self._ticket = ticket
        self._count, self._room, self._clock = count, room, clock
        self._files: dict[str, ShelfFile] = {}

    def put(self, name: str, body: bytes) -> str:
        """Keep a file; return what it can be asked for by."""
        self.sweep()
        held = sum(len(file.body) for file in self._files.values())
        if len(self._files) >= self._count or held + len(body) > self._room:
            left = min((file.until for file in self._files.values()), default=self._clock())
            wait = max(int(left - self._clock()) + 1, 1)
            raise Refused(
                429,
                f"files: {len(self._files)} of {held} bytes are kept; expected at most"
                f" {self._count} of {self._room} bytes with yours; try again in {wait} seconds.",
                retry=wait,
            )
        ticket = self._ticket(f".{name}")
        self._files[ticket] = ShelfFile(name, body, self._clock() + self.seconds)
        return ticket

    def take(self, ticket: str) -> ShelfFile:
        """Return a file as often as it is asked for, until its time is over."""
        self.sweep()
        if ticket not in self._files:
            raise Refused(
                404,
                f"file: there is none of this name; expected one that /translate_file gave less"
                f" than {self.seconds:g} seconds ago; translate it again.",
            )
        return self._files[ticket]

    def sweep(self) -> None:
        """Forget the files whose time is over."""
        now = self._clock()
        self._files = {ticket: file for ticket, file in self._files.items() if file.until > now}
