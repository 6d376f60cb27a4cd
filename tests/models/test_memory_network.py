"""The memory network, against a few lines of numpy."""

from typing import Any

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from saccade.errors import RecipeError, ShapeError
from saccade.models.memory_network import MemoryNetwork
from saccade.nouns import Side
from saccade.objectives.cross_entropy import cross_entropy
from tests import stories
from tests.samples import backward


def built(**options: Any) -> MemoryNetwork:
    torch.manual_seed(1)
    return MemoryNetwork(*stories.sides(), **{"embedding": 8, "memory": 5, **options}).double()


def softmax(scores: Any) -> Any:
    e = np.exp(scores - scores.max())
    return e / e.sum()


def bag(ids: Any, E: Any) -> Any:
    words = [int(i) for i in ids if i > 3]
    J, d = len(words), E.shape[1]
    k = np.arange(1, d + 1) / d
    return sum(((1 - j / J) - k * (1 - 2 * j / J)) * E[w] for j, w in enumerate(words, start=1))


def by_hand(model: MemoryNetwork, row: int, *, linear: bool = False) -> tuple[Any, list[Any]]:
    """Answer one question as the docstring says, with matrices by their names in the paper."""
    batch = stories.batch(row)
    E, T = model.E.detach().numpy(), model.T.detach().numpy()  # type: ignore[union-attr]
    story, question = batch.sources["story"].values[0], batch.sources["question"].values[0]
    n, u, maps = len(story), bag(question, E[:, 0]), []
    if model.B is not None:
        u = bag(question, model.B.detach().numpy()[:, 0])
    for k in range(model.hops):
        at = k if model.tie == "adjacent" else 0
        m = np.stack([bag(x, E[:, at]) + T[n - 1 - i, at] for i, x in enumerate(story)])
        c = np.stack([bag(x, E[:, at + 1]) + T[n - 1 - i, at + 1] for i, x in enumerate(story)])
        scores = m @ u
        blank = np.zeros(max(0, model.slots - n))  # their scores
        p = scores if linear else softmax(np.concatenate([scores, blank]))[:n]
        maps.append(p)
        u = (u if model.H is None else model.H.weight.detach().numpy() @ u) + p @ c
    W = E[:, -1] if model.W is None else model.W.detach().numpy()[:, 0]
    return W @ u, maps


@pytest.mark.parametrize("tie", ["adjacent", "layerwise"])
@pytest.mark.parametrize("hops", [1, 2, 3])
@pytest.mark.parametrize("blanks", [True, False])
def test_hops_are_those_of_the_paper(tie: str, hops: int, blanks: bool) -> None:
    model = built(tie=tie, hops=hops, blanks=blanks).eval()
    for row in range(4):
        found = model.answer(stories.batch(row).sources, look=True)
        logits, maps = by_hand(model, row)
        assert_close(found.logits[0], torch.from_numpy(logits))
        assert found.weights is not None
        n = len(maps[0])
        assert_close(found.weights[0, :, :n], torch.from_numpy(np.stack(maps)))
        assert not found.weights[0, :, n:].any()  # words of the question


def test_a_full_memory_has_no_blanks() -> None:
    n = stories.batch(0).sources["story"].values.shape[1]
    for memory, sums_to_one in ((n, True), (n + 1, False)):
        found = built(memory=memory, blanks=True).eval().answer(stories.batch(0).sources, look=True)
        assert found.weights is not None
        total = found.weights[0].sum(dim=1)
        assert bool((total < 0.99).all()) is not sums_to_one
        assert torch.allclose(total, torch.ones_like(total)) is sums_to_one


def test_without_softmax_scores_are_weights() -> None:
    model = built().eval()
    batch = stories.batch(0)
    logits = model._ask(batch.sources, look=False, linear=True).logits
    assert_close(logits[0], torch.from_numpy(by_hand(model, 0, linear=True)[0]))
    assert model.linear(batch).features.shape == model(batch).features.shape


def test_adjacent_hops_share_their_matrices() -> None:
    adjacent, layerwise = built(hops=3), built(hops=3, tie="layerwise")
    assert adjacent.E.shape[1] == 4  # A1, C1 = A2, C2 = A3, C3 = W
    assert layerwise.E.shape[1] == 2
    assert [name for name, _ in adjacent.named_parameters()] == ["E", "T"]
    assert {name for name, _ in layerwise.named_parameters()} == {"E", "T", "H.weight", "B", "W"}


def test_a_story_alone_is_that_of_a_batch() -> None:
    model = built().eval()
    whole = model(stories.batch(), look=True)
    for row in range(4):
        alone = model(stories.batch(row), look=True)
        assert_close(alone.features[0], whole.features[row])


def swapped(batch: Any) -> Any:
    return {**batch.sources, "story": batch.sources["story"].__class__(
        batch.sources["story"].values.flip(1), batch.sources["story"].mask)}  # fmt: skip


def test_order_of_sentences_counts_only_with_time() -> None:
    batch = stories.batch(2)
    for temporal in (True, False):
        model = built(temporal=temporal).eval()
        same = torch.allclose(
            model.answer(batch.sources).logits, model.answer(swapped(batch)).logits
        )
        assert same is not temporal


def test_empty_memories_move_older_sentences() -> None:
    model = built(empty=0.5, memory=50).train()
    given = torch.ones(200, 6, dtype=torch.bool)
    torch.manual_seed(1)
    ages = model._ages(given)
    assert (ages[:, :-1] > ages[:, 1:]).all()
    assert 0.3 < (ages[:, -1] == 1).double().mean() < 0.7
    assert torch.equal(model.eval()._ages(given)[0], torch.arange(6).flip(0))
    assert int(built(memory=3).eval()._ages(given).max()) == 2


def test_learns_a_few_stories_by_heart() -> None:
    model = built(embedding=16, memory=10, empty=0.0).train()
    optimiser = torch.optim.Adam(model.parameters(), lr=0.03)
    for _ in range(80):
        loss = cross_entropy(model, stories.batch())
        optimiser.zero_grad()
        backward(loss.total)
        optimiser.step()
    found = model(stories.batch()).features[:, 0].argmax(dim=1)
    assert torch.equal(found, stories.batch().target.values[:, 0])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"hops": 0}, "memory_network.hops: 0 is below 1; nothing would be read"),
        ({"memory": 0}, "memory_network.memory: 0 is below 1; nothing would be kept"),
        ({"empty": 1.0}, r"memory_network.empty: 1.0 is not in \[0, 1\); 0.1 is usual"),
    ],
)
def test_wrong_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        built(**options)


def test_three_sources_are_refused() -> None:
    three = {name: Side(9) for name in ("story", "question", "hint")}
    with pytest.raises(ShapeError, match="memory_network: reads a story and a question, but there"):
        MemoryNetwork(three, Side(9))
