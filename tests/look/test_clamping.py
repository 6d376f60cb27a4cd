"""Models whose gates are clamped."""

import pytest
import torch

from saccade.cells.clamped import Clamped
from saccade.errors import RecipeError
from saccade.look.clamping import clamped
from tests import samples


def test_every_cell_with_such_a_gate_is_clamped_in_a_copy() -> None:
    model = samples.untrained("luong")  # an LSTM, and encoders of GRUs
    held = clamped(model, {"reset": 1, "forget": 0})
    n_cells = sum(isinstance(one, Clamped) for one in held.modules())
    assert n_cells >= 2
    assert not any(isinstance(one, Clamped) for one in model.modules())
    batch = samples.pairs_batch()
    with torch.no_grad():
        plain, other = model(batch).features, held(batch).features
        assert torch.equal(clamped(model, {})(batch).features, plain)
    assert not torch.allclose(plain, other)


def test_a_model_without_such_a_gate_is_refused() -> None:
    with pytest.raises(RecipeError, match="no recurrent cell of this model has a gate forget;"):
        clamped(samples.untrained("pre"), {"forget": 0})
