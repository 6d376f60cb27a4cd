"""The tree that a search grew, as branches that can be drawn."""

from collections.abc import Sequence

from saccade.nouns import Branch, Fate, Hypothesis
from saccade.search._rules import NEVER

FATES: tuple[Fate, ...] = ("kept", "completed", "pruned")


def paths(hypotheses: Sequence[Hypothesis], end: int) -> tuple[tuple[Branch, ...], ...]:
    """Lay hypotheses over one another so that those that begin alike share their first branches."""
    place: dict[tuple[int, ...], int] = {(): -1}
    tree: list[list[Branch]] = []
    for hypothesis in hypotheses:
        written = (*hypothesis.tokens, end) if hypothesis.finished else hypothesis.tokens
        log_prob = 0.0
        for t, (token, score) in enumerate(zip(written, hypothesis.token_scores, strict=True)):
            log_prob += score
            if t == len(tree):
                tree.append([])
            if written[: t + 1] not in place:
                place[written[: t + 1]] = len(tree[t])
                fate: Fate = "completed" if token == end else "kept"
                tree[t].append(Branch(t + 1, token, place[written[:t]], log_prob, fate))
    return tuple(map(tuple, tree))


def level(
    step: int,
    log_probs: Sequence[float],
    tokens: Sequence[int],
    parents: Sequence[int],
    fates: Sequence[int],
) -> tuple[Branch, ...]:
    """Lay out one step of a beam: what is kept first, in the beam's order, then the rest.

    So a parent's place in the beam is its place in the branches of the step before. `fates` are
    places in FATES. Candidates that cannot be (log-probability -inf) are left out.
    """
    branches = [
        Branch(step, token, -1 if step == 1 else parent, log_prob, FATES[fate])
        for log_prob, token, parent, fate in zip(log_probs, tokens, parents, fates, strict=True)
        if log_prob > NEVER
    ]
    return tuple(sorted(branches, key=lambda branch: FATES.index(branch.fate)))
