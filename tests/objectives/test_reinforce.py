"""REINFORCE: its estimate, weighed over all that can be drawn, is the exact gradient."""

import itertools
import re
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from saccade.errors import RecipeError
from saccade.objectives._outputs import log_probs_of, references_of, risks_of
from saccade.objectives.cross_entropy import cross_entropy
from saccade.objectives.reinforce import Reinforce, estimate, facts_of, leave_one_out, regressed
from tests.objectives import small
from tests.samples import MODELS, randn
from tests.train import small as runs

BASELINES = ("greedy", "leave_one_out", "learned")


def toy(kind: str = "bahdanau") -> tuple[Any, Tensor, Tensor]:
    """All outputs of one sentence: the model, their log-probabilities `[N]`, their risks `[N]`."""
    model, batch, outputs = small.model(kind), small.batch(), small.outputs(2)
    log_probs = log_probs_of(model, batch.sources, [outputs] * 2)[0]
    found = risks_of("wer", small.letters, [outputs], references_of(batch)[:1])[0]
    return model, log_probs, torch.tensor(found, dtype=torch.float64)


def expected(model: Any, p: Tensor, estimates: Tensor) -> list[Tensor]:
    """Weigh each estimate by how often it comes and return the mean gradient."""
    return small.gradient((p.detach() * estimates).sum(), model)


@pytest.mark.parametrize("kind", ["bahdanau", "post"])
@pytest.mark.parametrize("baseline", [0.0, 0.3, -2.0])
def test_unbiased_with_any_constant(kind: str, baseline: float) -> None:
    model, log_probs, risks = toy(kind)
    exact = torch.autograd.grad(
        (log_probs.exp() * risks).sum(), list(model.parameters()), retain_graph=True
    )
    p, constant = log_probs.exp(), torch.full((1, 1), baseline)
    found = expected(model, p, estimate(log_probs[:, None], risks[:, None], constant))
    for one, two in zip(found, exact, strict=True):
        assert_close(one, two)


@pytest.mark.parametrize("kind", ["bahdanau", "post"])
def test_unbiased_leaving_one_out(kind: str) -> None:
    """Over all pairs of draws, each as often as it comes."""
    model, log_probs, risks = toy(kind)
    exact = torch.autograd.grad(
        (log_probs.exp() * risks).sum(), list(model.parameters()), retain_graph=True
    )
    pairs = torch.tensor(list(itertools.product(range(len(risks)), repeat=2)))  # [M, 2]
    p = log_probs[pairs].exp().prod(dim=1)  # [M]
    baseline = leave_one_out(1 - risks[pairs])
    found = expected(model, p, estimate(log_probs[pairs], risks[pairs], baseline))
    for one, two in zip(found, exact, strict=True):
        assert_close(one, two)


def test_the_value_is_the_risk() -> None:
    log_probs, risks = randn(3, 4).requires_grad_(), randn(3, 4, seed=2).abs()
    assert_close(estimate(log_probs, risks, leave_one_out(1 - risks)), risks.mean(dim=1))


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("baseline", BASELINES)
def test_the_likelihood_is_added(kind: str, baseline: Any) -> None:
    model, batch = small.model(kind), small.batch()
    plain, mixed = (
        Reinforce(small.letters, baseline=baseline, likelihood=weight)(model, batch, small.moment())
        for weight in (0.0, 0.5)
    )
    assert_close(mixed.total - plain.total, 0.5 * cross_entropy(model, batch).total)
    assert mixed.parts["risk"] == pytest.approx(plain.total.item())
    assert "nll" not in plain.parts


def test_it_reads_the_turns_that_validation_reads() -> None:
    """The second of its facts is the mean log-probability of the reference."""
    model, batch = small.hierarchical(), small.turns()
    validated = Reinforce(small.letters).validate(model, batch)
    total = (facts_of(model, batch)[:, 1] * batch.target.lengths).sum()
    assert_close(-total, validated.total.detach())
    loss = Reinforce(small.letters, risk="wer")(model, batch, small.moment())
    assert loss.count == validated.count


def test_a_greedy_baseline_is_silent_where_sampling_is_no_better() -> None:
    """A model sure of one output draws what it writes greedily: nothing to learn."""
    model, batch = small.model(), small.batch()
    with torch.no_grad():
        model.get_parameter("head.bias")[4] = 1e4
    total = Reinforce(small.letters, risk="cer")(model, batch, small.moment()).total
    assert all((gradient == 0).all() for gradient in small.gradient(total, model))


def test_the_learned_baseline_learns() -> None:
    """Rewards that are a linear function of the facts are foretold after some batches."""
    w = torch.tensor([0.5, 0.2, -0.1, 0.3, 0.05], dtype=torch.float64)
    gram, cross = torch.zeros(5, 5, dtype=torch.float64), torch.zeros(5, dtype=torch.float64)
    assert_close(regressed(gram, cross), torch.zeros(5, dtype=torch.float64))
    for seed in range(200):
        facts = randn(30, 5, seed=seed, dtype=torch.float64)
        gram, cross = gram + facts.T @ facts, cross + facts.T @ (facts @ w)
    assert_close(regressed(gram, cross), w, atol=1e-3, rtol=0)


def test_the_learned_baseline_remembers_what_it_saw_and_judges_before_it_looks() -> None:
    model, batch = small.model(), small.batch()
    objective = Reinforce(small.letters, baseline="learned", risk="cer")
    rewards = torch.tensor([[1.0, 0.0], [0.5, 0.5]], dtype=torch.float64)
    assert_close(objective._baseline(model, batch, rewards), torch.zeros(2, 1).double())
    facts = facts_of(model, batch)
    assert_close(objective.learned["gram"], facts.T @ facts)
    assert_close(objective.learned["cross"], facts.T @ rewards.mean(dim=1))
    found = rewards
    for _ in range(300):
        found = objective._baseline(model, batch, rewards)
    assert_close(found, torch.full((2, 1), 0.5).double(), atol=0.02, rtol=0)


def test_the_facts_do_not_know_padding() -> None:
    model, batch = small.model(), small.batch()
    facts = facts_of(model, batch)
    log_probs = log_probs_of(model, batch.sources, [[one] for one in references_of(batch)])
    assert_close(facts[:, 1], log_probs[:, 0].detach() / torch.tensor([3, 2]))
    assert_close(facts[:, 4], torch.tensor([3, 2]).double().log())
    assert (facts[:, 2] <= facts[:, 1]).all()


def test_a_resumed_run_has_the_baseline_it_had(tmp_path: Path) -> None:
    options: dict[str, Any] = {
        "objective": {"kind": "reinforce", "baseline": "learned", "risk": "cer", "samples": 2}
    }
    runs.run(tmp_path / "whole", **options, max_steps=6)
    runs.run(tmp_path / "parts", **options, max_steps=3)
    runs.run(tmp_path / "parts", resume=True, **options, max_steps=6)
    runs.assert_same(tmp_path / "whole", tmp_path / "parts")


def test_refuses() -> None:
    text = "reinforce.samples: 1 is below 2; draw 2 outputs a sentence or more."
    with pytest.raises(RecipeError, match=re.escape(text)):
        Reinforce(str, baseline="leave_one_out", samples=1)
    with pytest.raises(RecipeError, match=re.escape("reinforce.likelihood: -1.0 is below 0")):
        Reinforce(str, likelihood=-1.0)
