"""Views of a model at work, from Python."""

from pathlib import Path

import numpy as np
import pytest

import saccade
from saccade.decoders.base import Decoder
from saccade.errors import RecipeError
from saccade.look import inspection
from saccade.look.pictures import View, draw
from saccade.models.base import Model
from saccade.parts import Part
from saccade.predict.predictor import Predictor
from saccade.recipe import Decoding
from tests import samples
from tests.look.test_inspection import translator

OWN = {View.gaze, View.writing, View.addresses}
ELSEWHERE = {View.positions, View.windows, View.switch, *OWN, View.canvas}  # of other models


@pytest.mark.parametrize("view", [v for v in View if v not in ELSEWHERE])
def test_every_view_has_its_forms(view: View, tmp_path: Path) -> None:
    drawing = draw(translator("bahdanau"), "two cats", view)
    assert drawing.said.startswith("two cats")
    assert drawing.svg.startswith("<svg")
    assert drawing.terminal(60).endswith("\n")
    assert "<svg" in drawing._repr_html_()
    assert drawing.save(tmp_path / "x.svg").read_text("utf-8") == drawing.svg


def test_positions_of_a_transformer() -> None:
    drawing = draw(translator("pre"), "two cats", "positions")
    assert "Position encoding" in drawing.svg
    assert "every dimension" in drawing.terminal(60)


def other(part: Part[Model]) -> Predictor:
    codecs = samples.codecs()
    model = samples.scramble(part.build(*codecs.shape), scale=0.1)
    return Predictor(model, codecs, Decoding(max_ratio=1.0, max_extra=3))


def test_the_switch_of_a_model_that_copies() -> None:
    drawing = draw(other(Part(Model, "pointer_generator", {"embedding": 8})), "two cats", "switch")
    assert "generated" in drawing.svg
    assert drawing.terminal(40).splitlines()[-1] == "█ generated ░ copied"


def test_windows_are_those_that_attention_weighs_by() -> None:
    decoder = Part(Decoder, "rnn", {"attention": "gaussian_mixture"})
    asked = other(Part(Model, "encoder_decoder", {"embedding": 8, "decoder": decoder}))
    one = asked.translate("two cats", prefix="un chat")
    found = inspection.windows(asked, one)
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


def test_cells_need_a_cell() -> None:
    with pytest.raises(RecipeError, match="this model reads without a recurrent cell"):
        draw(translator("pre"), "two cats", "cells")


def test_inspect_is_on_the_front() -> None:
    assert saccade.inspect is draw


def test_a_view_that_is_not_there() -> None:
    with pytest.raises(RecipeError, match=r"no view 'beams'. Did you mean 'beam'\? Views: att"):
        draw(translator("pre"), "two cats", "beams")


def test_words_are_joined_and_rows_still_sum_to_one() -> None:
    one = inspection.translated(translator("bahdanau"), "two cats")
    maps = inspection.attention_maps(one)
    pieces, whole = inspection.looked(one, maps), inspection.looked(one, maps, whole=True)
    assert (pieces.source, pieces.target) == (one.source_tokens, one.tokens)
    assert whole.source[0].strip() == "two"
    assert whole.source[1].strip() == "cats"
    assert len(whole.source) == 3  # END is a word of its own
    for name, joined in whole.maps.items():
        assert joined.shape == (len(whole.target), 3)
        np.testing.assert_allclose(joined.sum(axis=1), 1.0, atol=1e-5)
        first = [t for t, w in enumerate(one.looker.target.words(one.hypothesis.tokens)) if not w]
        by_hand = maps[name][first][:, :3].sum(axis=1).mean()
        assert joined[0, 0] == pytest.approx(by_hand, abs=1e-5)


def test_words_can_be_asked_for() -> None:
    drawn = draw(translator("bahdanau"), "two cats", "attention", words=True).terminal(80)
    assert len(drawn) < len(draw(translator("bahdanau"), "two cats").terminal(80))


def test_a_layer_is_the_mean_of_its_heads() -> None:
    one = inspection.translated(translator("pre"), "two cats")
    maps = inspection.attention_maps(one)
    of_layer = [m for name, m in maps.items() if name.startswith("layer 2 ")]
    assert len(of_layer) > 1
    np.testing.assert_allclose(inspection.attention(one, "layer 2"), np.mean(of_layer, axis=0))
