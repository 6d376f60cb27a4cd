import pytest

from saccade.guards.bands import Band
from saccade.guards.length import length
from saccade.guards.profile import Profile

USUAL = Profile(9, 9, {}, (), (Band(10, 0.5, 2.0), Band(50, 0.8, 1.25)), 40)


def test_an_odd_length_is_told_with_what_is_usual() -> None:
    (short,) = length(30, 9, USUAL)
    assert short.message == (
        "The output is very short: 9 pieces for 30 of the source, 0.32 times as many; usual is"
        " 0.80 to 1.25."
    )
    (long,) = length(30, 90, USUAL)
    assert long.message.startswith("The output is very long: 90 pieces for 30 of the source")


@pytest.mark.parametrize(("n_source", "n_target"), [(30, 30), (30, 20), (30, 45), (1, 1), (3, 1)])
def test_usual_lengths_pass(n_source: int, n_target: int) -> None:
    assert length(n_source, n_target, USUAL) == ()


def test_what_needs_no_profile() -> None:
    assert length(30, 300, None) == ()
    (empty,) = length(3, 0, None)
    assert empty.message == "The output is empty; the source is not."
    (cut,) = length(3, 50, None, finished=False)
    assert cut.message == "The output did not come to an end: it was cut after 50 pieces."
    assert length(0, 0, USUAL) == ()
    assert length(3, 30, Profile(0, 0, {}, (), (), 0)) == ()
