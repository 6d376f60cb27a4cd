"""Chance that is the same on every machine."""

import random

from saccade.corpora._dice import Dice

N = 4000


def test_a_seed_gives_the_sequence_that_random_promises() -> None:
    source, dice = random.Random(3), Dice(3)
    assert [dice.below(10) for _ in range(50)] == [int(source.random() * 10) for _ in range(50)]
    assert [Dice(4).below(100) for _ in range(3)] == [Dice(4).below(100)] * 3


def test_all_items_come_and_no_others() -> None:
    dice = Dice(1)
    assert {dice.pick("abc") for _ in range(100)} == set("abc")
    assert {dice.below(4) for _ in range(200)} == {0, 1, 2, 3}


def test_weights_are_kept() -> None:
    dice = Dice(1)
    drawn = [dice.weighted([(3.0, "often"), (1.0, "seldom"), (0.0, "never")]) for _ in range(N)]
    assert abs(drawn.count("often") / N - 0.75) < 0.03
    assert "never" not in drawn
    assert abs(sum(dice.chance(0.2) for _ in range(N)) / N - 0.2) < 0.03
    assert not any(dice.chance(0.0) for _ in range(100))
    assert all(dice.chance(1.0) for _ in range(100))
