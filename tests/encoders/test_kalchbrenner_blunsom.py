import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from saccade.encoders.kalchbrenner_blunsom import KalchbrennerBlunsomEncoder
from saccade.errors import ShapeError
from saccade.flow import Padded
from tests.samples import backward, mask_of, missing_gradients, randn, scramble

DIM = 4


def apply(kernel: Tensor, columns: list[Tensor]) -> list[Tensor]:
    """Convolve as the paper writes it, column by column."""
    n = len(kernel)
    return [
        torch.tanh(sum((kernel[j] * columns[s + j] for j in range(n)), torch.zeros(DIM)))
        for s in range(len(columns) - n + 1)
    ]


def test_six_words_column_by_column() -> None:
    """Kernels K2 and K3, and L3 on top."""
    encoder = scramble(KalchbrennerBlunsomEncoder(DIM, widest=5))
    x = randn(1, 6, DIM)
    columns = apply(encoder.K[1], apply(encoder.K[0], list(x[0])))
    assert len(columns) == 3
    (top,) = apply(encoder.L[1], columns)
    assert_close(encoder(Padded(x, mask_of(6))).summary[0], top)


@pytest.mark.parametrize("n", range(1, 14))
def test_sentences_of_every_length_become_one_vector(n: int) -> None:
    encoder = scramble(KalchbrennerBlunsomEncoder(DIM, widest=3))
    x = randn(1, n, DIM)
    columns, layer = list(x[0]), 0
    while len(columns) > len(encoder.K[layer]):
        columns, layer = apply(encoder.K[layer], columns), min(layer + 1, 1)
    if len(columns) > 1:
        columns = apply(encoder.L[len(columns) - 2], columns)
    (top,) = columns
    longer = Padded(torch.cat([x, randn(1, 3, DIM, seed=2)], dim=1), mask_of(n, size=n + 3))
    assert_close(encoder(longer).summary[0], top)


def test_a_place_keeps_what_it_was_last() -> None:
    encoder = scramble(KalchbrennerBlunsomEncoder(DIM, widest=5))
    x = randn(1, 6, DIM)
    memory = encoder(Padded(x, mask_of(6)))
    pairs = apply(encoder.K[0], list(x[0]))
    assert_close(memory.states[:, 0], memory.summary)
    assert_close(memory.states[0, 2], apply(encoder.K[1], pairs)[2])
    assert_close(memory.states[0, 4], pairs[4])
    assert_close(memory.states[0, 5], x[0, 5])


def test_every_kernel_is_used_by_some_length() -> None:
    encoder = scramble(KalchbrennerBlunsomEncoder(DIM, widest=4)).train()
    backward(encoder(Padded(randn(9, 9, DIM), mask_of(*range(1, 10)))).summary.sum())
    assert missing_gradients(encoder) == []


def test_a_kernel_joins_at_least_two() -> None:
    message = "encoder kalchbrenner_blunsom: widest is 1; a kernel reads at least 2 places. Give 2"
    with pytest.raises(ShapeError, match=message):
        KalchbrennerBlunsomEncoder(DIM, widest=1)
