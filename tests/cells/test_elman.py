import torch
from torch.testing import assert_close

from saccade.cells.elman import Elman
from saccade.flow import tensor
from tests import reference
from tests.samples import randn, scramble


def test_elman_is_torchs_rnn() -> None:
    cell = scramble(Elman(3, 6))
    x, h = randn(4, 5, 3), randn(4, 6, seed=2)
    outputs, final = reference.rnn(cell)(x, h[None])
    swept = cell.sweep(x, {"h": h})
    assert_close(swept.outputs, outputs)
    assert_close(tensor(swept.state, "h"), final[0])


def test_recurrent_weights_start_orthogonal() -> None:
    U = Elman(3, 6).U
    assert_close(U @ U.T, torch.eye(6), atol=1e-5, rtol=0)
