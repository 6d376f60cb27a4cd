"""Whether an objective and a search fit the model: its frames, and its head."""

from saccade.heads.base import Head
from saccade.modalities.base import Modality
from saccade.models.base import Model
from saccade.objectives.base import Objective
from saccade.parts import Part, find
from saccade.search.base import Search


def frameless(model: str, objective: str, search: str) -> list[str]:
    """Say what goes along frames, hidden states or phrases where the model has none: kinds."""
    if find(Search, search).trellis and not find(Model, model).trellis:
        return [
            f"decoding.search: {search} goes through the hidden states of a model, but {model} has"
            " none. Use beam, or the model hmm."
        ]
    if find(Search, search).phrases and not find(Model, model).phrases:
        return [
            f"decoding.search: {search} covers the source by phrases, but {model} has none. Use"
            " beam, or the model phrase_based."
        ]
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


def undirected(objective: str, model: Part[Model], target: Part[Modality]) -> list[str]:
    """Say that a distance would leave most of a head without a gradient: that of the likeliest."""
    named = model.options.get("head")
    head = named.kind if isinstance(named, Part) else target.build().sketch().head
    if not find(Objective, objective).distance or not find(Head, head).draws:
        return []
    return [
        f"training.objective: {objective} asks how far one value is, but head {head} knows how"
        " likely all values are, and would learn nothing of its spread. Use likelihood."
    ]
