"""Did the model believe what it wrote?"""

import math
from collections.abc import Sequence

from saccade.guards.flag import Flag, quote, spell

_MEAN = math.log(0.25)  # geometric mean of the pieces' probabilities
_PIECE = math.log(0.005)  # of a single piece


def confidence(target: Sequence[str], token_scores: Sequence[float]) -> tuple[Flag, ...]:
    """Flag an output whose pieces are unlikely on the whole, or one of which is very unlikely.

        exp(mean over t of log p[t]) < 0.25    or    min over t of p[t] < 0.005

    Args:
        target: the output's pieces.
        token_scores: log-probability of each, and of END last if the output came to its end.
    """
    if not token_scores:
        return ()
    mean = sum(token_scores) / len(token_scores)
    if mean < _MEAN:
        message = f"The model is unsure: it gives its pieces a probability of {_share(mean)}."
        return (Flag("confidence", message, places=tuple(range(len(target)))),)
    worst = min(range(len(token_scores)), key=lambda t: token_scores[t])
    if token_scores[worst] >= _PIECE:
        return ()
    share = _share(token_scores[worst])
    if worst >= len(target):
        return (Flag("confidence", f"The model is unsure that the output ends here ({share})."),)
    message = f"The model is unsure of {quote(spell(target[worst : worst + 1]))} ({share})."
    return (Flag("confidence", message, places=(worst,)),)


def _share(log_prob: float) -> str:
    return f"{math.exp(log_prob):.1%}"
