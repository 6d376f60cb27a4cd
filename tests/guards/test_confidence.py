import math

import pytest

from saccade.guards.confidence import confidence


def test_unlikely_on_the_whole() -> None:
    (flag,) = confidence(["▁a", "▁b"], [math.log(0.1)] * 3)
    assert flag.message == "The model is unsure: it gives its pieces a probability of 10.0%."
    assert flag.places == (0, 1)


def test_one_very_unlikely_piece() -> None:
    (flag,) = confidence(["▁a", "▁bat", "▁c"], [-0.01, math.log(0.001), -0.01, -0.01, -0.01, -0.01])
    assert flag.message == "The model is unsure of 'bat' (0.1%)."
    assert flag.places == (1,)
    (end,) = confidence(["▁a"] * 5, [-0.01] * 5 + [math.log(0.001)])
    assert end.message == "The model is unsure that the output ends here (0.1%)."
    assert end.places == ()


@pytest.mark.parametrize("scores", [[], [-0.1], [-0.5, -2.0, -0.1]])
def test_the_rest_passes(scores: list[float]) -> None:
    assert confidence(["▁a"] * len(scores), scores) == ()
