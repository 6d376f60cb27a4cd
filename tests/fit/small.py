"""Outlines whose models are tiny and whose runs are short, so that a test can fit them."""

import dataclasses

from saccade.fit.candidates import Plain, with_updates
from saccade.fit.outline import Outline

_SYLLABLES = ["ba", "ke", "li", "mo", "nu", "ta", "se", "ri"]
WORDS = [a + b for a in _SYLLABLES for b in _SYLLABLES] + [a + "n" for a in _SYLLABLES]
_WIDTHS = {"embedding": 16, "hidden": 16, "feed_forward": 16, "layers": 1}


def shrunk(made: Outline, updates: int) -> Outline:
    """Return an outline with tiny models and so many updates, which do not grow with the time."""
    candidates = [
        dataclasses.replace(one, recipe=with_updates(_narrow(one.recipe), updates))
        for one in made.candidates
    ]
    sizes = dataclasses.replace(made.sizes, longer=1.0, width=128)
    return dataclasses.replace(made, candidates=candidates, sizes=sizes)


def _narrow(part: Plain) -> Plain:
    """Set all widths inside a recipe; decoders with two inputs are twice as wide."""
    return {
        key: _narrow(value) if isinstance(value, dict) else _WIDTHS.get(key, value)
        for key, value in part.items()
    }
