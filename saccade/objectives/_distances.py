"""Whether an objective of distances has a head that writes one value and no distribution."""

from saccade.heads.base import Head
from saccade.modalities.base import Modality
from saccade.models.base import Model
from saccade.objectives.base import Objective
from saccade.parts import Part, find


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
