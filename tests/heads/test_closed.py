import torch
from torch.testing import assert_close

from saccade.heads.closed import FAR, ClosedHead, closed, flagged
from saccade.tokenizers._vocabulary import END
from tests.samples import randn, scramble


def test_end_has_all_where_the_output_ends_and_nothing_elsewhere() -> None:
    logits = randn(2, 6)
    found = closed(logits, torch.tensor([True, False]))
    assert_close(found.exp().sum(dim=1), torch.ones(2))
    assert found[0, END] == 0
    assert found[1, END] == FAR
    others = [0, 1, 2, 4, 5]
    assert_close(found[1, others], logits[1, others].log_softmax(dim=0))


def test_gradients_are_finite_and_pass_by_the_end() -> None:
    logits = randn(2, 6).requires_grad_()
    (gradient,) = torch.autograd.grad(closed(logits, torch.tensor([True, False])).sum() / 6, logits)
    assert gradient.isfinite().all()
    assert (gradient[0] == 0).all()
    assert gradient[1, END] == 0


def test_the_flag_stands_behind_the_features() -> None:
    found = flagged(torch.zeros(2, 3), torch.tensor([True, False]))
    assert found[:, -1].tolist() == [1.0, 0.0]
    assert found.shape == (2, 4)


def test_the_head_projects_and_closes() -> None:
    head, features = scramble(ClosedHead(5, 7, None)), randn(2, 3, 5)
    ended = torch.tensor([[False, False, True], [False, True, True]])
    found = head.log_probs(flagged(features, ended))
    assert_close(found, closed(head.output(features), ended))
    assert (head.best(flagged(features, ended)) == END).equal(ended)
