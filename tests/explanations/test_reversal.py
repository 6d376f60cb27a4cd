"""The source read forwards and backwards."""

from saccade.explanations.base import explain


def test_backwards_the_first_letter_is_learned_sooner() -> None:
    figures = explain("reversal", places=6, width=32, updates=80).figures
    assert figures["first letter, backwards"] > figures["first letter, forwards"] + 0.1
    assert figures["loss, backwards"] < figures["loss, forwards"]


def test_of_a_single_letter_there_is_nothing_to_reverse() -> None:
    figures = explain("reversal", places=1, width=8, updates=10).figures
    for name in ("loss", "first letter", "all letters"):
        assert figures[f"{name}, forwards"] == figures[f"{name}, backwards"]
