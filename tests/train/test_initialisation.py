from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from saccade import recipe as recipes
from saccade.data.codecs import Codecs
from saccade.folders import model as folders
from saccade.modalities.numbers import NumbersCodec, Scale
from saccade.models.base import Model
from saccade.parts import Part
from saccade.tokenizers.character import Character
from saccade.train import weights
from saccade.train.initialisation import Undrawn
from tests.samples import codecs, text_codecs

RECIPES = Path(__file__).parents[2] / "recipes"
SHOWN = [  # the kinds of layers there are
    *("ladder/transformer", "ladder/bahdanau", "ladder/conv-s2s", "ladder/location-aware"),
    *("ladder/luong-local-p", "ladder/kernels-rnn", "cells/xml", "forecasting/elnino-dense"),
    *("classification/trec", "language/shakespeare-lstm"),
]


def _same(ours: Model, theirs: Model) -> bool:
    found, expected = dict(ours.named_parameters()), dict(theirs.named_parameters())
    return found.keys() == expected.keys() and all(
        torch.equal(tensor, expected[name]) and tensor.stride() == expected[name].stride()
        for name, tensor in found.items()
    )


@pytest.mark.parametrize("name", SHOWN)
def test_what_is_put_in_is_all_there_is(name: str) -> None:
    recipe = recipes.load(RECIPES / f"{name}.yaml")
    vocabulary = Character().fit(["abcdefgh"], [])  # 12 symbols
    sides = text_codecs(vocabulary)
    if recipe.data.target.kind == "numbers":
        scale = NumbersCodec(Scale((0.0,) * 3, (1.0,) * 3), 4)
        sides = Codecs({"source": scale}, scale)
    drawn = folders._drawn(recipe, sides)
    before = torch.random.get_rng_state()
    undrawn = folders._undrawn(recipe, sides)
    assert torch.equal(torch.random.get_rng_state(), before)
    weights.put(undrawn, weights.of(drawn), "here")
    assert _same(undrawn, drawn)
    assert {n: p.requires_grad for n, p in undrawn.named_parameters()} == {
        n: p.requires_grad for n, p in drawn.named_parameters()
    }
    assert repr(undrawn) == repr(drawn)


def test_nothing_is_drawn() -> None:
    before = torch.random.get_rng_state()
    with Undrawn():
        layer = nn.Linear(3, 4)
        nn.init.orthogonal_(layer.weight)
        nn.init.orthogonal_(torch.empty(3, 4))
        nn.init.xavier_uniform_(layer.weight)
        nn.init.normal_(layer.weight)
        assert torch.randn(2, 3, generator=torch.Generator()).shape == (2, 3)
        assert torch.arange(3).tolist() == [0, 1, 2]
    assert torch.equal(torch.random.get_rng_state(), before)


class _Holding(nn.Module):
    """Holds more than weights."""

    noise: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("noise", torch.randn(4))


def test_a_model_that_holds_more_than_weights_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = recipes.load(RECIPES / "ladder/bahdanau.yaml")
    monkeypatch.setattr(Part, "build", lambda *_: _Holding())
    found, expected = (build(recipe, codecs()) for build in (folders._undrawn, folders._drawn))
    assert torch.equal(found.get_buffer("noise"), expected.get_buffer("noise"))
