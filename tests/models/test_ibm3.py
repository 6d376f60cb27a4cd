"""Model 3 as a model: what it refuses; its equations are tested in test__fertility.py."""

import pytest
import torch

from saccade.errors import CheckpointError, RecipeError
from saccade.folders.model import put_weights
from saccade.models.ibm3 import Ibm3, _log_sum
from saccade.train import weights
from tests.models.aligning import SIZE, TEXT, counted
from tests.samples import batch_of, sides


def test_it_looks_where_it_climbed() -> None:
    model = counted("ibm3")
    found = model(batch_of(*TEXT), look=True).weights
    assert found.shape == (4, 4, 1, 4)
    assert (found >= 0).all()
    assert (found.sum(dim=3) <= 1.0001).all()


def test_a_sum_of_a_diagonal_is_a_closed_form() -> None:
    for i, S, T in ((1, 3, 5), (3, 3, 5), (2, 4, 2), (5, 7, 1)):
        for tension in (0.0, 2.5, 9.0):
            wanted = sum(
                torch.exp(torch.tensor(-tension * abs(i / S - k / T))) for k in range(1, T + 1)
            )
            at, wide, high = (torch.tensor(one) for one in (i, S, T))
            found = _log_sum(at, wide, high, torch.tensor(tension, dtype=torch.double))
            assert found.exp().item() == pytest.approx(float(wanted), rel=1e-4)


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(RecipeError, match=r"ibm3.spurious: 1.0 is not between 0 and 1"):
        Ibm3(*sides(SIZE), spurious=1.0)
    with pytest.raises(RecipeError, match=r"ibm3.null: 0.0 is not between 0 and 1"):
        Ibm3(*sides(SIZE), null=0.0)
    saved = {name: one.clone() for name, one in weights.of(counted("ibm3")).items()}
    with pytest.raises(CheckpointError, match="fertilities are missing or have another size; ex"):
        put_weights(Ibm3(*sides(SIZE)), {**saved, "fertilities": saved["fertilities"][1:]}, "x")
    with pytest.raises(CheckpointError, match="fertilities have numbers that are no probabilities"):
        put_weights(Ibm3(*sides(SIZE)), {**saved, "fertilities": saved["fertilities"] - 1}, "x")
