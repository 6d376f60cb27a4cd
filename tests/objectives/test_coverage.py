import pytest
import torch
from torch.testing import assert_close

from saccade.errors import RecipeError
from saccade.objectives.base import Moment
from saccade.objectives.coverage import Coverage
from saccade.objectives.cross_entropy import cross_entropy
from tests.samples import pairs_batch, trained, untrained, vocabulary

MOMENT = Moment(0, torch.Generator())


def test_it_is_cross_entropy_and_the_price_by_hand() -> None:
    model, batch = trained("bahdanau", 25), pairs_batch()
    found = Coverage(vocabulary().decode, weight=2.0)(model, batch, MOMENT)
    weights = model(batch, look=True).weights
    assert weights is not None
    price = 0.0
    for row, mask in zip(weights[:, :, 0], batch.target.mask, strict=True):
        for t in range(int(mask.sum())):
            before = row[:t].sum(dim=0)
            price += torch.minimum(row[t], before).sum().item()
    plain = cross_entropy(model, batch, 0.1)
    assert_close(found.total.item(), plain.total.item() + 2.0 * price, rtol=1e-4, atol=1e-4)
    assert_close(found.parts["coverage"], price, rtol=1e-4, atol=1e-4)
    assert_close(found.parts["nll"], plain.parts["nll"])
    assert found.count == plain.count


def test_a_model_that_looks_nowhere_is_refused() -> None:
    message = "training.objective: coverage prices where the model looks, but it has no attention"
    with pytest.raises(RecipeError, match=message):
        Coverage(vocabulary().decode)(untrained("sutskever"), pairs_batch(), MOMENT)


def test_the_weight_is_above_zero() -> None:
    with pytest.raises(
        RecipeError, match=r"coverage.weight: 0 is not above 0; without a price use"
    ):
        Coverage(vocabulary().decode, weight=0)
