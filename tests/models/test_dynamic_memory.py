"""The dynamic memory network: its gate and its reading by hand."""

from typing import Any

import pytest
import torch
from torch.testing import assert_close

from saccade.errors import RecipeError
from saccade.models.dynamic_memory import AttentionGru, DynamicMemory, interactions
from saccade.objectives.cross_entropy import cross_entropy
from tests import stories
from tests.samples import backward


def built(**options: Any) -> DynamicMemory:
    torch.manual_seed(1)
    return DynamicMemory(*stories.sides(), **{"embedding": 8, "dropout": 0.0, **options}).double()


def test_the_gate_is_that_of_the_paper() -> None:
    model = built(episodes=1).eval()
    batch = stories.batch(0)
    facts = model._facts(batch.sources["story"]).states[0]  # [N, D]
    q = model._question(batch.sources, 1)[0]  # [D]
    weights = dict(model.named_parameters())
    W1, b1, v, b2 = (weights[f"gate.{n}"] for n in ("0.weight", "0.bias", "2.weight", "2.bias"))
    scores = []
    for f in facts:
        z = torch.cat([f * q, f * q, (f - q).abs(), (f - q).abs()])  # m = q at first
        scores.append(v[0] @ torch.tanh(W1 @ z + b1) + b2[0])
    g = torch.stack(scores).softmax(dim=0)
    found = model.answer(batch.sources, look=True)
    assert found.weights is not None
    assert_close(found.weights[0, 0, : len(facts)], g)
    c = model.reading(facts[None], g[None])[0]  # type: ignore[misc]
    m = (weights["update.0.weight"] @ torch.cat([q, c, q]) + weights["update.0.bias"]).relu()
    assert_close(found.logits[0], model.output.weight @ torch.cat([q, m]) + model.output.bias)


def test_the_attention_gru_by_hand() -> None:
    gru = AttentionGru(3).double()
    facts, gates = torch.randn(1, 4, 3).double(), torch.rand(1, 4).double()
    (Wr, W), (br, b) = gru.W.weight.chunk(2), gru.W.bias.chunk(2)
    Ur, U = gru.U.weight.chunk(2)
    h = torch.zeros(3).double()
    for f, g in zip(facts[0], gates[0], strict=True):
        r = torch.sigmoid(Wr @ f + br + Ur @ h)
        h = g * torch.tanh(W @ f + b + r * (U @ h)) + (1 - g) * h
    assert_close(gru(facts, gates)[0], h)


def test_a_closed_gate_changes_nothing() -> None:
    gru, facts = AttentionGru(3), torch.randn(1, 5, 3)
    gates = torch.tensor([[0.3, 0.7, 0.0, 0.0, 0.0]])
    assert_close(gru(facts, gates), gru(facts[:, :2], gates[:, :2]))


def test_interactions_compare_with_question_and_memory() -> None:
    f, q, m = torch.ones(1, 1, 1), torch.full((1, 1), 2.0), torch.full((1, 1), 5.0)
    assert interactions(f, q, m).tolist() == [[[2.0, 5.0, 1.0, 4.0]]]


@pytest.mark.parametrize("reading", ["gru", "sum"])
@pytest.mark.parametrize("update", ["relu", "gru"])
def test_a_story_alone_is_that_of_a_batch(reading: str, update: str) -> None:
    model = built(reading=reading, update=update).eval()
    whole = model(stories.batch(), look=True)
    for row in range(4):
        alone = model(stories.batch(row), look=True)
        assert_close(alone.features[0], whole.features[row])
        n = stories.batch(row).sources["story"].mask.shape[1]
        assert alone.weights is not None
        assert whole.weights is not None
        assert_close(alone.weights[0, :, :, :n], whole.weights[row, :, :, :n])


def test_learns_a_few_stories_by_heart() -> None:
    model = built(embedding=16, episodes=2).train()
    optimiser = torch.optim.Adam(model.parameters(), lr=0.02)
    for _ in range(40):
        loss = cross_entropy(model, stories.batch())
        optimiser.zero_grad()
        backward(loss.total)
        optimiser.step()
    found = model(stories.batch()).features[:, 0].argmax(dim=1)
    assert torch.equal(found, stories.batch().target.values[:, 0])


def test_episodes_are_needed() -> None:
    with pytest.raises(RecipeError, match=r"dynamic_memory.episodes: 0 is below 1; expected some"):
        built(episodes=0)
