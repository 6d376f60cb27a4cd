import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from saccade.errors import RecipeError
from saccade.flow import Frames, from_lengths
from saccade.models.ctc import spoken
from saccade.objectives.ctc import CtcLikelihood, likelihood, path_likelihood
from tests.models.test_ctc import build
from tests.objectives.small import model as attentive
from tests.objectives.small import moment
from tests.samples import batch_of, randn

BATCH = batch_of(([], [4, 4, 5]), ([], [5]), ([], [4, 5, 4, 5, 4]), ([], []))


def frames(logits: Tensor) -> Frames:
    return spoken(logits, from_lengths(torch.tensor([6, 3, 4, 2])))


def test_the_fast_path_is_the_clear_one() -> None:
    logits = randn(4, 6, 7, dtype=torch.float64).requires_grad_()
    loss, said = likelihood(frames(logits), BATCH), frames(logits).log_probs
    lengths = BATCH.target.lengths - 1
    clear = path_likelihood(said, BATCH.target.values, lengths)
    fits = torch.tensor([0, 1, 3])
    assert_close(loss.total, -clear[fits].sum())
    assert clear[2] < -1e20
    (fast,) = torch.autograd.grad(loss.total, logits)
    (slow,) = torch.autograd.grad(-clear[fits].sum(), logits)
    assert_close(fast, slow)
    assert not fast[2].any()


def test_a_row_without_frames_enough_is_left_out_and_counted() -> None:
    loss = likelihood(frames(randn(4, 6, 7)), BATCH)
    assert loss.counts["skipped"] == 1
    assert loss.count == 4 + 2 + 1
    only = batch_of(([], [4, 4, 4]), ([], [5, 5]))
    said = spoken(randn(2, 2, 7).requires_grad_(), torch.ones(2, 2).bool())
    none = likelihood(said, only)
    assert (none.total.item(), none.count, none.counts["skipped"]) == (0.0, 1, 2)


def test_frames_that_say_something_are_counted() -> None:
    logits = torch.zeros(4, 6, 7)
    logits[:, :, 0] = 1.0
    assert likelihood(frames(logits), BATCH).counts["spoke"] == 0
    logits[1, 2:, 5] = 2.0  # frame 2 is the last of this row
    assert likelihood(frames(logits), BATCH).counts["spoke"] == 1


def test_remarks() -> None:
    objective = CtcLikelihood(str)
    assert objective.remarks(50, {"spoke": 3, "skipped": 0}) == {}
    early = objective.remarks(50, {"spoke": 0, "skipped": 2})
    assert early["blanks"].startswith(
        "ctc: only blanks so far; this is usual for the first 1,000 updates"
    )
    assert "2 rows were left out since the last report: they have fewer frames" in early["skipped"]
    late = objective.remarks(1500, {"spoke": 0})
    assert list(late) == ["still"]
    assert "only blanks after 1,500 updates" in late["still"]


def test_validation_is_the_same_sum() -> None:
    model, batch = build(), batch_of(([4, 5, 6], [4]), ([5], [6]))
    assert_close(
        CtcLikelihood(str).validate(model, batch).total,
        CtcLikelihood(str)(model, batch, moment()).total,
    )


def test_a_model_without_frames_is_refused() -> None:
    told = r"training.objective: ctc: EncoderDecoder does not write frame by frame; expected"
    with pytest.raises(RecipeError, match=told):
        CtcLikelihood(str)(attentive(), batch_of(([4], [4])), moment())
