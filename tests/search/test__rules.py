"""What every search obeys: limits, banned symbols and forced beginnings."""

import numpy as np
import pytest
import torch

from saccade.errors import DataError, ShapeError
from saccade.search._rules import NEVER, Rules, normalise, read
from saccade.search.base import Task

END = 3


def task(**options: object) -> Task:
    return Task(2, END, torch.tensor([1, 4]), **options)  # type: ignore[arg-type]


def test_a_forced_beginning_is_written_with_its_true_probability() -> None:
    rules = Rules(task(banned=(0, 5), prefixes=[(5, 6), ()]))
    log_probs = torch.arange(14.0).reshape(2, 7).log_softmax(dim=1)
    edited = rules.edit(log_probs.clone(), torch.zeros(2, 0, dtype=torch.long), torch.arange(2))
    assert edited[0, 5] == log_probs[0, 5], "a forced symbol counts, banned or not"
    assert (edited[0] > NEVER).sum() == 1
    assert (edited[1] > NEVER).tolist() == [False, True, True, True, True, False, True]


def test_behind_the_beginning_a_line_is_free() -> None:
    rules = Rules(task(banned=(0,), prefixes=[(5, 6), ()]))
    written = torch.tensor([[5, 6], [1, 1]])
    edited = rules.edit(torch.zeros(2, 7), written, torch.arange(2))
    assert (edited > NEVER).sum(dim=1).tolist() == [6, 6]


def test_a_long_beginning_raises_the_limit() -> None:
    rules = Rules(task(prefixes=[(5, 6, 5), (4,)]))
    assert rules.limits.tolist() == [3, 4]
    assert rules.n_steps == 5
    assert Rules(Task(2, END, torch.zeros(0, dtype=torch.long))).n_steps == 0


def test_shapers_come_before_bans() -> None:
    seen = []

    def shaper(prefixes: torch.Tensor, log_probs: torch.Tensor) -> torch.Tensor:
        seen.append(prefixes.shape)
        return log_probs + 1

    edited = Rules(task(banned=(0,), shapers=(shaper,))).edit(
        torch.zeros(2, 3), torch.zeros(2, 1, dtype=torch.long), torch.arange(2)
    )
    assert edited.tolist() == [[NEVER, 1.0, 1.0]] * 2
    assert seen == [(2, 1)]


def test_longer_hypotheses_are_not_at_a_loss() -> None:
    lengths = np.array([0, 1, 2, 4])
    assert normalise(-4.0, lengths, 0.0).tolist() == [-4.0] * 4
    assert normalise(-4.0, lengths, 1.0).tolist() == [-4.0, -4.0, -2.0, -1.0]


def test_a_line_is_read_with_or_without_its_end() -> None:
    done = read([7, END, 9], [-1.0, -2.0, -3.0], 2, -1.5, END)
    assert (done.tokens, done.token_scores, done.finished) == ((7,), (-1.0, -2.0), True)
    cut = read([7, 8, 9], [-1.0, -2.0, -3.0], 2, -1.5, END)
    assert (cut.tokens, cut.token_scores, cut.finished) == ((7, 8), (-1.0, -2.0), False)
    assert not read([], [], 0, 0.0, END).finished


def test_tasks_that_cannot_be() -> None:
    said = "search: task has 1 prefixes for 2 sentences; expected one each or none; give 2 or leave"
    with pytest.raises(ShapeError, match=said):
        Rules(task(prefixes=[(4,)]))
    with pytest.raises(ShapeError, match="search: task has 3 keys for 2 sentences"):
        Rules(task(keys=[1, 2, 3]))
    for wrong in ((4, END), (-1,)):
        with pytest.raises(
            DataError, match=r"search: the prefix of sentence 1 is .*; expected sym"
        ):
            Rules(task(prefixes=[(4,), wrong]))
