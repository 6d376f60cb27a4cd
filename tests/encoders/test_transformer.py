import pytest
import torch
from torch.testing import assert_close

from saccade.attention.base import Attention
from saccade.attention.dot import Dot
from saccade.encoders.transformer import EncoderLayer, TransformerEncoder
from saccade.errors import RecipeError, ShapeError
from saccade.flow import Padded
from saccade.layers.transformer import Norm
from saccade.parts import Part
from saccade.positions.base import Positions
from tests import reference
from tests.samples import mask_of, randn, scramble


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_a_layer_is_torchs(norm: Norm) -> None:
    part = Part(Attention, "multihead", {"heads": 2})
    layer = scramble(EncoderLayer(8, part, 16, norm, 0.0))
    x, mask = randn(3, 5, 8), mask_of(5, 2, 4)
    expected = reference.encoder_layer(layer, heads=2)(x, src_key_padding_mask=reference.drop(mask))
    assert_close(layer(x, mask[:, None])[mask], expected[mask])


def test_without_positions_a_sentence_is_a_bag() -> None:
    encoder = scramble(
        TransformerEncoder(8, layers=2, feed_forward=16, positions=Part(Positions, "none"))
    )
    x, mask, turn = randn(1, 4, 8), mask_of(4), torch.tensor([2, 0, 3, 1])
    assert_close(encoder(Padded(x[:, turn], mask)).states, encoder(Padded(x, mask)).states[:, turn])


def test_a_wide_neighbourhood_is_everything() -> None:
    whole = scramble(TransformerEncoder(8, layers=2, feed_forward=16))
    wide, near = (
        scramble(TransformerEncoder(8, layers=2, feed_forward=16, neighbourhood=r)) for r in (5, 1)
    )
    source = Padded(randn(3, 6, 8), mask_of(6, 2, 4))
    assert_close(wide(source).states, whole(source).states)
    assert not torch.allclose(near(source).states, whole(source).states)


def test_what_is_far_away_is_not_read() -> None:
    """Two layers that see one place to each side see two."""
    encoder = scramble(TransformerEncoder(8, layers=2, feed_forward=16, neighbourhood=1))
    x, mask = randn(1, 7, 8), mask_of(7)
    changed = x.clone()
    changed[:, 6] += 1
    moved = (encoder(Padded(x, mask)).states != encoder(Padded(changed, mask)).states).any(dim=2)
    assert moved[0].tolist() == [False] * 4 + [True] * 3


def test_a_neighbourhood_is_a_distance() -> None:
    message = "transformer.neighbourhood: found -1; expected how many places away a place may look"
    with pytest.raises(RecipeError, match=message):
        TransformerEncoder(8, neighbourhood=-1)


def test_what_a_layer_adds_must_have_its_width() -> None:
    message = (
        "transformer: the attention reads vectors of width 0 but the layer's have 8; they are"
        " added, so they must be equal. Use multihead."
    )
    with pytest.raises(ShapeError, match=message):
        TransformerEncoder(8, attention=Part(Attention, "none"))


def test_a_layer_cannot_wait_for_what_was_read_before() -> None:
    message = (
        f"transformer: attention {__name__} needs what it read one place before, but a layer reads"
        " all places at once. Use multihead."
    )
    with pytest.raises(ShapeError, match=message):
        TransformerEncoder(8, attention=Part(Attention, __name__))


class Waiting(Dot):
    """Needs what it read before, or says so."""

    recurrent = True
