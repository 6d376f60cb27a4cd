"""What a Transformer sees without positions, and the picture of their similarity."""

import math

import pytest
import torch

from saccade.explanations._toys import FIRST, guesses, trained
from saccade.explanations.base import explain
from saccade.explanations.positions import WAYS, PositionsMatter, similarity
from saccade.models.base import Model
from saccade.parts import Part
from saccade.tokenizers._vocabulary import END


def test_labels_name_the_word_that_came_first() -> None:
    batch = PositionsMatter(length=6)._drawn(torch.Generator().manual_seed(1), 50)
    for words, (label, end) in zip(
        batch.source.values.tolist(), batch.target.values.tolist(), strict=True
    ):
        marked = [word for word in words if word in (FIRST, FIRST + 1)]
        assert len(marked) == 2
        assert (label, end) == (marked[0], END)


def test_without_positions_words_in_any_order_have_one_label() -> None:
    small = PositionsMatter(length=6, width=8)
    layers = {"kind": "transformer", "layers": 2, "feed_forward": 8, "attention": {"heads": 2}}
    for way, same in (("none", True), ("sum", False)):
        options = {"encoder": {**layers, "positions": WAYS[way]}, "embedding": 8, "hidden": 8}
        part = Part(Model, "classifier", options)
        model = trained(part, 20, small._drawn, steps=3, seed=1).double()
        batch = small._drawn(torch.Generator().manual_seed(2), 4)
        source, turn = batch.source, torch.tensor([5, 3, 0, 4, 1, 2])
        read = [model(batch).features]
        source.values.copy_(source.values[:, turn])
        read.append(model(batch).features)
        assert torch.allclose(read[0], read[1], atol=1e-9) is same


def test_cosines_are_means_of_waves() -> None:
    alike = similarity(20, 8)
    for t, s in ((0, 0), (3, 4), (2, 19)):
        waves = [math.cos((s - t) / 10000 ** (2 * i / 8)) for i in range(4)]
        assert float(alike[t, s]) == pytest.approx(sum(waves) / 4, abs=1e-5)


@pytest.mark.slow
def test_order_is_learned_with_positions_alone() -> None:
    found = explain("positions").figures
    assert found["right none"] < 0.55
    assert min(found[f"right {way}"] for way in WAYS if way != "none") > 0.9


def test_guesses_are_the_likeliest() -> None:
    part = Part(Model, "classifier", {"embedding": 8, "hidden": 8})
    small = PositionsMatter(length=4)
    model = trained(part, 20, small._drawn, steps=1, seed=1)
    batch = small._drawn(torch.Generator().manual_seed(2), 4)
    likeliest = model.head.log_probs(model(batch).features).argmax(dim=2)
    assert torch.equal(guesses(model, batch), likeliest)
