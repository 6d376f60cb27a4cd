"""Minimum risk: its gradient, by finite differences, and its candidates."""

import re

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from saccade.errors import RecipeError
from saccade.objectives import minimum_risk
from saccade.objectives.cross_entropy import cross_entropy
from saccade.objectives.minimum_risk import MinimumRisk, risk_of
from saccade.tokenizers._vocabulary import END
from tests.objectives import small
from tests.samples import MODELS, mask_of, randn

FIXED = [[(4, 5, END), (5, 4, END), (4, 4), (5, END)], [(5, END), (4, END), (5, END), (4, 4, END)]]


@pytest.fixture
def fixed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minimum_risk, "sampled", lambda *_: FIXED)


def test_the_expected_risk_by_hand() -> None:
    """With alpha 1 and all of two outputs, Q is p: 0.8 x 0.5 + 0.2 x 1 over what they have."""
    p = torch.tensor([[0.4, 0.1, 0.9]]).log()
    risks = torch.tensor([[0.5, 1.0, 7.0]])
    assert_close(risk_of(p, risks, mask_of(2, size=3), 1.0), torch.tensor([0.6]))
    assert_close(risk_of(p, risks, mask_of(2, size=3), 1e-9), torch.tensor([0.75]))


def test_the_gradient_of_the_expected_risk() -> None:
    log_probs = -randn(2, 3, dtype=torch.float64).abs().requires_grad_()
    risks, keep = randn(2, 3, seed=2, dtype=torch.float64).abs(), mask_of(3, 2)

    def loss(log_probs: Tensor) -> Tensor:
        return risk_of(log_probs, risks, keep, 0.5)

    assert torch.autograd.gradcheck(loss, log_probs.detach().requires_grad_())


def test_it_reads_the_turns_that_validation_reads() -> None:
    model, batch = small.hierarchical(), small.turns()
    objective = MinimumRisk(small.letters, risk="wer")
    found = objective(model, batch, small.moment())
    assert found.parts["nll"] == pytest.approx(objective.validate(model, batch).total.item())


@pytest.mark.usefixtures("fixed")
@pytest.mark.parametrize("kind", ["bahdanau", "pre"])
@pytest.mark.parametrize("options", [{}, {"reference": False, "likelihood": 0.3}], ids=str)
def test_the_gradient_of_a_whole_model_by_finite_differences(
    kind: str, options: dict[str, float]
) -> None:
    model, batch = small.model(kind), small.batch()
    objective = MinimumRisk(small.letters, risk="wer", alpha=0.7, **options)  # type: ignore[arg-type]

    def loss() -> Tensor:
        return objective(model, batch, small.moment()).total

    gradients, h = small.gradient(loss(), model), 1e-5
    for parameter, gradient in zip(model.parameters(), gradients, strict=True):
        direction = randn(*parameter.shape, seed=7, dtype=torch.float64)
        with torch.no_grad():
            parameter.add_(h * direction)
            above = loss()
            parameter.sub_(2 * h * direction)
            below = loss()
            parameter.add_(h * direction)
        assert_close((above - below) / (2 * h), (gradient * direction).sum(), atol=1e-8, rtol=1e-5)


@pytest.mark.usefixtures("fixed")
def test_candidates_are_distinct_and_the_reference_stands_first() -> None:
    objective = MinimumRisk(small.letters)
    references = [(4, 5, END), (4, END)]
    found = objective._candidates(FIXED, references)
    assert found == [FIXED[0], [(4, END), (5, END), (4, 4, END)]]
    without = MinimumRisk(small.letters, reference=False)._candidates(FIXED, references)
    assert without == [FIXED[0], [(5, END), (4, END), (4, 4, END)]]


@pytest.mark.usefixtures("fixed")
@pytest.mark.parametrize("reference", [True, False])
def test_the_likelihood_is_that_of_the_reference(reference: bool) -> None:
    model, batch = small.model(), small.batch()
    nll = cross_entropy(model, batch).total
    plain, mixed = (
        MinimumRisk(small.letters, reference=reference, likelihood=weight)(
            model, batch, small.moment()
        )
        for weight in (0.0, 0.5)
    )
    assert_close(mixed.total - plain.total, 0.5 * nll)
    assert mixed.parts["nll"] == pytest.approx(nll.item())
    assert ("nll" in plain.parts) == reference
    assert mixed.parts["risk"] == pytest.approx(plain.total.item())


@pytest.mark.usefixtures("fixed")
@pytest.mark.parametrize("kind", MODELS)
def test_the_likelier_the_right_output_the_lower_the_risk(kind: str) -> None:
    model, batch = small.model(kind), small.batch()
    objective = MinimumRisk(small.letters, risk="exact", alpha=1.0)
    before = objective(model, batch, small.moment()).total
    with torch.no_grad():
        for parameter, gradient in zip(
            model.parameters(), small.gradient(before, model), strict=True
        ):
            parameter.sub_(0.05 * gradient)
    assert objective(model, batch, small.moment()).total < before


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"alpha": 0.0}, "minimum_risk.alpha: 0.0 is not above 0; 1 is the model's own sharpness"),
        ({"samples": 0}, "minimum_risk.samples: 0 is below 1; draw 1 outputs a sentence or more."),
        (
            {"samples": 1, "reference": False},
            "minimum_risk.samples: 1 is below 2; draw 2 outputs a sentence or more.",
        ),
        ({"likelihood": -1.0}, "minimum_risk.likelihood: -1.0 is below 0; 0 leaves"),
    ],
)
def test_refuses(options: dict[str, float], text: str) -> None:
    with pytest.raises(RecipeError, match=re.escape(text)):
        MinimumRisk(str, **options)  # type: ignore[arg-type]
