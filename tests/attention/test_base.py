import pytest

from saccade.attention._layer import build_attention
from saccade.attention.base import Attention
from saccade.errors import ShapeError
from saccade.parts import Part
from tests.samples import name, variants

REMEMBERING = [part for part in variants(Attention) if part.build(8, 8).recurrent]


def test_who_remembers() -> None:
    assert sorted({part.kind for part in REMEMBERING}) == [
        "coverage",
        "gaussian_mixture",
        "hard",
        "history",
        "local",
        "location_aware",
    ]


@pytest.mark.parametrize("part", REMEMBERING, ids=name)
def test_a_transformer_takes_no_attention_that_remembers(part: Part[Attention]) -> None:
    message = (
        f"transformer: attention {part.kind} needs what it read one place before, but a layer reads"
        " all places at once. Use multihead."
    )
    with pytest.raises(ShapeError, match=message):
        build_attention(part, 8, 8)


def test_a_transformer_takes_no_attention_that_chooses() -> None:
    message = "transformer: attention hard chooses places and learns by its choices, but a layer"
    with pytest.raises(ShapeError, match=message):
        build_attention(Part(Attention, "hard"), 8, 8)
