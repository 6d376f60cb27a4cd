import torch

from saccade.kernels.workspace import Workspace


def test_rows_are_the_same_until_more_are_wanted() -> None:
    workspace = Workspace(torch.zeros(1, dtype=torch.float64), 3)
    first = workspace.first(8)
    assert (first.shape, first.dtype) == ((8, 3), torch.float64)
    assert workspace.first(5).data_ptr() == workspace.first(10).data_ptr() == first.data_ptr()
    assert workspace.first(11).shape == (11, 3)
    assert workspace.first(0).shape == (0, 3)
