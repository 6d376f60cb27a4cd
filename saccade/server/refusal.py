"""What a request is told when it is not answered: a status and a sentence."""

from saccade.errors import SaccadeError


class Refused(SaccadeError):  # noqa: N818 - an answer, not a mistake of ours
    """A request that will not be served, and why; `retry` seconds from now it may be."""

    def __init__(self, status: int, message: str, *, retry: int = 0) -> None:
        self.status, self.retry = status, retry
        super().__init__(message)
