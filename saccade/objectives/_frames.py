"""Whether an objective and a search that go along frames have a model of frames."""

from saccade.models.base import Model
from saccade.objectives.base import Objective
from saccade.parts import find
from saccade.search.base import Search


def frameless(model: str, objective: str, search: str) -> list[str]:
    """Say what goes along frames where the model has none; all are kinds of parts."""
    if find(Model, model).frames:
        return []
    named = [
        ("training.objective", objective, find(Objective, objective).frames, "cross_entropy"),
        ("decoding.search", search, find(Search, search).frames, "beam"),
    ]
    return [
        f"{where}: {kind} goes along the frames of a model, but {model} has none. Use {other}, or"
        " the model ctc."
        for where, kind, frames, other in named
        if frames
    ]
