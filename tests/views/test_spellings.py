"""All paths that spell a text."""

import math

import numpy as np
import pytest
import torch

from saccade.errors import ShapeError
from saccade.views import spellings
from tests.models.test__lattice import every_path, spelt
from tests.samples import randn

FRAMES = randn(4, 6, dtype=torch.float64).log_softmax(dim=1)


@pytest.mark.parametrize("labels", [(), (4,), (4, 5), (4, 4), (5, 4, 5)], ids=str)
def test_they_are_all_there(labels: tuple[int, ...]) -> None:
    found = spellings.every_path(FRAMES.numpy(), labels)
    right = {path: math.exp(p) for path, p in every_path(FRAMES) if spelt(path) == labels}
    assert {one.path: one.probability for one in found} == pytest.approx(right)
    assert len(found) == spellings.n_paths(4, labels)
    assert [one.probability for one in found] == sorted(right.values(), reverse=True)


def test_the_terminal_reads_as_expected() -> None:
    found = spellings.every_path(np.log(np.full((3, 6), 0.5)), [4, 4])
    assert spellings.to_terminal(found, list("-...ab")) == (
        "a – a  0.125000\n1 paths, together 0.125000\n"
    )
    many = spellings.every_path(np.log(np.full((4, 6), 0.5)), [4])
    assert "... and 8 more\n10 paths, together 0.625000" in spellings.to_terminal(
        many, list("-...ab"), most=2
    )


def test_too_many_are_refused() -> None:
    told = r"spellings: 4,598,126 paths of 40 frames spell these 4 labels; expected at most 100,000"
    told = told.replace("4,598,126", r"[\d,]+")
    with pytest.raises(ShapeError, match=told):
        spellings.every_path(np.zeros((40, 6)), [4, 5, 4, 5])
