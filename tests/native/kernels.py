"""The kernels, for tests that are skipped without them."""

import pytest

from saccade.kernels.library import Kernels, found
from saccade.native.panels import PanelMaker

needs_kernels = pytest.mark.skipif(found().kernels is None, reason=f"no kernels: {found().told}")
needs_bytes = pytest.mark.skipif(
    not (found().kernels and found().kernels.rounds),  # type: ignore[union-attr]
    reason="no instructions for bytes",
)


def kernels() -> Kernels:
    known = found().kernels
    assert known is not None
    return known


def maker(*, int8: bool = False) -> PanelMaker:
    """Lay matrices out, in bytes if that is wanted and there are instructions for them."""
    return PanelMaker(kernels(), int8=int8 and kernels().rounds)
