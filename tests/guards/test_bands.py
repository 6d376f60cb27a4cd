from saccade.guards.bands import Band, at


def test_the_last_band_holds_all_that_are_longer() -> None:
    bands = (Band(5, 0.1, 0.9), Band(20, 1.0, 2.0))
    assert [at(bands, length) for length in (0, 5, 6, 600)] == [bands[0]] * 2 + [bands[1]] * 2
    assert at((), 3) is None
