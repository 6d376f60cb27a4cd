"""One text on its way through the server."""

import time
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from saccade.predict.decode import USUAL, Decode
from saccade.predict.prediction import Prediction, Scored


@dataclass(eq=False, slots=True)
class Job:
    """A text, how to write its output, until when, and where the result will be.

    text: as it was sent, or what was read of it: pictures are decoded before they wait.  decode:
    texts with equal options are computed together; None asks for a score.  begin: the forced
    beginning of the output; for a score, the whole target.  watch: told the best output so far
    after every step, in the thread that computes.  client, request: whose it is, and with which
    others it came.
    """

    text: Any
    decode: Decode | None = USUAL
    begin: str = ""
    deadline: float = float("inf")
    watch: Callable[[str], None] | None = None
    abandoned: bool = False
    pieces: int = 0  # how long it is, once somebody has counted
    client: str = ""
    request: Hashable = None
    done: "Future[Prediction | Scored]" = field(default_factory=Future)

    @property
    def wanted(self) -> bool:
        """Whether somebody still waits for it."""
        return not self.abandoned and time.monotonic() < self.deadline

    def give(self, result: Prediction | Scored) -> None:
        """Hand over the result, unless nobody waits."""
        if self.done.set_running_or_notify_cancel():
            self.done.set_result(result)

    def fail(self, error: BaseException) -> None:
        """Hand over an error, unless nobody waits."""
        if self.done.set_running_or_notify_cancel():
            self.done.set_exception(error)
