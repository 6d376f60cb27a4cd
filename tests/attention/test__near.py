"""Restricted self-attention in blocks equals the masked form, and costs what it sees."""

from typing import Any

import pytest
import torch
from torch.testing import assert_close

from saccade.attention import _near
from saccade.attention.base import Attention
from saccade.decoders.transformer import TransformerDecoder
from saccade.encoders.transformer import TransformerEncoder
from saccade.flow import Memory, Padded
from saccade.parts import Part
from saccade.positions.base import Positions
from saccade.train.price import counted
from tests.samples import mask_of, randn, scramble

SCORES: dict[str, dict[str, Any]] = {
    "multihead": {"heads": 2},
    "additive heads": {"heads": 2, "score": "additive"},
}


@pytest.fixture
def short_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_near, "_LEAST", 4)


def both(
    run: Any, parts: list[torch.nn.Module], monkeypatch: pytest.MonkeyPatch
) -> list[tuple[torch.Tensor, list[torch.Tensor]]]:
    """Run in blocks and with a mask; return what comes out, and all gradients."""
    found = []
    for pays in (1, 10**6):
        monkeypatch.setattr(_near, "_PAYS", pays)
        out = run()
        weights = [p for part in parts for p in part.parameters()]
        sums = (out * out).sum()
        gradients = torch.autograd.grad(sums, weights, allow_unused=True, materialize_grads=True)
        found.append((out, list(gradients)))
    return found


@pytest.mark.usefixtures("short_blocks")
@pytest.mark.parametrize("positions", ["sinusoidal", "rotary", "relative"])
@pytest.mark.parametrize("attention", SCORES)
def test_an_encoder_in_blocks_is_the_masked_one(
    attention: str, positions: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoder = scramble(
        TransformerEncoder(
            8,
            layers=2,
            feed_forward=8,
            neighbourhood=3,
            dropout=0.0,
            attention=Part(Attention, "multihead", SCORES[attention]),
            positions=Part(Positions, positions),
        )
    ).double()
    mask = mask_of(23, 9, 1)
    source = Padded(randn(3, 23, 8).double(), mask)
    (a, da), (b, db) = both(lambda: encoder(source).states, [encoder], monkeypatch)
    assert_close(a, b)
    assert_close(da, db)


@pytest.mark.usefixtures("short_blocks")
@pytest.mark.parametrize("positions", ["none", "rotary", "relative"])
def test_a_decoder_in_blocks_is_the_masked_one(
    positions: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    decoder = scramble(
        TransformerDecoder(
            8,
            8,
            layers=2,
            feed_forward=8,
            neighbourhood=3,
            dropout=0.0,
            attention=Part(Attention, "multihead", {"heads": 2}),
            positions=Part(Positions, positions),
        )
    ).double()
    memory = Memory(randn(2, 5, 8, seed=3).double(), mask_of(5, 2), randn(2, 8).double())
    x = randn(2, 26, 8).double()
    (a, da), (b, db) = both(lambda: decoder(x, memory).features, [decoder], monkeypatch)
    assert_close(a, b)
    assert_close(da, db)


def test_the_rows_of_a_batch_do_not_meet() -> None:
    encoder = scramble(TransformerEncoder(8, layers=1, feed_forward=8, neighbourhood=2)).eval()
    source = Padded(randn(2, 150, 8), mask_of(150, 120))
    alone = Padded(source.values[1:, :120], source.mask[1:, :120])
    assert_close(encoder(source).states[1, :120], encoder(alone).states[0])


def test_short_sources_are_masked() -> None:
    positions = Part(Positions, "none").build(8, None)
    for n, found in ((107, False), (108, True)):  # 3 times 2 + 32 + 2 places
        mask, x = mask_of(n), randn(1, n, 8)
        assert (_near.near(mask, 2, 2, positions, x) is not None) == found
        assert _near.near(mask, 0, 0, positions, x) is None


def test_the_cost_grows_with_the_places_and_not_with_their_square() -> None:
    encoder = TransformerEncoder(8, layers=1, feed_forward=8, neighbourhood=8).eval()

    def cost(n: int) -> int:
        source = Padded(randn(1, n, 8), mask_of(n))
        return counted(lambda: encoder(source))

    assert cost(1024) == 2 * cost(512)
    assert cost(512) < 0.3 * counted_with_mask(512)


def counted_with_mask(n: int) -> int:
    whole = TransformerEncoder(8, layers=1, feed_forward=8).eval()
    return counted(lambda: whole(Padded(randn(1, n, 8), mask_of(n))))
