"""What a form gives a search to write with."""

from typing import NamedTuple

from saccade.flow import State, StepFunction

HELD = 1920  # pieces of a batch times the lines that read each, unless a form asks for more


class Begun(NamedTuple):
    """A batch that is to be written: its step function and its first state."""

    step: StepFunction
    state: State
