"""The wiring of Graves 2013 (arXiv:1308.0850), equations 52 to 56."""

import pytest
import torch
from torch.testing import assert_close

from saccade.attention.base import Attention
from saccade.decoders.window import WindowDecoder
from saccade.errors import RecipeError
from saccade.parts import Part
from tests.samples import memory, randn, scramble

DIM, HIDDEN, T = 6, 4, 5
NONE = Part(Attention, "none")


def build(**options: object) -> WindowDecoder:
    made = WindowDecoder(3, DIM, hidden=HIDDEN, **options)  # type: ignore[arg-type]
    return scramble(made, scale=0.4)


def test_the_equations() -> None:
    decoder, x, source = build(layers=3), randn(2, T, 3), memory(4, 2, dim=DIM)
    first, second, third = decoder.cells
    prepared = decoder.attention.prepare_memory(source)
    looked = decoder.attention.start(prepared)
    h = [cell.start(source.summary) for cell in decoder.cells]  # type: ignore[operator]
    w = torch.zeros(2, DIM)
    expected = []
    for t in range(T):
        h1, h[0], _ = first(torch.cat([x[:, t], w], dim=1), h[0])
        read = decoder.attention(h1[:, None], prepared, source.mask[:, None], looked)
        w, looked = read.context[:, 0], read.state
        h2, h[1], _ = second(torch.cat([x[:, t], h1, w], dim=1), h[1])
        h3, h[2], _ = third(torch.cat([x[:, t], h2, w], dim=1), h[2])
        expected.append(torch.cat([h1, h2, h3], dim=1))
    assert_close(decoder(x, source).features, torch.stack(expected, dim=1))
    assert decoder.feature_dim == 3 * HIDDEN


def test_without_a_window_nothing_is_known_of_the_source() -> None:
    decoder, x = build(attention=NONE, layers=2), randn(2, T, 3)
    one, other = (decoder(x, memory(*n, dim=DIM)).features for n in ((4, 2), (1, 3)))
    assert torch.equal(one, other)
    assert decoder.attention_names == ()


def test_with_one_the_source_is_seen() -> None:
    decoder, x = build(), randn(2, T, 3)
    one, other = (decoder(x, memory(*n, dim=DIM)).features for n in ((4, 2), (1, 3)))
    assert not torch.allclose(one, other)


def test_there_is_a_layer() -> None:
    with pytest.raises(RecipeError, match=r"decoder window: layers: 0 is below 1; use 1 or more."):
        build(layers=0)
