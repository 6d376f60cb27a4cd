"""What a layer of each kind costs: exponents, steps and paths against the published orders."""

import re

import pytest
import torch

from saccade.errors import RecipeError
from saccade.explanations import _mixing
from saccade.explanations._mixing import KINDS, LayerSizes, Mixing
from saccade.explanations.base import Explained, explain

ORDERS = {
    "self-attention": {"n": 2, "d": 1},
    "recurrent": {"n": 1, "d": 2},
    "convolutional": {"n": 1, "d": 2, "k": 1},
    "restricted": {"n": 1, "d": 1, "r": 1},
}
SIZES = LayerSizes(n=192, d=6, k=5, r=32)
by_name = {kind.name: kind for kind in KINDS}


@pytest.fixture(scope="module")
def found() -> Explained:
    return explain("cost", most=256, repeats=1)


def test_operations_grow_as_published(found: Explained) -> None:
    for kind, order in ORDERS.items():
        for letter, power in order.items():
            assert found.figures[f"{kind} FLOPs {letter}"] == pytest.approx(power, abs=1e-6)


def test_steps_and_paths(found: Explained) -> None:
    for n in (9, 17, 33):
        for kind, steps, path in (
            ("self-attention", 1, 1),
            ("recurrent", n, n),
            ("convolutional", 1, n - 1),  # a kernel of 3 reaches one place further a layer
            ("restricted", 1, (n - 1) // 4),
        ):
            assert found.figures[f"{kind} steps at {n}"] == steps
            assert found.figures[f"{kind} path at {n}"] == path


def test_memory_is_the_square_only_of_self_attention(found: Explained) -> None:
    assert found.figures["self-attention memory n"] > 1.6
    for kind in ("recurrent", "convolutional", "restricted"):
        assert found.figures[f"{kind} memory n"] < 1.05


def test_operations_by_hand() -> None:
    n, d, k, r = SIZES.n, SIZES.d, SIZES.k, SIZES.r
    counts = {kind.name: _mixing.operations(kind, SIZES) for kind in KINDS}
    assert counts == {
        "self-attention": 2 * 2 * n * n * d,
        "recurrent": 2 * n * 2 * d * d,
        "convolutional": 2 * n * k * d * 2 * d,
        "restricted": 2 * 2 * n * 3 * r * d,  # blocks of r places are shown 3 r
    }


def test_memory_by_hand() -> None:
    n, d, k = SIZES.n, SIZES.d, SIZES.k
    assert _mixing.kept_bytes(by_name["convolutional"], SIZES) == 4 * (n * k * d + n * 2 * d)
    more = _mixing.kept_bytes(by_name["self-attention"], LayerSizes(2 * n, d, k, 1))
    once = _mixing.kept_bytes(by_name["self-attention"], SIZES)
    assert (more - 2 * once) % (2 * n * n) == 0  # what is left is n n numbers and masks
    assert more > 3 * once


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: str(kind.name))
def test_a_layer_keeps_its_shape_and_is_timed(kind: Mixing) -> None:
    x = torch.randn(1, SIZES.n, SIZES.d, requires_grad=True)
    assert kind.layer(SIZES).run(x).shape == x.shape
    assert 0 < _mixing.seconds(kind, SIZES, x, 1) < 60


def test_wider_sight_needs_fewer_layers() -> None:
    small = LayerSizes(n=33, d=4, k=9, r=16)
    assert _mixing.layers_across(by_name["convolutional"], small) == 8
    assert _mixing.layers_across(by_name["restricted"], small) == 2


def test_every_kind_stands_in_the_table_with_its_powers(found: Explained) -> None:
    rows = found.drawing.terminal(160).splitlines()[1:5]
    for kind, row in zip(KINDS, rows, strict=True):
        assert row.startswith(kind.name)
        assert kind.order in row
        assert len(re.findall(r"\^-?\d+\.\d\d", row)) == 3 * len(kind.letters)


@pytest.mark.parametrize("most", [128, 300])
def test_a_size_that_cannot_be_halved_is_refused(most: int) -> None:
    message = f"cost.most: found {most}; expected a power of two from 256 on.*Change it"
    with pytest.raises(RecipeError, match=message):
        explain("cost", most=most)
