"""What writes place by place, and what does not."""

import pytest
from torch import Tensor

from saccade.errors import RecipeError
from saccade.flow import Batch, Decoded
from saccade.models.base import Model, writer


class Glance(Model):
    """Writes all places at once."""

    def forward(self, batch: Batch, *, look: bool = False) -> Decoded:
        features: Tensor = batch.prefix
        return Decoded(features, None)

    @property
    def attention_names(self) -> tuple[str, ...]:
        return ()


def test_a_model_that_does_not_write_place_by_place_is_refused() -> None:
    said = "Glance: does not write place by place, so nothing can be searched or drawn from it"
    with pytest.raises(RecipeError, match=said):
        writer(Glance())


def test_places_of_a_sequence_form_no_grid() -> None:
    assert Glance().grid({"source": (4, 3)}) == (4,)
