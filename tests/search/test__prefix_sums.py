import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from saccade.search._prefix_sums import (
    IMPOSSIBLE,
    Marks,
    PrefixSums,
    extended,
    next_label,
    nothing_written,
    spelling,
)
from tests.models.test__lattice import every_path, spelt
from tests.samples import randn

MARKS = Marks(2, 3)
LABELS = [(), (4,), (4, 4), (5, 4, 5), (4, 5, 5)]


def frames() -> Tensor:
    logits = randn(1, 5, 6, dtype=torch.float64)
    logits[:, :, 2:4] = -60.0
    return logits.log_softmax(dim=2)


def begins(labels: tuple[int, ...]) -> float:
    """Return log p(the output begins with labels), by listing all paths."""
    found = [p for path, p in every_path(frames()[0]) if spelt(path)[: len(labels)] == labels]
    return torch.tensor(found).double().logsumexp(0).item()


@pytest.mark.parametrize("labels", LABELS, ids=str)
def test_probabilities_are_ratios_of_prefix_sums(labels: tuple[int, ...]) -> None:
    sums = nothing_written(frames(), MARKS)
    for token in (2, *labels):
        sums = extended(sums, torch.tensor([token]), frames(), MARKS)
    every = PrefixSums(*(one[:, None] for one in sums))
    found = next_label(every, frames().exp(), MARKS)
    for c in (1, 4, 5):
        expected = max(begins((*labels, c)) - begins(labels), IMPOSSIBLE)
        assert found.log_probs[0, 0, c].item() == pytest.approx(expected, abs=1e-6)
    assert_close(found.log_probs.exp().sum(), torch.tensor(1.0).double())
    assert found.log_probs[0, 0, 0] == found.log_probs[0, 0, 2] == IMPOSSIBLE
    assert found.onset.sum().item() == pytest.approx(1.0)


def test_spelling_says_the_same_of_given_labels() -> None:
    lengths = torch.tensor([len(labels) for labels in LABELS])
    padded = torch.tensor([[*labels, *[1] * (3 - len(labels))] for labels in LABELS])
    several = frames().expand(len(LABELS), -1, -1)
    gains = spelling(several, padded, lengths, MARKS)
    for row, labels in enumerate(LABELS):
        expected = [begins(labels[: i + 1]) - begins(labels[:i]) for i in range(len(labels))]
        assert gains[row, : len(labels)].tolist() == pytest.approx(expected, abs=1e-6)
        own = [p for path, p in every_path(frames()[0]) if spelt(path) == labels]
        total = torch.tensor(own).double().logsumexp(0).item()
        assert gains[row].sum().item() == pytest.approx(total, abs=1e-6)


def test_what_cannot_be_spelt_can_only_end() -> None:
    sums = nothing_written(frames()[:, :1], MARKS)
    for token in (2, 4, 5):
        sums = extended(sums, torch.tensor([token]), frames()[:, :1], MARKS)
    every = PrefixSums(*(one[:, None] for one in sums))
    found = next_label(every, frames()[:, :1].exp(), MARKS)
    assert found.log_probs[0, 0].tolist() == [IMPOSSIBLE] * 3 + [0.0] + [IMPOSSIBLE] * 2
    assert not found.onset.any()
