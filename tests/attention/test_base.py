import pytest

from saccade.attention.base import Attention
from saccade.errors import ShapeError
from saccade.layers import build_attention
from saccade.parts import Part
from tests.samples import name, variants

REMEMBERING = [part for part in variants(Attention) if part.build(8, 8).recurrent]


def test_who_remembers() -> None:
    assert sorted({part.kind for part in REMEMBERING}) == [
        "coverage",
        "gaussian_mixture",
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
