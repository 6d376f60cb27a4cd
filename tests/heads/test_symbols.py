import torch
from torch import nn
from torch.testing import assert_close

from saccade.heads.symbols import SymbolHead
from tests.samples import randn, scramble


def test_it_is_a_softmax_of_a_linear_map() -> None:
    head, f = scramble(SymbolHead(5, 7, None)), randn(2, 3, 5)
    assert_close(head.log_probs(f), (f @ head.weight.T + head.bias).log_softmax(dim=2))
    assert_close(head.projection(f).log_probs(), head.log_probs(f))
    assert torch.equal(head.best(f), head.log_probs(f).argmax(dim=2))


def test_a_tied_matrix_is_the_embedding_itself() -> None:
    matrix = nn.Parameter(randn(7, 5))
    head = SymbolHead(5, 7, matrix)
    assert head.weight is matrix
    assert head.narrow is None


def test_features_are_narrowed_to_a_tied_matrix_of_another_width() -> None:
    matrix = nn.Parameter(randn(7, 4))
    head, f = scramble(SymbolHead(5, 7, matrix)), randn(3, 5)
    assert head.narrow is not None
    assert_close(head.log_probs(f), (head.narrow(f) @ matrix.T + head.bias).log_softmax(dim=1))
