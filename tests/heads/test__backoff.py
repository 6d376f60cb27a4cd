"""A back-off table is looked up as one node after the other says, and is whole when it is read."""

import pytest
import torch
from torch.testing import assert_close

from saccade.errors import CheckpointError
from saccade.heads._backoff import NEVER, BackoffHead, fault, uniform
from saccade.kernels.backoff import ROOT, BackoffTable
from saccade.tokenizers._vocabulary import PAD, START

# five symbols; n-grams 4, 4 4, 3 4 4; contexts are the root, five symbols and two pairs
A, B = 4, 3
TABLE = BackoffTable(
    keys=torch.tensor([-1, 0, 1, 2, 3, 4, 4 * 5 + A, 5 * 5 + A, 6 * 5 + A]),
    suffixes=torch.tensor([0, 0, 0, 0, 0, 0, 5, 5, 7], dtype=torch.int32),
    begins=torch.tensor([1, 6, 6, 6, 6, 7, 8, 9, 9], dtype=torch.int32),
    scores=torch.tensor([NEVER, NEVER, -3.0, NEVER, -2.0, -1.0, -0.5, -0.4, -0.1]),
    backoffs=torch.tensor([0.0, 0.0, 0.0, 0.0, -0.3, -0.2, -0.6, -0.7]),
)
LONGEST = 6  # the context 3 4


def head() -> BackoffHead:
    made = BackoffHead(1, 5, None)
    made.put(TABLE)
    return made


def test_a_symbol_is_looked_up_behind_ever_shorter_contexts() -> None:
    contexts = torch.tensor([LONGEST, LONGEST, LONGEST, 5, 7, ROOT])
    symbols = torch.tensor([A, B, 1, A, B, A])
    expected = [-0.1, -0.6 - 0.2 - 2.0, -0.6 - 0.2 - 3.0, -0.4, -0.7 - 0.2 - 2.0, -1.0]
    assert_close(head().look_up(contexts, symbols), torch.tensor(expected))
    rows = head().log_probs(contexts[:, None])
    assert_close(rows.gather(1, symbols[:, None])[:, 0], torch.tensor(expected))


def test_rows_of_any_shape_are_those_of_single_contexts() -> None:
    contexts = torch.tensor([[LONGEST, 0], [5, LONGEST], [1, 7]])
    rows = head().log_probs(contexts[:, :, None])
    assert rows.shape == (3, 2, 5)
    for i in range(3):
        for j in range(2):
            alone = [head().look_up(contexts[i, j : j + 1], torch.tensor([w])) for w in range(5)]
            assert torch.equal(rows[i, j], torch.cat(alone))


def test_a_context_is_the_longest_that_is_known() -> None:
    found = head().walk(torch.tensor([ROOT, 4, 5, 6, 7]), torch.tensor([B, A, A, A, 1]))
    assert found.tolist() == [4, 6, 7, 7, 2]  # 3 4 4 is no context: 4 4 is


def test_smoothing_counts_every_symbol() -> None:
    total, each = head().loss(torch.tensor([[5]]), torch.tensor([A]), smoothing=0.5)
    row = head().log_probs(torch.tensor([[5]]))[0]
    assert total.item() == pytest.approx(0.5 * 0.4 - 0.5 * row.mean().item())
    assert each.tolist() == pytest.approx([0.4])


def test_who_has_seen_nothing_finds_all_alike() -> None:
    made = uniform(7)
    assert fault(made, 7) == ""
    rows = BackoffHead(1, 7, None).log_probs(torch.tensor([[ROOT]])).exp()[0]
    assert rows.sum().item() == pytest.approx(1)
    assert rows[PAD] == rows[START] == 0
    assert rows[1] == pytest.approx(1 / 5)


@pytest.mark.parametrize(
    ("name", "place", "value", "told"),
    [
        ("keys", 7, 24, "its nodes are not in order"),
        ("keys", 8, 8 * 5 + A, "a node stands before its context"),
        ("begins", 4, 7, "its contexts do not find their nodes"),
        ("suffixes", 6, 6, "a suffix is no shorter context"),
        ("suffixes", 8, -1, "a suffix is no shorter context"),
        ("scores", 3, float("nan"), "a number is not finite"),
        ("scores", 5, 0.5, "a probability is above 1"),
    ],
)
def test_a_damaged_table_is_refused(name: str, place: int, value: float, told: str) -> None:
    given = {key: one.clone() for key, one in TABLE._asdict().items()}
    BackoffHead(1, 5, None).accept(given, "lm/model.safetensors")
    given[name][place] = value
    with pytest.raises(CheckpointError, match=f"lm/model.safetensors: {told}; expected a back-off"):
        BackoffHead(1, 5, None).accept(given, "lm/model.safetensors")


def test_other_arrays_are_refused() -> None:
    given = dict(TABLE._asdict())
    with pytest.raises(
        CheckpointError, match=r"lm: the weights are another model.s: backoffs is missing"
    ):
        BackoffHead(1, 5, None).accept({k: v for k, v in given.items() if k != "backoffs"}, "lm")
    with pytest.raises(CheckpointError, match="its numbers are int64, int64, int32, float32"):
        BackoffHead(1, 5, None).accept({**given, "suffixes": TABLE.suffixes.long()}, "lm")
    with pytest.raises(CheckpointError, match=r"its arrays have the shapes \[9\], \[8\], \[9\]"):
        BackoffHead(1, 5, None).accept({**given, "suffixes": TABLE.suffixes[:-1]}, "lm")
    with pytest.raises(CheckpointError, match="expected a back-off table of 6 symbols"):
        BackoffHead(1, 6, None).accept(given, "lm")
