"""The two ends of the flow, which hold no tensors: what was read, and what search found.

What stands between them is in flow.py. Whoever imports only this does without torch.
"""

from dataclasses import dataclass
from typing import Literal

Fate = Literal["kept", "completed", "pruned"]


@dataclass(frozen=True, slots=True)
class Example:
    """One pair as it stood in a file. `origin` is what an error message calls it."""

    source: str
    target: str
    origin: str = ""


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
