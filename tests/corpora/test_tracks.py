"""Tracks: what is known of how they are made."""

import re
from itertools import islice

import numpy as np
import pytest
from numpy.typing import NDArray

from saccade.corpora.tracks import Tracks
from saccade.errors import RecipeError

Array = NDArray[np.float64]


def arrays(corpus: Tracks, n: int = 200) -> tuple[Array, Array]:
    pairs = list(islice(corpus.pairs("train"), n))
    read, written = (
        np.array([[[float(v) for v in p.split(",")] for p in one[i].split()] for one in pairs])
        for i in (0, 1)
    )
    return read, written


def test_it_is_seen_in_noise_and_with_gaps() -> None:
    read, written = arrays(Tracks(noise=2.0, gaps=0.25))
    assert (read.shape, written.shape) == ((200, 40, 3), (200, 40, 2))
    seen = read[..., 2] == 1
    assert seen[:, 0].all()
    assert seen[:, 1:].mean() == pytest.approx(0.75, abs=0.02)
    assert (read[..., :2] - written)[seen].std() == pytest.approx(2.0, rel=0.03)
    gaps = ~seen[:, 1:]
    assert (read[:, 1:, :2][gaps] == read[:, :-1, :2][gaps]).all()


def test_it_is_pushed_as_a_filter_believes() -> None:
    """Second differences of places: var = push^2 (2/3), as of white noise that pushes."""
    _, written = arrays(Tracks(push=0.5), 400)
    second = np.diff(written, n=2, axis=1)
    assert second.var() == pytest.approx(0.25 * 2 / 3, rel=0.05)
    _, turning = arrays(Tracks(push=0.0, turns=0.2), 50)
    steps = np.diff(turning, axis=1)
    assert (np.abs(np.diff(steps, axis=1)).max(axis=2) > 0.01).mean() > 0.2
    speeds = np.hypot(*np.moveaxis(steps[:, [0, -1]], 2, 0))
    assert np.isfinite(speeds).all()


def test_what_cannot_be_is_refused() -> None:
    said = "tracks: length 1, noise 1, push 0.1, gaps 0.2, turns 0; expected 2 places or more"
    with pytest.raises(RecipeError, match=re.escape(said)):
        Tracks(length=1)
    with pytest.raises(RecipeError, match="gaps 1, turns 0; expected"):
        Tracks(gaps=1.0)
