"""The two ends of the flow, which hold no tensors: what was read, and what search found.

What stands between them is in flow.py. Whoever imports only this does without torch.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

Fate = Literal["kept", "completed", "pruned"]
Raw: TypeAlias = Any  # what a reader hands over and a user sees: text, or an array of numbers
SOURCE_NAME = "source"  # what the only source of an example is called


@dataclass(frozen=True, slots=True)
class Example:
    """One example as it was read: sources by name, and all outputs that are right for them.

    origin: what an error message calls it.  supporting: which sentences of a story, from 0, the
    answer follows from, where the data says so; for views to mark.
    """

    sources: Mapping[str, Raw]
    references: tuple[Raw, ...]
    origin: str = ""
    supporting: tuple[int, ...] = ()

    @property
    def source(self) -> Raw:
        """The only source, or the first."""
        return next(iter(self.sources.values()))

    @property
    def target(self) -> Raw:
        """The only reference, or the first."""
        return self.references[0]


def pair(source: Raw, target: Raw, origin: str = "") -> Example:
    """Make the example of one source and one reference."""
    return Example({SOURCE_NAME: source}, (target,), origin)


@dataclass(frozen=True, slots=True)
class Side:
    """What a model must know of one side of its examples to build its layers.

    size: symbols of a vocabulary, columns of numbers, channels of a picture.  embedder, head: the
    parts that read and write such a side unless the recipe names others.  broader: for every symbol
    the class of rare words that it belongs to, 1 (UNK) last; () if a vocabulary has no classes.
    pieces: what the symbols of text spell, with ▁ where a word begins.
    """

    size: int
    embedder: str = "symbols"
    head: str = "symbols"
    broader: tuple[int, ...] = ()
    pieces: tuple[str, ...] = field(default=(), repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """One output of search.

    tokens: ids without START and END.  score: what hypotheses were ranked by.  token_scores:
    log-probability of every token, and of END last if `finished`; none if the engine did not say.
    """

    tokens: tuple[int, ...]
    score: float
    token_scores: tuple[float, ...]
    finished: bool = True

    @property
    def log_prob(self) -> float:
        """Log-probability of the whole."""
        return sum(self.token_scores)


@dataclass(frozen=True, slots=True)
class Branch:
    """One step of one hypothesis in the beam: enough to draw the tree.

    step: from 1.  parent: its place in the branches of the step before, -1 for the root.
    log_prob: of the hypothesis up to and with this token.
    """

    step: int
    token: int
    parent: int
    log_prob: float
    fate: Fate
