"""A network over space and time."""

from typing import Any

import pytest
import torch

from saccade.embedders.conv3d import Conv3dEmbedder
from saccade.errors import ShapeError
from saccade.flow import Padded
from tests.samples import randn, scramble


def clip(n: int) -> torch.Tensor:
    return (randn(1, n, 8, 8, 3).abs() * 99).to(torch.uint8)


def read(embedder: Conv3dEmbedder, values: torch.Tensor) -> torch.Tensor:
    """Return what the pool reads, `[F, ...]`: its norm is over the whole clip."""
    seen: list[torch.Tensor] = []
    hook = embedder.pool.register_forward_pre_hook(lambda _, given: seen.append(given[0]))
    embedder(Padded(values, torch.ones(values.shape[:2]).bool()))
    hook.remove()
    return seen[0][0]


@pytest.mark.parametrize(("stride", "depth", "reach"), [(2, 0, 3), (4, 0, 5), (4, 1, 9)])
def test_a_frame_sees_as_far_as_it_says(stride: int, depth: int, reach: int) -> None:
    embedder = scramble(Conv3dEmbedder(3, 8, width=8, stride=stride, depth=depth, hidden=8))
    assert embedder.reach == reach
    one, other = clip(21), clip(21)
    other[:, 10] = 255 - other[:, 10]
    changed = (read(embedder, one) - read(embedder, other)).abs().amax(dim=(1, 2, 3)) > 0
    half = reach // 2
    assert changed.tolist() == [abs(i - 10) <= half for i in range(21)]


def test_time_has_a_direction() -> None:
    embedder, one = scramble(Conv3dEmbedder(3, 8, width=8, hidden=8)), clip(5)
    backwards = one.flip(1)
    mask = torch.ones(1, 5).bool()
    there, back = (embedder(Padded(values, mask)).values for values in (one, backwards))
    assert not torch.allclose(there, back.flip(1), atol=1e-3)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"stride": 3}, "stride is 3; each stage halves the frames, so expected 2, 4, 8"),
        ({"width": 0}, "width is 0 and depth 1; expected a width from 1 and a depth from 0"),
        ({"depth": -1}, "width is 32 and depth -1; expected a width"),
    ],
)
def test_what_cannot_be_built_is_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ShapeError, match=f"embedder conv3d: {said}"):
        Conv3dEmbedder(3, 8, **options)
