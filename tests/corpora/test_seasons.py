"""Seasonal series: what is known of how they are made."""

import re
from itertools import islice

import numpy as np
import pytest

from saccade.corpora.seasons import Seasons
from saccade.errors import RecipeError


def test_without_noise_a_series_is_its_equation() -> None:
    for source, target in islice(Seasons(noise=0.0, window=60, horizon=12).pairs("train"), 5):
        x = np.array([float(v) for v in f"{source} {target}".split()])
        t = np.arange(len(x))
        waves = [f(2 * np.pi * t / m) for m in (12, 5) for f in (np.sin, np.cos)]
        design = np.stack([np.ones(len(x)), t, *waves], axis=1)
        fitted = design @ np.linalg.lstsq(design, x)[0]
        assert np.abs(fitted - x).max() < 1e-3


def test_noise_is_as_large_as_asked() -> None:
    pairs = zip(Seasons(noise=0.0).pairs("train"), range(1), strict=False)
    assert len(list(pairs)) == 1
    quiet, loud = (
        np.concatenate(
            [np.diff([float(v) for v in s.split()], n=2) for s, _ in islice(c.pairs("train"), 200)]
        )
        for c in (Seasons(noise=0.0), Seasons(noise=2.0))
    )
    assert loud.std() ** 2 - quiet.std() ** 2 == pytest.approx(6 * 4, rel=0.1)


def test_lengths() -> None:
    source, target = next(Seasons(window=7, horizon=3).pairs("test"))
    assert (len(source.split()), len(target.split())) == (7, 3)
    said = "seasons: window 0, horizon 12, noise 0.2; expected numbers of places from 1 on"
    with pytest.raises(RecipeError, match=re.escape(said)):
        Seasons(window=0)
