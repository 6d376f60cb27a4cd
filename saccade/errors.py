"""Every error a user can meet, and nothing else.

    SaccadeError
    ├── RecipeError       a recipe, an option or the use of a command is wrong
    ├── DataError         a file of examples is wrong
    ├── ShapeError        tensors that do not fit met at the border of a family
    ├── CheckpointError   a run folder or model folder is wrong
    ├── TrainingError     a run cannot go on
    ├── WorkerError       a process that does part of the work cannot do any of it
    └── Interrupted       a signal asked a run to stop; a checkpoint was written

A message says where, what was found, what was expected and what to do.
"""

from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_SHOWN = 40  # characters of a value in a message
_LONGEST = 100  # characters of a word that may be another, misspelt


class SaccadeError(Exception):
    """The root of all errors that saccade raises on purpose."""


class RecipeError(SaccadeError):
    """A recipe cannot be followed. Holds every problem found, not just the first."""

    def __init__(self, problems: "str | list[str]") -> None:
        self.problems = [problems] if isinstance(problems, str) else list(problems)
        super().__init__("\n".join(self.problems))


class DataError(SaccadeError):
    """A file of examples is missing, malformed or does not fit the model."""


class WorkerError(SaccadeError):
    """Another process that does part of the work cannot do it, whatever it is given."""


class ShapeError(SaccadeError):
    """Two things that meet at the border of a family do not fit."""


class CheckpointError(SaccadeError):
    """A run or model folder cannot be read or written."""


class TrainingError(SaccadeError):
    """Training cannot go on; what was saved before stays."""


class Interrupted(SaccadeError):  # noqa: N818 - not a mistake, a wish
    """A signal asked the run to stop; the checkpoint was written."""

    def __init__(self, signal: int, message: str) -> None:
        self.signal = signal
        super().__init__(message)


def suggest(word: str, choices: "Iterable[str]") -> str:
    """Return `" Did you mean 'width'?"` for the nearest of `choices`, or nothing.

    >>> suggest("widht", ["filters", "width"])
    " Did you mean 'width'?"
    >>> suggest("zzz", ["filters", "width"])
    ''
    """
    near = get_close_matches(word, list(choices), n=1) if len(word) <= _LONGEST else []
    return f" Did you mean '{near[0]}'?" if near else ""


def shown(value: object) -> str:
    """Say what somebody gave, for a message: its type, and how it begins.

    >>> shown(3), shown(None)
    ('int 3', 'None')
    """
    if value is None:
        return "None"
    text = repr(value).partition("\n")[0]
    cut = text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
    return f"{type(value).__name__} {cut}"
