from dataclasses import replace

import pytest
import torch

from saccade.search.greedy import Greedy
from tests.search.toys import END, PAD, START, A, B, C, chain_state, chain_step, chain_task


def test_follows_the_likeliest_symbol() -> None:
    """By hand: START -0.5-> A -0.4-> C -0.4-> END."""
    (found,) = Greedy()(chain_step, chain_state(1), chain_task([9]))
    (hypothesis,) = found.hypotheses
    assert hypothesis.tokens == (A, C)
    assert hypothesis.finished
    assert hypothesis.score == pytest.approx(float(torch.tensor(0.5 * 0.4 * 0.4).log()))
    assert hypothesis.token_scores == pytest.approx(torch.tensor([0.5, 0.4, 0.4]).log().tolist())


def test_cut_at_the_limit_is_unfinished() -> None:
    cut, whole = Greedy()(chain_step, chain_state(2), chain_task([1, 2]))
    assert cut.hypotheses[0].tokens == (A,)
    assert not cut.hypotheses[0].finished
    assert whole.hypotheses[0].tokens == (A, C)
    assert whole.hypotheses[0].finished


def test_ties_go_to_the_lowest_id() -> None:
    """After C, without END, B and C are equally likely."""
    task = replace(chain_task([2], ((C,),)), banned=(PAD, START, END))
    (found,) = Greedy()(chain_step, chain_state(1), task)
    assert found.hypotheses[0].tokens == (C, B)


def test_tree_is_the_path() -> None:
    (found,) = Greedy()(chain_step, chain_state(1), chain_task([9]), trace=True)
    branches = [branch for (branch,) in found.tree]
    assert [(b.step, b.token, b.parent, b.fate) for b in branches] == [
        (1, A, -1, "kept"),
        (2, C, 0, "kept"),
        (3, END, 0, "completed"),
    ]
    log_probs = torch.tensor([0.5, 0.2, 0.08]).log().tolist()
    assert [b.log_prob for b in branches] == pytest.approx(log_probs)
