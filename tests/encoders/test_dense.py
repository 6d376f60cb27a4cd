import pytest
import torch
from torch.nn.functional import linear
from torch.testing import assert_close

from saccade.encoders.dense import DenseEncoder
from saccade.errors import ShapeError
from saccade.flow import Padded
from tests.samples import mask_of, randn, scramble


@pytest.mark.parametrize("layers", [1, 3])
def test_it_is_a_perceptron_over_all_places_end_to_end(layers: int) -> None:
    encoder = scramble(DenseEncoder(5, hidden=4, layers=layers, places=7))
    x, mask = randn(2, 6, 5), mask_of(6, 2)
    laid = torch.zeros(2, 7, 5)
    laid[:, :6] = x * mask[:, :, None]
    y = torch.relu(linear(laid.flatten(1), encoder.W.permute(2, 0, 1).flatten(1), encoder.b))
    for layer in encoder.layers:
        y = torch.relu(layer(y))
    assert_close(encoder(Padded(x, mask)).summary, y)


def test_a_word_says_another_thing_at_another_place() -> None:
    encoder = scramble(DenseEncoder(5, hidden=4, places=7))
    word = randn(1, 1, 5).expand(1, 3, 5)
    memory = encoder(Padded(word, mask_of(3)))
    assert not torch.allclose(memory.states[:, 0], memory.states[:, 1])
    one = encoder(Padded(word[:, :1], mask_of(1)))
    assert_close(one.summary, one.states[:, 0])


def test_a_source_that_is_too_long_is_refused_and_padding_is_not() -> None:
    encoder = scramble(DenseEncoder(5, hidden=4, places=4))
    assert encoder(Padded(randn(2, 6, 5), mask_of(4, 2, size=6))).states.shape == (2, 6, 4)
    told = r"encoder dense: a source has 5 places, END counted, but the encoder has 4. Raise model"
    with pytest.raises(ShapeError, match=told):
        encoder(Padded(randn(2, 6, 5), mask_of(4, 5, size=6)))
