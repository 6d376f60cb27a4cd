from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn.functional import one_hot
from torch.testing import assert_close

from saccade.attention import hard
from saccade.errors import RecipeError
from saccade.models.base import Model
from saccade.objectives.base import Moment
from saccade.objectives.cross_entropy import cross_entropy
from saccade.objectives.hard_attention import HardAttention, _from_here_on
from saccade.parts import Part
from tests.samples import backward, batch_of, pairs_batch, scramble, sides, trained

MOMENT = Moment(0, torch.Generator())
BATCH = batch_of(([4], [5]), ([5], [4]))  # with END two places to look at, twice: 16 ways
WIRINGS: list[dict[str, Any]] = [
    {"wiring": "bahdanau"},
    {"wiring": "luong"},
    {"wiring": "luong", "input_feeding": False},
]
HOPS: dict[str, Any] = {"attention": {"kind": "hops", "attention": "hard"}, "wiring": "luong"}


def decode(ids: Sequence[int]) -> str:
    return str(ids)


def toy(options: dict[str, Any]) -> Model:
    decoder = {"kind": "rnn", "attention": "hard", "hidden": 3, "dropout": 0.0, **options}
    encoder = {"kind": "rnn", "hidden": 2, "dropout": 0.0}
    whole = {"encoder": encoder, "decoder": decoder, "embedding": 2, "dropout": 0.0}
    return scramble(Part(Model, "encoder_decoder", whole).build(*sides(6))).double().train()


def forced(monkeypatch: pytest.MonkeyPatch, places: Iterator[int]) -> None:
    """Let hard attention choose the places it is told, row by row, query by query."""

    def draw(probability: Tensor, _: Tensor) -> Tensor:
        told = [[next(places) for _ in row] for row in probability]
        return one_hot(torch.tensor(told), probability.shape[2]).to(probability)

    monkeypatch.setattr(hard, "draw", draw)


def likelihood(model: Model) -> tuple[Tensor, Tensor]:
    """Return the probability of the choices that are made, and the loss that follows them."""
    decoded = model(BATCH, look=True)
    assert decoded.weights is not None
    chosen, probability = decoded.weights[:, :, 0::2], decoded.weights[:, :, 1::2]
    scores = model.head.log_probs(decoded.features)
    nll = -scores.gather(2, BATCH.target.values[:, :, None]).sum()
    return (chosen * probability).sum(dim=3).prod(), nll


@pytest.mark.parametrize(
    ("options", "baseline"),
    [*product(WIRINGS, ("moving", "others")), (HOPS, "moving")],
    ids=str,
)
def test_the_estimator_is_right_on_average(
    options: dict[str, Any], baseline: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over all ways to choose, its mean is the gradient of the expected loss."""
    model = toy(options)
    ways = list(product((0, 1), repeat=8 if options is HOPS else 4))
    parameters = dict(model.named_parameters())
    exact = {name: torch.zeros_like(parameter) for name, parameter in parameters.items()}
    mean = {name: torch.zeros_like(parameter) for name, parameter in parameters.items()}
    total = 0.0
    for way in ways:
        forced(monkeypatch, iter(way))
        model.zero_grad()
        chance, nll = likelihood(model)
        total += chance.item()
        backward(chance * nll)
        for name, parameter in parameters.items():
            exact[name] += gradient(parameter)
        forced(monkeypatch, iter(way))
        model.zero_grad()
        objective = HardAttention(decode, entropy=0.0, baseline=baseline)
        if baseline == "moving":
            objective.learned["average"] = torch.tensor([0.8, 0.5])
        backward(objective(model, BATCH, MOMENT).total)
        for name, parameter in parameters.items():
            mean[name] += chance.item() * gradient(parameter)
    assert_close(total, 1.0)
    assert_close(mean, exact)


def gradient(parameter: Tensor) -> Tensor:
    found: Tensor | None = parameter.grad
    return torch.zeros_like(parameter) if found is None else found


def test_entropy_is_rewarded(monkeypatch: pytest.MonkeyPatch) -> None:
    model = toy({})
    losses = []
    for weight in (0.0, 2.0):
        forced(monkeypatch, iter([0, 1, 1, 0]))
        losses.append(HardAttention(decode, entropy=weight)(model, BATCH, MOMENT))
    forced(monkeypatch, iter([0, 1, 1, 0]))
    weights = model(BATCH, look=True).weights
    assert weights is not None
    p = weights[:, :, 1]
    entropy = -(p * p.log()).sum()
    assert_close(losses[0].total - losses[1].total, 2 * entropy)
    assert losses[0].parts["nll"] == losses[1].parts["nll"]
    assert_close(losses[0].total.item(), losses[0].parts["nll"])
    assert losses[0].count == 4


def test_the_moving_average_is_of_the_loss_of_a_symbol() -> None:
    """After losses x and y of a symbol: (0.9 x + y) / 1.9."""
    model, objective = trained("hard", 25), HardAttention(decode)
    values = []
    for _ in range(2):
        loss = objective(model, pairs_batch(), MOMENT)
        values.append(loss.parts["nll"] / loss.count)
    average = objective.learned["average"]
    assert_close((average[0] / average[1]).item(), (0.9 * values[0] + values[1]) / 1.9)
    assert HardAttention(decode, baseline="others").learned == {}


@pytest.mark.parametrize(("discount", "sums"), [(1.0, [7, 6, 4]), (0.5, [3, 4, 4]), (0, [1, 2, 4])])
def test_later_losses_count_for_less(discount: float, sums: list[float]) -> None:
    found = _from_here_on(torch.tensor([[1.0, 2.0, 4.0]]), discount)
    assert found.tolist() == [sums]


def test_reading_the_mean_is_no_choice() -> None:
    """With soft = 1 nothing is chosen: the gradient is that of soft attention, cross-entropy's."""
    model = toy({"attention": {"kind": "hard", "soft": 1.0}})
    gradients = []
    for loss in (
        HardAttention(decode, entropy=0.0)(model, BATCH, MOMENT),
        cross_entropy(model, BATCH),
    ):
        model.zero_grad()
        backward(loss.total)
        gradients.append([gradient(parameter) for parameter in model.parameters()])
    assert_close(gradients[0], gradients[1])


def test_a_model_that_chooses_nothing_is_refused() -> None:
    message = (
        "training.objective: hard_attention trains choices, but the model makes none; its attention"
        " maps are: nameless. Set the decoder's attention to hard, or the objective to"
    )
    with pytest.raises(RecipeError, match=message):
        HardAttention(decode)(trained("bahdanau", 25), pairs_batch(), MOMENT)


def test_what_it_refuses() -> None:
    with pytest.raises(RecipeError, match=r"hard_attention.reward: 0 is not above 0; 1 is the"):
        HardAttention(decode, reward=0)
    with pytest.raises(RecipeError, match=r"hard_attention.discount: 2 is not in \[0, 1\]; 1 is"):
        HardAttention(decode, discount=2)
    with pytest.raises(RecipeError, match=r"hard_attention.entropy: -1 is below 0; 0 leaves"):
        HardAttention(decode, entropy=-1)
