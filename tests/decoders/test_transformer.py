from dataclasses import replace

import pytest
import torch
from torch.testing import assert_close

from saccade.attention.base import Attention
from saccade.decoders.transformer import DecoderLayer, Sight, TransformerDecoder
from saccade.errors import ShapeError
from saccade.flow import causal
from saccade.layers.transformer import Norm
from saccade.parts import Part
from saccade.positions.base import Positions
from tests import reference
from tests.samples import mask_of, memory, randn, scramble


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_a_layer_is_torchs(norm: Norm) -> None:
    part = Part(Attention, "multihead", {"heads": 2})
    layer = scramble(DecoderLayer(8, 8, part, 16, norm, 0.0))
    x, states, mask = randn(3, 4, 8), randn(3, 5, 8, seed=2), mask_of(5, 2, 4)
    expected = reference.decoder_layer(layer, heads=2)(
        x,
        states,
        tgt_mask=reference.drop(causal(4)),
        memory_key_padding_mask=reference.drop(mask),
    )
    assert layer.reading is not None
    sight = Sight(layer.reading.prepare(states), mask[:, None], causal(4)[None])
    written, _, _ = layer(x, {}, sight, look=False)
    assert_close(written, expected)


def test_a_place_does_not_see_those_behind_it() -> None:
    decoder = scramble(TransformerDecoder(8, 8, layers=2, feed_forward=16))
    x = randn(3, 5, 8)
    other = torch.cat([x[:, :3], randn(3, 2, 8, seed=8)], dim=1)
    first, second = (decoder(one, memory(3, 5, 1)).features for one in (x, other))
    assert_close(first[:, :3], second[:, :3])
    assert not torch.allclose(first[:, 3:], second[:, 3:])


def test_a_neighbourhood_ends_the_past() -> None:
    whole, wide, near = (
        scramble(TransformerDecoder(8, 8, layers=1, feed_forward=16, neighbourhood=r))
        for r in (0, 4, 1)
    )
    x = randn(3, 5, 8)
    other = torch.cat([randn(3, 1, 8, seed=8), x[:, 1:]], dim=1)
    assert_close(wide(x, memory(3, 5, 1)).features, whole(x, memory(3, 5, 1)).features)
    first, second = (near(one, memory(3, 5, 1)).features for one in (x, other))
    assert_close(first[:, 2:], second[:, 2:])
    assert not torch.allclose(first[:, 1], second[:, 1])


@pytest.mark.parametrize("across", [False, True])
def test_only_rotation_across_sees_the_order_of_a_memory(across: bool) -> None:
    positions = Part(Positions, "rotary", {"across": across})
    decoder = scramble(TransformerDecoder(8, 8, layers=2, feed_forward=16, positions=positions))
    x, whole = randn(1, 5, 8), memory(5)
    turned = replace(whole, states=whole.states.flip(1))
    first, second = (decoder(x, one).features for one in (whole, turned))
    assert torch.allclose(first, second, atol=1e-5) is not across


def test_maps_are_named_by_layer_and_head() -> None:
    part = Part(Attention, "multihead", {"heads": 2})
    assert TransformerDecoder(8, 8, layers=2, attention=part).attention_names == (
        "layer 1 head 1",
        "layer 1 head 2",
        "layer 2 head 1",
        "layer 2 head 2",
    )


def test_the_memory_may_have_a_width_of_its_own_for_multihead() -> None:
    decoder = scramble(TransformerDecoder(8, 6, layers=1, feed_forward=16))
    assert decoder(randn(3, 4, 8), memory(3, 5, 1, dim=6)).features.shape == (3, 4, 8)


def test_what_a_layer_adds_must_have_its_width() -> None:
    message = (
        "transformer: the attention reads vectors of width 6 but the layer's have 8; they are"
        " added, so they must be equal. Use multihead."
    )
    with pytest.raises(ShapeError, match=message):
        TransformerDecoder(8, 6, attention=Part(Attention, "additive"))
