"""Windows that slide along the source."""

import numpy as np
import pytest

from saccade.decoders.base import Decoder
from saccade.errors import RecipeError
from saccade.inspections.base import draw
from saccade.inspections.windows import bells
from saccade.models.base import Model
from saccade.parts import Part
from tests.inspections.models import other
from tests.look.test_inspection import translator


def test_windows_are_those_that_attention_weighs_by() -> None:
    decoder = Part(Decoder, "rnn", {"attention": "gaussian_mixture"})
    asked = other(Part(Model, "encoder_decoder", {"embedding": 8, "decoder": decoder}))
    one = asked.translate("two cats", prefix="un chat")
    found = bells(asked, one)
    assert len(found) == len(one.tokens) >= 7
    u = np.arange(1, len(one.source_tokens) + 1)
    by_hand = [
        sum(bell.alpha * np.exp(-bell.beta * (bell.kappa - u) ** 2) for bell in window)
        for window in found
    ]
    assert one.attention is not None
    np.testing.assert_allclose(np.array(by_hand), one.attention, atol=1e-4)
    assert "line: the highest" in draw(asked, "two cats", "windows").svg


def test_windows_need_a_mixture() -> None:
    with pytest.raises(RecipeError, match="this model has no windows that slide along the source"):
        draw(translator("bahdanau"), "two cats", "windows")
