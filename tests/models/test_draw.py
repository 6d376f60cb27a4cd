"""DRAW: its bound, what it invents, and how it learns."""

from typing import Any

import pytest
import torch
from torch import Tensor
from torch.distributions import Normal, kl_divergence
from torch.nn.functional import binary_cross_entropy_with_logits

from saccade.errors import RecipeError
from saccade.flow import Batch, Padded
from saccade.kernels.precision import Precision, products
from saccade.models.draw import DrawModel, _divergence
from saccade.models.tagger import Tagger
from saccade.nouns import Side
from saccade.objectives.base import Moment
from saccade.objectives.variational import Variational
from saccade.search._follow import follow
from tests.samples import backward


def model(**options: Any) -> DrawModel:
    torch.manual_seed(1)
    given = {"height": 4, "steps": 3, "read": 2, "write": 2, "latent": 3, "hidden": 16, **options}
    return DrawModel({"source": Side(9)}, Side(5, head="bernoulli"), **given).double()


def batch(n_rows: int = 4) -> Batch:
    pictures = torch.rand(n_rows, 4, 5, generator=torch.Generator().manual_seed(2)).round().double()
    labels = torch.tensor([[5, 2], [6, 2], [5, 2], [7, 2]])[:n_rows]
    source = Padded(labels, torch.ones_like(labels, dtype=torch.bool))
    target = Padded(pictures, torch.ones(n_rows, 4, dtype=torch.bool))
    return Batch({"source": source}, target, torch.zeros_like(pictures))


def nats(drawing: DrawModel, given: Batch) -> Tensor:
    """Return the bound of every picture."""
    features = drawing(given).features
    _, each = drawing.head.loss(features.flatten(0, 1), given.target.values.flatten(0, 1))
    return each.view(features.shape[:2]).sum(dim=1)


def test_the_divergence_is_that_of_two_normal_distributions() -> None:
    mean, log_scale = torch.randn(2, 4, 3, dtype=torch.float64)
    expected = kl_divergence(Normal(mean, log_scale.exp()), Normal(0.0, 1.0)).sum(dim=1)
    assert torch.allclose(_divergence(mean, log_scale), expected)


@pytest.mark.parametrize("attention", [True, False])
def test_the_bound_is_what_was_told_and_what_is_still_unlikely(attention: bool) -> None:
    drawing, given = model(attention=attention), batch(1)
    pictures = given.target.values
    noise = drawing.noise[int(pictures.sum()) % len(drawing.noise)][None]
    drawn = drawing.copy(pictures, given.sources, noise)
    wrong = binary_cross_entropy_with_logits(drawn.canvas[:, -1], pictures, reduction="sum")
    assert nats(drawing, given).item() == pytest.approx((drawn.told + wrong).item())
    assert drawn.told > 0
    assert drawn.canvas.shape == (1, 3, 4, 5)


@pytest.mark.parametrize("conditional", [True, False])
def test_a_picture_alone_has_the_nats_that_it_has_in_a_batch(conditional: bool) -> None:
    drawing, given = model(conditional=conditional), batch()
    alone = Batch(
        {"source": given.source.rows(torch.tensor([2]))},
        given.target.rows(torch.tensor([2])),
        given.prefix[2:3],
    )
    assert torch.allclose(nats(drawing, given)[2:3], nats(drawing, alone), atol=1e-12)


def test_rows_are_written_from_one_canvas() -> None:
    drawing, given = model(), batch(2)
    zeros = torch.zeros(2, 3, 3, dtype=torch.float64)
    canvas = drawing.invent(zeros, given.sources).canvas[:, -1]
    found = follow(drawing.follow, drawing.start(given.sources), torch.zeros(2, 5).double(), 4)
    assert torch.equal(found, (canvas > 0).double())


def test_a_draw_depends_on_its_chance_alone() -> None:
    drawing, given = model(), batch(3)
    chance = torch.rand(4, 3, drawing.head.n_uniform, dtype=torch.float64)
    chance[:, 2] = chance[:, 0]

    def pictures(bias: float) -> Tensor:
        numbers = iter(chance)
        return follow(
            lambda token, state: drawing.draw(token, state, next(numbers), bias),
            drawing.start(given.sources),
            torch.zeros(3, 5).double(),
            4,
        )

    wild = pictures(0.0)
    assert torch.equal(wild[0], wild[2])
    assert not torch.equal(wild[0], wild[1])
    best = follow(drawing.follow, drawing.start(given.sources), torch.zeros(3, 5).double(), 4)
    assert torch.equal(pictures(float("inf")), best)


@pytest.mark.parametrize("attention", [True, False])
def test_it_learns_two_pictures(attention: bool) -> None:
    drawing, given = model(attention=attention, hidden=32, write=4), batch(2)
    objective, generator = Variational(str), torch.Generator().manual_seed(1)
    optimiser = torch.optim.Adam(drawing.parameters(), lr=0.01)
    before = float(nats(drawing, given).mean())
    for step in range(120):
        loss = objective(drawing, given, Moment(step, generator))
        assert loss.count == 8
        optimiser.zero_grad()
        backward(loss.total / 2)
        optimiser.step()
    assert float(nats(drawing, given).mean()) < 0.6 * before


def test_products_may_be_in_bfloat16() -> None:
    drawing, given = model().float(), batch()
    losses = []
    precisions: tuple[Precision, ...] = ("float32", "bfloat16")
    for precision in precisions:
        moment = Moment(0, torch.Generator().manual_seed(1))
        with products(precision, torch.device("cpu")):
            losses.append(Variational(str)(drawing, given, moment).total)
    assert losses[1].dtype is torch.float32
    assert losses[1].item() == pytest.approx(losses[0].item(), rel=0.02)
    backward(losses[1])
    assert all(p.grad is not None and p.grad.isfinite().all() for p in drawing.parameters())


def test_another_model_is_refused() -> None:
    tagger = Tagger({"source": Side(9)}, Side(7))
    with pytest.raises(RecipeError, match="variational trains what is told step by step"):
        Variational(str)(tagger, batch(), Moment(0, torch.Generator()))


def test_absurd_options_are_refused() -> None:
    with pytest.raises(RecipeError, match=r"draw\.steps: found 0; expected 1 to 128"):
        model(steps=0)
