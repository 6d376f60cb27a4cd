"""A few stories with questions, and their codecs, for tests of what reads them."""

from functools import cache

from saccade.data.batching import collate
from saccade.data.codecs import Codecs
from saccade.flow import Batch
from saccade.modalities.story import Story
from saccade.modalities.text import Text
from saccade.nouns import Example, Side

TOLD = [
    ("Ida went home. Ben slept. Ida took the lamp.", "Where is Ida?", "home"),
    ("Ben went to the garden.", "Where is Ben?", "garden"),
    ("Ida went to the garden. Ida went home.", "Where is Ida?", "home"),
    ("Ben went home. Ida slept. Ben went to the garden. Ida slept.", "Who slept?", "Ida"),
]
EXAMPLES = [Example({"story": s, "question": q}, (a,)) for s, q, a in TOLD]


@cache
def codecs(sentences: int = 50) -> Codecs:
    """One vocabulary for stories, questions and answers."""
    modality = Story(sentences=sentences)
    texts = [[one[side] for one in TOLD] for side in range(3)]
    both = modality.fit(texts)
    shared = {"story": modality.adopt(both), "question": Text().adopt(both)}
    return Codecs(shared, modality.adopt(both, shared["story"]))


def sides() -> tuple[dict[str, Side], Side]:
    """What a model must know of them."""
    return codecs().shape


def batch(*rows: int, sentences: int = 50) -> Batch:
    """Make a batch of some of them, or of all."""
    chosen = [EXAMPLES[i] for i in rows or range(len(EXAMPLES))]
    arrays = codecs(sentences).encode(chosen)
    return collate(codecs(sentences), arrays, arrays.pop("target"))
