import math

import pytest

from saccade.metrics._likelihood import NatsPerCharacter, PiecePerplexity
from saccade.metrics.base import interval, paired
from saccade.predict.evaluation import Likelihood

TEXTS = [Likelihood(-2.0, 2, 4), Likelihood(-6.0, 2, 4), Likelihood(-1.0, 1, 2)]


def test_sums_come_before_quotients() -> None:
    assert NatsPerCharacter().corpus(TEXTS, ["x"] * 3).value == pytest.approx(9 / 10)
    assert PiecePerplexity().corpus(TEXTS, ["x"] * 3).value == pytest.approx(math.exp(9 / 5))
    total = Likelihood(-9.0, 5, 10)
    assert total.nats_per_character == pytest.approx(9 / 10)
    assert total.perplexity == pytest.approx(math.exp(9 / 5))


@pytest.mark.parametrize("metric", [NatsPerCharacter(), PiecePerplexity()])
def test_lower_is_better_and_texts_are_drawn(metric: NatsPerCharacter | PiecePerplexity) -> None:
    assert not metric.corpus(TEXTS, ["x"] * 3).higher_is_better
    near = interval(metric, TEXTS, ["x"] * 3)
    alone = [metric.corpus([text], ["x"]).value for text in TEXTS]
    assert min(alone) <= near.low < near.value < near.high <= max(alone)


def test_the_same_texts_leave_nothing_to_chance() -> None:
    metric, references = NatsPerCharacter(), ["x"] * 40
    likelier = [Likelihood(-1.0 - i % 3, 2, 4) for i in range(40)]
    worse = [Likelihood(one.log_prob - 1, 2, 4) for one in likelier]
    found = paired(metric, likelier, worse, references)
    assert found.difference == pytest.approx(-0.25)
    assert found.p_value < 0.01
    assert paired(metric, likelier, likelier, references).p_value == 1
