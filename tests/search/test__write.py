"""Lines are written side by side, and each by itself."""

import numpy as np
import pytest
import torch
from torch import Tensor

from saccade.search._best import Array
from saccade.search._write import write
from tests.search.toys import A, C, chain_state, chain_step, chain_task


def likeliest(log_probs: Tensor, lines: Array, step: int) -> tuple[Array, Array]:
    del lines, step
    found = log_probs.max(dim=1)
    return found.indices.numpy(), found.values.numpy()


def test_a_line_is_scored_by_what_was_chosen() -> None:
    ((line,),) = write(chain_step, chain_state(1), chain_task([9]), likeliest)
    assert (line.tokens, line.finished) == ((A, C), True)
    assert line.score == pytest.approx(sum(line.token_scores))
    assert line.token_scores == pytest.approx(torch.tensor([0.5, 0.4, 0.4]).log().tolist())


def test_short_lines_leave_and_the_others_go_on() -> None:
    asked: list[list[int]] = []

    def noting(log_probs: Tensor, lines: Array, step: int) -> tuple[Array, Array]:
        asked.append(lines.tolist())
        return likeliest(log_probs, lines, step)

    found = write(chain_step, chain_state(3), chain_task([1, 9, 0]), noting)
    assert [line.tokens for (line,) in found] == [(A,), (A, C), ()]
    assert [line.finished for (line,) in found] == [False, True, False]
    assert asked == [[0, 1, 2], [0, 1], [1]]


def test_several_lines_of_a_sentence_are_told_apart() -> None:
    def by_line(log_probs: Tensor, lines: Array, step: int) -> tuple[Array, Array]:
        best = likeliest(log_probs, lines, step)[0]
        tokens = np.where((lines % 2 == 1) & (step == 0), C, best)  # every second begins with C
        return tokens, log_probs.numpy()[np.arange(len(tokens)), tokens]

    found = write(chain_step, chain_state(2), chain_task([9, 9]), by_line, n_lines=2)
    assert [len(lines) for lines in found] == [2, 2]
    assert [line.tokens[0] for lines in found for line in lines] == [A, C, A, C]
