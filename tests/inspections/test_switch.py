"""What a pointer-generator copied."""

import pytest
import torch
from torch.testing import assert_close

from saccade.errors import RecipeError
from saccade.inspections.base import draw
from saccade.inspections.switch import shares
from saccade.look import inspection
from saccade.models.base import Model
from saccade.models.pointer_generator import PointerGenerator
from saccade.parts import Part
from saccade.predict.predictor import Predictor
from saccade.recipe import Decoding
from tests import samples
from tests.inspections.models import other
from tests.look.test_inspection import translator


def test_the_switch_is_that_of_the_model() -> None:
    codecs = samples.codecs()
    model = samples.scramble(PointerGenerator(*codecs.shape, embedding=8), 1, 0.1)
    found = Predictor(model, codecs, Decoding())
    translation = found.translate("two cats")
    share = shares(found, translation)
    assert len(share) == len(translation.token_scores)
    decoded = model(inspection.batch_of(found, translation))
    expected = torch.sigmoid(decoded.features[0, :, model.head.width]).tolist()
    assert_close(share, expected[: len(share)])


def test_a_model_that_does_not_copy_has_no_switch() -> None:
    found = translator("bahdanau")
    message = "inspect: this model does not copy, so it has no switch to show. Use another --view"
    with pytest.raises(RecipeError, match=message):
        shares(found, found.translate("two cats"))


def test_the_switch_of_a_model_that_copies() -> None:
    drawing = draw(other(Part(Model, "pointer_generator", {"embedding": 8})), "two cats", "switch")
    assert "generated" in drawing.svg
    assert drawing.terminal(40).splitlines()[-1] == "█ generated ░ copied"
