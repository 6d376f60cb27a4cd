from collections.abc import Mapping

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from saccade.decoders.base import Decoder
from saccade.errors import RecipeError, ShapeError
from saccade.flow import Batch, Padded
from saccade.models.base import Model
from saccade.models.pointer_generator import PointerGenerator
from saccade.objectives.cross_entropy import cross_entropy
from saccade.parts import Part
from tests.samples import backward, batch_of, scramble, sides

BATCH = batch_of(([4, 5, 4], [6, 4]), ([7], [7, 5, 6]))


def build(decoder: Mapping[str, object] = {}, **options: object) -> PointerGenerator:
    own = {"hidden": 8, "dropout": 0.0, **decoder}
    whole = {"decoder": Part(Decoder, "rnn", own), "embedding": 8, "dropout": 0.0, **options}
    model = scramble(Part(Model, "pointer_generator", whole).build(*sides(9)))
    assert isinstance(model, PointerGenerator)
    return model


def test_the_mixture_by_hand() -> None:
    model = build()
    decoded = model(BATCH, look=True)
    inner = model.inner(BATCH, look=True)
    assert decoded.weights is not None
    g = torch.sigmoid(model.head.switch(inner.features))  # [B, T, 1]
    copied = torch.zeros(2, 4, 9)
    for b, row in enumerate(BATCH.source.values.tolist()):
        for s, symbol in enumerate(row):
            copied[b, :, symbol] += decoded.weights[b, :, 0, s]
    expected = g * model.head.symbols.log_probs(inner.features).exp() + (1 - g) * copied
    assert_close(model.head.log_probs(decoded.features).exp(), expected)
    assert_close(model.head.generating(decoded.features), g[:, :, 0])


@pytest.mark.parametrize("gate", [-200.0, 0.0, 200.0])
@pytest.mark.parametrize("attention", ["additive", "gaussian_mixture", "local", "hard"])
def test_probabilities_sum_to_one_however_the_switch_stands(attention: str, gate: float) -> None:
    model = build({"attention": attention})
    nn.init.zeros_(model.head.switch.weight)
    nn.init.constant_(model.head.switch.bias, gate)
    log_probs = model.head.log_probs(model(BATCH).features)
    assert log_probs.isfinite().all()
    assert_close(log_probs.exp().sum(dim=2), torch.ones(2, 4))
    backward(log_probs.sum())
    assert all(p.grad is None or p.grad.isfinite().all() for p in model.parameters())


def test_with_the_switch_at_copying_only_symbols_of_the_source_are_written() -> None:
    model = build()
    nn.init.zeros_(model.head.switch.weight)
    nn.init.constant_(model.head.switch.bias, -30.0)
    probs = model.head.log_probs(model(BATCH).features).exp()
    assert_close(probs[0, :, [3, 4, 5]].sum(dim=1), torch.ones(4))
    assert_close(probs[1, :, [3, 7]].sum(dim=1), torch.ones(4))


def test_one_map_or_the_mean_of_all() -> None:
    heads = {"attention": {"kind": "multihead", "heads": 2}}
    second, mean = build(heads, map=2), build(heads)
    decoded = second(BATCH, look=True)
    assert decoded.weights is not None
    for model, weights in ((second, decoded.weights[:, :, 1]), (mean, decoded.weights.mean(dim=2))):
        copied = model(BATCH).features[..., -9:]
        assert_close(copied[1, :, 7], weights[1, :, 0])


def test_it_learns_to_copy_symbols_it_has_never_written() -> None:
    """Trained on copies of 4 and 5, it copies 6 and 7, which it has never seen."""
    with torch.random.fork_rng():
        torch.manual_seed(1)
        decoder = Part(Decoder, "rnn", {"hidden": 16, "attention": "location"})
        model = PointerGenerator(*sides(9), decoder=decoder, embedding=8)
    seen = batch_of(*(([a, b], [a, b]) for a in (4, 5) for b in (4, 5)))
    optimiser = torch.optim.Adam(model.parameters(), lr=2e-2)
    for _ in range(80):
        optimiser.zero_grad()
        backward(cross_entropy(model, seen).total)
        optimiser.step()
    fresh = batch_of(([6, 7], [6, 7]), ([7, 6], [7, 6]))
    found = model.head.log_probs(model.eval()(fresh).features).argmax(dim=2)
    assert torch.equal(found, fresh.target.values)


def test_where_attention_finds_no_place_nothing_is_copied() -> None:
    model = build()
    source = Padded(BATCH.source.values, torch.tensor([[False] * 4, [True, True, False, False]]))
    batch = Batch({"source": source}, BATCH.target, BATCH.prefix)
    found = model.head.log_probs(model(batch).features)[0]
    assert_close(found, model.head.symbols.log_probs(model.inner(batch).features)[0])


def test_two_vocabularies_are_refused() -> None:
    message = (
        "model pointer_generator: copying needs one vocabulary, but the source has 8 symbols and"
        " the target 9. Set data.joint: true."
    )
    with pytest.raises(ShapeError, match=message):
        PointerGenerator(*sides(8, 9))


def test_without_attention_there_is_nothing_to_copy_by() -> None:
    with pytest.raises(RecipeError, match="the decoder has no attention, so there is nothing to"):
        build({"attention": "none"})


def test_a_map_that_is_not_there() -> None:
    message = r"pointer_generator.map: there is no map 2; the decoder has 1: nameless. 0 takes"
    with pytest.raises(RecipeError, match=message):
        build(map=2)
