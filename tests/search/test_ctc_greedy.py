from dataclasses import replace

import pytest
import torch

from saccade.errors import RecipeError
from saccade.flow import SOURCE
from saccade.search.ctc_greedy import CtcGreedy
from tests.search.toys import chain_step, frame_state, frame_task


def test_repeats_are_written_once_and_blanks_not_at_all() -> None:
    path = [0, 3, 3, 0, 3, 4, 4, 5, 0]
    frames = torch.full((1, len(path), 6), 0.1)
    frames[0, torch.arange(len(path)), torch.tensor(path)] = 0.5
    (found,) = CtcGreedy()(chain_step, {SOURCE: {"frames": frames.log()}}, frame_task([9]))
    (best,) = found.hypotheses
    half = torch.tensor(0.5).log().item()
    assert best.tokens == (3, 3, 4, 5)
    assert best.finished
    assert list(best.token_scores) == pytest.approx([3 * half, 2 * half, 2 * half, half, half])
    assert best.score == pytest.approx(9 * half)
    (cut,) = CtcGreedy()(chain_step, {SOURCE: {"frames": frames.log()}}, frame_task([2]))
    assert cut.hypotheses[0].tokens == (3, 3)
    assert not cut.hypotheses[0].finished


def test_a_lexicon_is_refused() -> None:
    task = replace(frame_task([4]), shapers=(lambda _, log_probs: log_probs,))
    with pytest.raises(RecipeError, match="ctc_greedy: takes the best label of each frame and"):
        CtcGreedy()(chain_step, frame_state([1]), task)
