"""What a beam has completed, and what fills up where it is too little."""

import numpy as np
import torch

from saccade.flow import State
from saccade.nouns import Hypothesis
from saccade.search._beam_hypotheses import BeamHypotheses, Move, filled_up
from saccade.search.base import BeamOptions
from tests.search.toys import A, B, C, chain_state, chain_step, chain_task


def line(*tokens: int, score: float = 0.0) -> Hypothesis:
    return Hypothesis(tokens, score, ())


def test_unfinished_lines_fill_up_unless_they_say_the_same() -> None:
    done, others = [line(A)], [line(A), line(B), line(C)]
    assert filled_up(done, others, 2) == (line(A), line(B))
    assert filled_up(done, others, 5) == (line(A), line(B), line(C))
    assert filled_up([line(A), line(B)], others, 1) == (line(A),)
    assert filled_up([], [], 3) == ()


def test_a_move_turns_rows() -> None:
    state: State = {"x": torch.tensor([[1.0], [2.0], [3.0]])}
    assert Move(None, within=True).of(state) is state
    moved = Move(torch.tensor([2, 0, 0]), within=False).of(state)
    assert torch.equal(torch.as_tensor(moved["x"]), torch.tensor([[3.0], [1.0], [1.0]]))


def test_sentences_that_are_done_leave_and_are_told_in_their_order() -> None:
    options = BeamOptions(width=2, alpha=0.0, n_best=1, n_completed=2, patient=False)
    hypotheses = BeamHypotheses(options, chain_task([0, 9, 1]), chain_step)
    state, sizes = chain_state(3), []
    while hypotheses.going:
        state = hypotheses.advance(state)
        sizes.append(len(hypotheses.beams.rows))
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] < 3
    alone = []
    for limit in (0, 9, 1):
        one = BeamHypotheses(options, chain_task([limit]), chain_step)
        state = chain_state(1)
        while one.going:
            state = one.advance(state)
        alone += one.found()
    assert [f.hypotheses for f in hypotheses.found()] == [f.hypotheses for f in alone]
    assert np.isfinite([f.hypotheses[0].score for f in alone]).all()
