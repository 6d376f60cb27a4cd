"""The prefix beam in C finds what the one in numpy finds."""

import numpy as np
import pytest
import torch

from saccade.kernels import ctc_prefix
from saccade.kernels.library import found
from saccade.search._prefix_beam import PrefixBeam
from tests.samples import kernels_off, randn

by_kernels_only = pytest.mark.skipif(found().kernels is None, reason=f"no kernels: {found().told}")


def frames(rows: int, places: int, size: int, scale: float = 3.0) -> torch.Tensor:
    said = (randn(rows, places, size, seed=places) * scale).log_softmax(dim=2)
    said = said.index_fill(2, torch.tensor([2, 3]), float("-inf"))
    said[0, places // 2 :] = float("-inf")
    said[0, places // 2 :, 0] = 0.0
    return said


@by_kernels_only
@pytest.mark.parametrize(
    ("shape", "width", "limit"),
    [((3, 7, 6), 4, 9), ((2, 30, 12), 10, 40), ((2, 5, 7), 300, 3), ((4, 12, 30), 1, 5)],
)
def test_it_finds_what_numpy_finds(shape: tuple[int, int, int], width: int, limit: int) -> None:
    said, limits = frames(*shape), np.full(shape[0], limit)
    fast = ctc_prefix.prefix_beam(said, limits, width)
    assert fast is not None
    beam = PrefixBeam(said.double().numpy(), limits, width, None)
    for t in range(shape[1]):
        beam.advance(t)
    for (prefixes, scores), clear in zip(fast, beam.found(), strict=True):
        assert prefixes == clear.prefixes
        assert scores == pytest.approx(clear.scores, abs=1e-6)


@by_kernels_only
def test_no_frames_and_no_room() -> None:
    assert ctc_prefix.prefix_beam(torch.zeros(2, 0, 5), np.full(2, 3), 2) == [([()], [0.0])] * 2
    (row,) = ctc_prefix.prefix_beam(frames(1, 6, 5), np.zeros(1, np.int64), 3) or []
    assert row[0] == [()]


def test_without_kernels_others_search() -> None:
    assert ctc_prefix.prefix_beam(frames(1, 6, 5).double(), np.full(1, 3), 2) is None
    with kernels_off():
        assert ctc_prefix.prefix_beam(frames(1, 6, 5), np.full(1, 3), 2) is None
