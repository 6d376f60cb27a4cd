"""What a form gives a search to write with."""

from typing import NamedTuple

from saccade.flow import State, StepFunction


class Begun(NamedTuple):
    """A batch that is to be written: its step function and its first state."""

    step: StepFunction
    state: State
