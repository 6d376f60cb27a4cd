"""Maps are chosen by name: over the input, of encoders, of decoders; alone, mixed, or all."""

import numpy as np
import pytest

from saccade.errors import RecipeError
from saccade.look.heads import choose, every_map, looked_within
from saccade.look.pictures import within_drawings
from saccade.models.base import Model
from saccade.parts import Part
from saccade.predict.prediction import Prediction
from saccade.predict.predictor import Predictor
from saccade.recipe import Decoding
from tests import samples
from tests.look.test_inspection import translator


def prediction(kind: str = "pre") -> Prediction:
    return translator(kind).translate("two cats", prefix="un chat")


def test_one_map_by_name() -> None:
    one = prediction()
    for name in ("layer 2 head 1", "encoder layer 1 head 3", "decoder layer 2 head 4"):
        found = choose(one, name)
        expected = {**one.attention_maps, **one.self_attention}[name]
        np.testing.assert_array_equal(found.maps[name], expected)
        assert (found.within is None) is name.startswith("layer")


@pytest.mark.parametrize("head", ["encoder layer 2", "encoder", "decoder", "layer 1"])
def test_a_layer_is_made_of_its_heads(head: str) -> None:
    one = prediction()
    maps = {**one.attention_maps, **one.self_attention}
    own = [m for name, m in maps.items() if name.startswith(f"{head} ")]
    (mean,) = choose(one, head).maps.values()
    (most,) = choose(one, f"{head} max").maps.values()
    np.testing.assert_allclose(mean, np.mean(own, axis=0), atol=1e-6)
    np.testing.assert_allclose(most, np.max(own, axis=0))
    assert len(choose(one, f"{head} all").maps) == len(own)
    assert list(every_map(one, head).maps) == list(choose(one, f"{head} all").maps)


def test_titles_say_what_was_made() -> None:
    one = prediction()
    assert list(choose(one).maps) == ["Attention, mean of all maps"]
    assert list(choose(one, "encoder max").maps) == ["encoder, max of its maps"]
    assert list(choose(one, "decoder layer 2").maps) == ["decoder layer 2, mean of its maps"]
    assert list(choose(prediction("bahdanau")).maps) == ["Attention"]


def test_several_of_one_side() -> None:
    one = prediction()
    names = ["encoder layer 1 head 1", "encoder layer 2 head 3"]
    assert list(choose(one, ", ".join(names)).maps) == names
    message = "names maps over different places: over the input, encoder; expected maps of one side"
    with pytest.raises(RecipeError, match=message):
        choose(one, "layer 1, encoder layer 1")


def test_a_map_that_is_not_there() -> None:
    message = r"no map 'encoder layer 9'\. .*There are: mean, max, all, layer 1 head 1, .*encoder"
    with pytest.raises(RecipeError, match=message):
        choose(prediction(), "encoder layer 9")
    with pytest.raises(RecipeError, match="inspect: this model has no attention"):
        choose(prediction("sutskever"), "encoder")


def test_the_axes_of_an_encoder_are_what_was_read() -> None:
    one = prediction()
    chosen = choose(one, "encoder")
    assert chosen.within is not None
    pieces = looked_within(one, chosen.maps, chosen.within)
    assert pieces.source == pieces.target == one.source_tokens
    assert pieces.within
    words = looked_within(one, chosen.maps, chosen.within, whole=True)
    assert [word.strip("▁") for word in words.target] == ["two", "cats", "</s>"]
    (weights,), (whole,) = chosen.maps.values(), words.maps.values()
    np.testing.assert_allclose(whole.sum(axis=1), 1.0, atol=1e-5)
    np.testing.assert_allclose(whole[0, 0], weights[:3, :3].sum(axis=1).mean(), atol=1e-5)


def test_the_axes_of_a_decoder_are_shifted_by_one() -> None:
    one = prediction()
    chosen = choose(one, "decoder layer 1 head 1")
    assert chosen.within is not None
    found = looked_within(one, chosen.maps, chosen.within)
    assert found.target == one.tokens
    assert found.source == ("<s>", *one.tokens[:-1])
    words = looked_within(one, chosen.maps, chosen.within, whole=True)
    assert words.source[0] == "<s>"
    assert len(words.source) in (len(words.target), len(words.target) + 1)
    (whole,) = words.maps.values()
    assert whole.shape == (len(words.target), len(words.source))
    np.testing.assert_allclose(whole.sum(axis=1), 1.0, atol=1e-5)


def test_a_model_that_only_looks_within() -> None:
    codecs = samples.codecs()
    small = {"kind": "transformer", "layers": 1, "feed_forward": 8, "attention": {"heads": 2}}
    model = Part(Model, "language_model", {"embedding": 8, "decoder": small}).build(*codecs.shape)
    found = Predictor(samples.scramble(model), codecs, Decoding(max_extra=4)).translate("un")
    assert found.attention_maps == {}
    assert list(choose(found).maps) == ["decoder, mean of its maps"]
    assert list(every_map(found, "mean").maps) == [f"decoder layer 1 head {i}" for i in (1, 2)]


def test_small_pictures_of_every_side() -> None:
    one = prediction()
    drawn = within_drawings(one)
    assert list(drawn) == ["encoder", "decoder"]
    assert "encoder layer 2 head 4" in drawn["encoder"].svg
    n = len(one.source_tokens) ** 2
    layers = within_drawings(one, most=2 * max(n, len(one.tokens) ** 2))
    assert "encoder layer 2, mean" in layers["encoder"].svg
    assert "head" not in layers["encoder"].svg.replace("heads", "")
    assert within_drawings(one, most=10) == {}
    assert within_drawings(prediction("bahdanau")) == {}
