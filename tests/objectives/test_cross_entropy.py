import re

import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy
from torch.testing import assert_close

from saccade.errors import RecipeError
from saccade.flow import Batch, Decoded, Padded
from saccade.heads.base import Categorical
from saccade.models.base import Model
from saccade.objectives.base import Moment
from saccade.objectives.cross_entropy import CrossEntropy
from tests.samples import mask_of, randn

V = 7
TARGET = Padded(torch.tensor([[4, 5, 3], [6, 3, 0]]), mask_of(3, 2))
BATCH = Batch({"source": TARGET}, TARGET, TARGET.values)
MOMENT = Moment(0, torch.Generator())


class Softmax(Categorical):
    """Takes features for logits."""

    def log_probs(self, features: Tensor) -> Tensor:
        return features.log_softmax(dim=-1)


class Table(Model):
    """Knows by heart a score for every place and symbol."""

    def __init__(self, logits: Tensor) -> None:
        super().__init__()
        self.logits = nn.Parameter(logits)
        self.head = Softmax(V, V)

    def forward(self, batch: Batch, *, look: bool = False) -> Decoded:
        return Decoded(self.logits, None)

    @property
    def attention_names(self) -> tuple[str, ...]:
        return ()


@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.5])
def test_equals_torchs(smoothing: float) -> None:
    logits = randn(2, 3, V)
    ignored = TARGET.values.masked_fill(~TARGET.mask, -100)
    expected = cross_entropy(
        logits.flatten(0, 1), ignored.flatten(), label_smoothing=smoothing, reduction="sum"
    )
    plain = cross_entropy(logits.flatten(0, 1), ignored.flatten(), reduction="sum")
    loss = CrossEntropy(str, smoothing=smoothing)(Table(logits), BATCH, MOMENT)
    assert_close(loss.total, expected)
    assert loss.count == 5
    assert loss.parts["nll"] == pytest.approx(plain.item())


def test_padding_never_counts() -> None:
    logits = randn(2, 3, V)
    other = logits.clone()
    other[1, 2] = 1e4
    first, second = (CrossEntropy(str)(Table(one), BATCH, MOMENT) for one in (logits, other))
    assert torch.equal(first.total, second.total)
    model = Table(logits)
    torch.autograd.backward([CrossEntropy(str)(model, BATCH, MOMENT).total])
    assert model.logits.grad is not None
    assert (model.logits.grad[1, 2] == 0).all()


def test_sums_add_up_over_batches() -> None:
    logits, objective = randn(2, 3, V), CrossEntropy(str)
    whole = objective(Table(logits), BATCH, MOMENT)
    rows = [
        Batch({"source": one}, one, one.values)
        for one in (Padded(TARGET.values[i : i + 1], TARGET.mask[i : i + 1]) for i in range(2))
    ]
    parts = [objective(Table(logits[i : i + 1]), row, MOMENT) for i, row in enumerate(rows)]
    assert_close(whole.total, parts[0].total + parts[1].total)
    assert whole.count == parts[0].count + parts[1].count


def test_gradients_are_right() -> None:
    def loss(logits: Tensor) -> Tensor:
        model = Table(logits)
        del model.logits
        model.logits = logits  # type: ignore[assignment]
        return CrossEntropy(str, smoothing=0.2)(model, BATCH, MOMENT).total

    assert torch.autograd.gradcheck(loss, randn(2, 3, V, dtype=torch.float64).requires_grad_())


@pytest.mark.parametrize("smoothing", [-0.1, 1.0])
def test_refuses_a_smoothing_that_is_no_share(smoothing: float) -> None:
    text = f"cross_entropy.smoothing: {smoothing} is not in [0, 1); 0 is none, 0.1 is usual."
    with pytest.raises(RecipeError, match=re.escape(text)):
        CrossEntropy(str, smoothing=smoothing)
