"""No n-gram is written twice."""

import pytest
import torch

from saccade.search._rules import Rules
from saccade.search.base import Task
from saccade.search.greedy import Greedy
from saccade.shaping.no_repeat import NoRepeat

NEVER = float("-inf")


@pytest.mark.parametrize(
    ("n", "prefix", "banned"),
    [
        (2, [5, 6, 5], {6}),
        (2, [5, 6, 5, 7, 5], {6, 7}),
        (2, [5, 5], {5}),
        (2, [5], set()),
        (3, [5, 6, 5], set()),
        (3, [4, 5, 6, 4, 5], {6}),
        (1, [4, 6], {4, 6}),
        (2, [], set()),
    ],
)
def test_what_would_repeat_is_banned(n: int, prefix: list[int], banned: set[int]) -> None:
    prefixes = torch.tensor([prefix, [0] * len(prefix)], dtype=torch.long)
    given = torch.zeros(2, 8)
    found = NoRepeat(n)(prefixes, given)
    assert {i for i, value in enumerate(found[0].tolist()) if value == NEVER} == banned
    assert not given.any(), "what was given is not written over"


def test_a_model_that_loops_is_made_to_end() -> None:
    """Symbol 4 is always likeliest, END next: without the shaper search writes 4 to its limit."""
    likely = torch.tensor([-9.0, -9.0, -9.0, -2.0, -0.5, -3.0]).log_softmax(0)

    def step(token, state):  # type: ignore[no-untyped-def]
        return likely.expand(len(token), -1).clone(), state

    task = Task(start=2, end=3, limits=torch.tensor([6]), banned=(0, 1, 2))
    shaped = Task(start=2, end=3, limits=torch.tensor([6]), banned=(0, 1, 2), shapers=[NoRepeat(2)])
    looped, ended = (
        Greedy()(step, {"x": torch.zeros(1, 1)}, one)[0].hypotheses[0].tokens
        for one in (task, shaped)
    )
    assert list(looped) == [4] * 6
    assert list(ended)[:2] == [4, 4]
    assert len(ended) < 6


def test_a_prefix_that_the_user_gives_may_repeat() -> None:
    prefix = (4, 4, 4)
    task = Task(
        start=2,
        end=3,
        limits=torch.tensor([6]),
        banned=(0,),
        prefixes=[prefix],
        shapers=[NoRepeat(2)],
    )
    edited = Rules(task).edit(torch.zeros(1, 6), torch.tensor([[4, 4]]), torch.tensor([0]))
    assert edited[0].tolist() == [NEVER, NEVER, NEVER, NEVER, 0.0, NEVER]
