"""Which checkpoint a run goes on from, where some are damaged."""

from collections.abc import Sequence
from typing import NamedTuple

from saccade.errors import CheckpointError
from saccade.train.checkpoint import Checkpoints, step_of


class Recovery(NamedTuple):
    """The checkpoint to go on from, and what to say about the others."""

    name: str
    told: list[str]


def recover(checkpoints: Checkpoints, step: int | None = None) -> Recovery:
    """Choose a checkpoint that is whole, and forget all that are damaged or come later.

    The newest is taken. If one is damaged, it is the newest before that one, so that the run makes
    the damaged one again and ends as if nothing had happened. Only where none came before, a later
    one is taken, and what was lost is said.

    Args:
        checkpoints: of the run.
        step: go on from this one instead.
    """
    told, names = _listed(checkpoints)
    damaged = _damaged(checkpoints, names)
    whole = [name for name in names if name not in damaged]
    if step is None:
        chosen = _newest(names, damaged, checkpoints)
    else:
        chosen = _wanted(step, whole, damaged, checkpoints)
    told += list(damaged.values())
    later = [name for name in whole if step_of(name) > step_of(chosen)]
    if damaged or later:
        told.append(_what(chosen, damaged, later))
    kept = [name for name in whole if name not in later]
    if told:
        checkpoints.keep(kept)
    return Recovery(chosen, told)


def _listed(checkpoints: Checkpoints) -> tuple[list[str], list[str]]:
    """List the checkpoints that there are: those of the index, or the folders if it is damaged."""
    try:
        return [], sorted(checkpoints.index().names, key=step_of)
    except CheckpointError as error:
        names = checkpoints.found()
        made = f"It is made anew from the {len(names)} checkpoints that are there."
        return [f"{str(error).partition(';')[0]}. {made}"], names


def _damaged(checkpoints: Checkpoints, names: Sequence[str]) -> dict[str, str]:
    found = dict[str, str]()
    for name in names:
        try:
            checkpoints.check(name)
        except CheckpointError as error:
            found[name] = str(error).removesuffix(checkpoints.advice).rstrip()
    return found


def _newest(names: Sequence[str], damaged: dict[str, str], checkpoints: Checkpoints) -> str:
    first = next((i for i, name in enumerate(names) if name in damaged), len(names))
    later = [name for name in names[first:] if name not in damaged]
    candidates = [*later, *names[:first]]
    if not candidates:
        raise CheckpointError(
            "\n".join(
                [
                    *damaged.values(),
                    f"{checkpoints.folder}: no checkpoint is whole; expected one to go on from."
                    " Copy the run folder again, or begin a new run; training.keep_last: 2 keeps"
                    " one more.",
                ]
            )
        )
    return candidates[-1]


def _wanted(
    step: int, whole: Sequence[str], damaged: dict[str, str], checkpoints: Checkpoints
) -> str:
    steps = {step_of(name): name for name in [*whole, *damaged]}
    if steps.get(step) in whole:
        return steps[step]
    there = ", ".join(str(step_of(name)) for name in whole) or "none"
    said = damaged.get(steps.get(step, ""), f"{checkpoints.folder}: no checkpoint of step {step}.")
    raise CheckpointError(
        f"{said} --resume-from {step} cannot go on from it; expected one of those that are whole:"
        f" {there}."
    )


def _what(chosen: str, damaged: dict[str, str], later: Sequence[str]) -> str:
    """Say what becomes of the others."""
    step = step_of(chosen)
    lost = [step_of(name) for name in damaged if step_of(name) < step]
    again = sorted(step_of(name) for name in [*damaged, *later] if step_of(name) > step)
    parts = [f"Going back to the checkpoint of step {step}, which is whole."]
    if again:
        parts.append(
            f"Those of step {', '.join(map(str, again))} are left; their steps come again."
        )
    if lost:
        parts.append(
            f"Those of step {', '.join(map(str, lost))} are lost: if one was the best, the model at"
            " the end is another than it would have been."
        )
    return " ".join(parts)
