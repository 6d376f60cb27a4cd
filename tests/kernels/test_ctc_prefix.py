"""The prefix beam in C finds what the one in numpy finds."""

import numpy as np
import pytest
import torch

from saccade.kernels import ctc_prefix
from saccade.kernels.library import found
from saccade.search._prefix_beam import PrefixBeam
from saccade.search._prefix_sums import Marks, spelling
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


@by_kernels_only
def test_labels_are_measured_as_torch_measures_them() -> None:
    said = (randn(2, 9, 7) * 2).log_softmax(dim=2)
    said[1, 6:] = -1e30
    said[1, 6:, 0] = 0.0
    labels = torch.tensor([[4, 4, 5], [5, 1, 1], [6, 5, 6], [1, 1, 1]])
    rows, lengths = torch.tensor([0, 1, 1, 0]), torch.tensor([3, 1, 3, 0])
    fast = ctc_prefix.spelling(said, rows, labels, lengths)
    assert fast is not None
    torch.testing.assert_close(fast, spelling(said[rows], labels, lengths, Marks(2, 3)))


def test_without_kernels_others_search() -> None:
    assert ctc_prefix.prefix_beam(frames(1, 6, 5).double(), np.full(1, 3), 2) is None
    with kernels_off():
        assert ctc_prefix.prefix_beam(frames(1, 6, 5), np.full(1, 3), 2) is None
