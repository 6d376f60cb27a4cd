"""What is gathered for the views."""

import numpy as np
import pytest
import torch

from saccade.errors import DataError, RecipeError
from saccade.look import inspection
from saccade.parts import Part
from saccade.predict.predictor import Predictor
from saccade.recipe import Decoding
from saccade.search.base import Search
from saccade.views import beam_tree
from tests import samples


def translator(kind: str, search: str = "beam") -> Predictor:
    decoding = Decoding(search=Part(Search, search), max_ratio=1.0, max_extra=3)
    return Predictor(samples.untrained(kind), samples.codecs(), decoding)


def test_maps_are_found_by_name_and_made_of_all() -> None:
    one = inspection.translated(translator("pre"), "two cats")
    maps = inspection.attention_maps(one)
    stacked = np.stack(list(maps.values()))
    name = next(iter(maps))
    np.testing.assert_array_equal(inspection.attention(one, name), maps[name])
    np.testing.assert_allclose(inspection.attention(one), stacked.mean(axis=0))
    np.testing.assert_array_equal(inspection.attention(one, "max"), stacked.max(axis=0))
    with pytest.raises(RecipeError, match=r"no map 'layer 9'.*There are: mean, max, layer 1"):
        inspection.attention(one, "layer 9")


def test_a_model_without_attention_says_so() -> None:
    one = inspection.translated(translator("sutskever"), "two cats")
    for look in (inspection.attention_maps, inspection.attention, inspection.aligned):
        with pytest.raises(RecipeError, match="this model has no attention"):
            look(one)


def test_an_empty_sentence_is_refused() -> None:
    with pytest.raises(DataError, match="the sentence '' is empty; expected at least one symbol"):
        inspection.translated(translator("pre"), "")
    with pytest.raises(DataError, match="the sentence '' is empty"):
        inspection.beam(translator("pre"), "")


def test_words_are_those_of_the_alignment() -> None:
    found = inspection.aligned(inspection.translated(translator("bahdanau"), "two cats"))
    assert found.source == tuple("two cats")  # the pieces of this model are characters
    assert [t for _, t in found.points] == list(range(len(found.target)))
    assert all(0 <= s < 8 for s, _ in found.points)


def test_characters_stand_apart_if_asked() -> None:
    one = inspection.translated(translator("bahdanau"), "two cats")
    maps = inspection.attention_maps(one)
    found = inspection.looked(one, maps, whole=True, apart=True)
    assert found.source == (*"two cats", "</s>")
    for name, weights in found.maps.items():
        np.testing.assert_allclose(weights, maps[name], atol=1e-6)


@pytest.mark.parametrize("search", ["beam", "greedy"])
def test_the_tree_holds_the_winner(search: str) -> None:
    asked = translator("pre", search)
    found = inspection.beam(asked, "two cats")
    path = beam_tree.path_of(found.tree, found.winner)
    assert len(path) == len(found.winner)
    assert len([node for node in found.tree[0] if node.fate == "kept"]) == 5
    best = asked.translate("two cats", beam=5)
    assert found.tree[len(path) - 1][path[-1]].log_prob == pytest.approx(
        best.hypothesis.log_prob, abs=1e-4
    )


def test_a_beam_of_one_is_the_greedy_path() -> None:
    found = inspection.beam(translator("bahdanau"), "two cats", width=1)
    assert found.winner == found.greedy


def test_distributions_are_those_of_the_model() -> None:
    asked = translator("pre")
    one = inspection.translated(asked, "two cats")
    choices = inspection.distributions(asked, one, most=len(samples.vocabulary()))
    assert [c.written for c in choices][: len(one.tokens)] == list(one.tokens)
    assert len(choices) == len(one.token_scores)
    np.testing.assert_allclose(
        np.log([c.probability for c in choices]), one.token_scores, atol=1e-4
    )
    for choice in choices:
        p = np.array([value for _, value in choice.likeliest])
        assert p.sum() == pytest.approx(1.0, abs=1e-5)
        assert choice.entropy == pytest.approx(-(p * np.log2(p)).sum(), abs=1e-4)
        assert list(p) == sorted(p, reverse=True)


def test_looking_leaves_no_gradients() -> None:
    asked = translator("pre")
    inspection.distributions(asked, inspection.translated(asked, "two"))
    assert torch.is_grad_enabled()
    assert all(p.grad is None for p in asked.model.parameters())
