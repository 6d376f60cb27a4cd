"""What searches along frames share: reading the frames, and refusing what they cannot do."""

from torch import Tensor

from saccade.errors import RecipeError
from saccade.flow import SOURCE, State
from saccade.search.base import Task

BLANK = 0  # no label, PAD: a frame that says nothing new
NEVER = -1e30  # log of nothing: finite, so that no gradient of a sum of nothings is NaN
POSSIBLE = -1e20  # what is above it can be


def frames_of(state: State, kind: str) -> Tensor:
    """Return the log-probabilities of all frames, `[B, S, V]`; silent behind the last of a row."""
    source = state.get(SOURCE)
    found = source.get("frames") if isinstance(source, dict) else None
    if not isinstance(found, Tensor):
        raise RecipeError(
            f"{kind}: the model has no frames to search along; expected one such as ctc. Use beam."
        )
    return found


def check_task(task: Task, kind: str, *, shapers: bool = False) -> None:
    """Refuse prefixes, and shapers unless the search knows them."""
    if any(task.prefixes):
        raise RecipeError(
            f"{kind}: goes along the frames and cannot begin with a given text; expected no prefix."
            " Use beam, which writes label by label."
        )
    if task.shapers and not shapers:
        raise RecipeError(
            f"{kind}: takes the best label of each frame and cannot keep to a lexicon; expected"
            " none. Use ctc_prefix or beam."
        )
