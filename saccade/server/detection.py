"""Which language a text is in, as far as models can tell: does it look like what they learned from?

A model folder keeps how often sequences of three characters stood in its training text. Of a text

    confidence = 100 x share of its trigrams that stood there

if they are as common as in training (the guard `unfamiliar` says so), else 0. It is 0 as well if a
model has no profile, has learned from fewer than 200 lines, or its language has no name, and for a
text of fewer than ten letters. That is no probability: a language that no model reads is not known.
"""

from collections.abc import Iterable
from typing import TypedDict

from saccade.guards.familiarity import is_usual
from saccade.guards.profile import trigrams_of
from saccade.server.models import SOURCE, Served

_LINES = 200  # of training, below which nothing is usual
_LETTERS = 10


class Detected(TypedDict):
    """A language and how much a text looks like it, 0 to 100."""

    language: str
    confidence: float


def detect(models: Iterable[Served], text: str) -> list[Detected]:
    """List the languages that models read, likeliest first; there is at least one."""
    best: dict[str, float] = {}
    for model in models:
        best[model.source] = max(best.get(model.source, 0.0), _confidence(model, text))
    ordered = sorted(best.items(), key=lambda pair: -pair[1])
    return [{"language": code, "confidence": figure} for code, figure in ordered]


def _confidence(model: Served, text: str) -> float:
    profile, vocabulary = model.translator.profile, model.translator.source.vocabulary
    known = profile is not None and profile.n_lines >= _LINES and model.source != SOURCE
    if not known or vocabulary is None or sum(map(str.isalpha, text)) < _LETTERS:
        return 0.0
    assert profile is not None
    normal = " ".join(vocabulary.normalise(text).split())
    if not is_usual(normal, profile):
        return 0.0
    share = 1 - len(profile.unseen(normal)) / len(trigrams_of(normal))
    return round(100 * share, 1)
