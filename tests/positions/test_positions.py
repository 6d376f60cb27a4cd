"""Every kind of positions: what happens to a place is the same however the places are cut."""

import math

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from saccade.errors import ShapeError
from saccade.parts import Part
from saccade.positions.base import Heads, Places, Positions
from saccade.positions.learned import Learned
from saccade.positions.sinusoidal import waves
from tests.samples import name, randn, scramble, variants

HEADS = Heads(2, 6)
EVERY = variants(Positions)
INSIDE = [part for part in EVERY if part.build(6, HEADS).inside(1, 0, randn(1)) is not None]
every = pytest.mark.parametrize("part", EVERY, ids=name)
inside = pytest.mark.parametrize("part", INSIDE, ids=name)


def scores(places: Places, q: Tensor, k: Tensor) -> Tensor:
    """Score all keys for all queries `[B, H, T, d]`, as attention does before its softmax."""
    plain = places.rotate(q) @ places.rotate(k).transpose(2, 3) / math.sqrt(q.shape[-1])
    bias = places.bias(places.rotate(q))
    return plain if bias is None else plain + bias


@every
def test_places_at_once_are_places_one_by_one(part: Part[Positions]) -> None:
    positions, x = scramble(part.build(6, HEADS)), randn(3, 5, 6)
    whole = positions(x)
    assert whole.shape == x.shape
    assert whole.dtype == x.dtype
    for t in range(5):
        assert_close(positions(x[:, t : t + 1], first=t), whole[:, t : t + 1])


def test_those_that_act_inside_are_known() -> None:
    assert list(dict.fromkeys(part.kind for part in INSIDE)) == ["relative", "rotary"]
    assert [part.kind for part in EVERY if part.build(6, HEADS).biased] == ["relative"]
    across = [part for part in EVERY if part.build(6, HEADS).across]
    assert [(part.kind, part.options["across"]) for part in across] == [("rotary", True)]


@every
def test_inside_places_at_once_are_places_one_by_one(part: Part[Positions]) -> None:
    positions, q, k = scramble(part.build(6, HEADS)), randn(3, 2, 5, 6), randn(3, 2, 5, 6, seed=2)
    places = positions.inside(5, 0, q)
    if places is None:
        return
    keys = places.rotate(k)
    for t in range(5):
        one = positions.inside(1, t, q)
        assert one is not None
        now = slice(t, t + 1)
        assert_close(one.rotate(k[:, :, now]), keys[:, :, now])
        assert_close(one.rotate(q[:, :, now]), places.rotate(q)[:, :, now])
        bias, all_at_once = one.bias(q[:, :, now]), places.bias(q)
        assert (bias is None) is (all_at_once is None)
        if bias is not None and all_at_once is not None:
            assert_close(bias, all_at_once[:, :, now, : t + 1])


@inside
@pytest.mark.parametrize("shift", [1, 7, 300])
def test_scores_do_not_change_when_all_places_move(part: Part[Positions], shift: int) -> None:
    positions, q, k = scramble(part.build(6, HEADS)), randn(2, 2, 5, 6), randn(2, 2, 5, 6, seed=2)
    before = [positions.inside(5, first, q) for first in (0, shift)]
    here, there = (one for one in before if one is not None)
    if there.near is not None:  # of the keys that stood before them nothing is asked here
        there = there._replace(near=there.near[:, shift:])
    assert_close(scores(there, q, k), scores(here, q, k), atol=1e-4, rtol=1e-4)


@inside
def test_scores_change_when_places_are_exchanged(part: Part[Positions]) -> None:
    positions, q, k = scramble(part.build(6, HEADS)), randn(1, 1, 3, 6), randn(1, 1, 3, 6, seed=2)
    places, turn = positions.inside(3, 0, q), torch.tensor([0, 2, 1])
    assert places is not None
    exchanged = scores(places, q, k[:, :, turn])[..., turn]
    assert (exchanged - scores(places, q, k)).abs().max() > 0.01


@inside
def test_a_host_without_heads_is_refused(part: Part[Positions]) -> None:
    message = (
        f"positions {part.kind}: they act on the queries and keys of self-attention, but this part"
        " has none of the kind multihead. Use them in a transformer with attention multihead, or"
        " use positions sinusoidal."
    )
    with pytest.raises(ShapeError, match=message):
        part.build(6, None)


def test_waves_by_hand() -> None:
    expected = [math.sin(3), math.cos(3), math.sin(3 / 100), math.cos(3 / 100)]
    assert_close(waves(1, 4, first=3)[0], torch.tensor(expected))
    assert waves(2, 5).shape == (2, 5)


def test_learned_positions_end() -> None:
    positions = Learned(4, None, most=3)
    assert positions(randn(2, 3, 4)).shape == (2, 3, 4)
    message = (
        "positions learned: place 4 of a sequence is beyond most=3, the longest it was built for."
        " Shorten the input, or train with sinusoidal positions."
    )
    with pytest.raises(ShapeError, match=message):
        positions(randn(2, 1, 4), first=3)
