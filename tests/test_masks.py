import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.testing import assert_close

from saccade.flow import causal, from_lengths, last, masked_softmax, reverse
from tests.samples import mask_of, randn

calm = settings(deadline=None, max_examples=25)
lengths = st.lists(st.integers(0, 6), min_size=1, max_size=5)


@st.composite
def scores_and_masks(draw: st.DrawFn) -> tuple[Tensor, Tensor]:
    rows, places = draw(st.integers(1, 4)), draw(st.integers(1, 6))
    n = rows * places
    numbers = draw(st.lists(st.floats(-1e4, 1e4, width=32), min_size=n, max_size=n))
    kept = draw(st.lists(st.booleans(), min_size=n, max_size=n))
    return torch.tensor(numbers).view(rows, places), torch.tensor(kept).view(rows, places)


@calm
@given(scores_and_masks())
def test_masked_softmax_shares_one_among_the_kept(given: tuple[Tensor, Tensor]) -> None:
    scores, mask = given
    weights = masked_softmax(scores, mask)
    assert (weights >= 0).all()
    assert (weights[~mask] == 0).all()
    assert_close(weights.sum(dim=1), mask.any(dim=1).float())
    for row, kept, share in zip(scores, mask, weights, strict=True):
        assert_close(share[kept], row[kept].softmax(dim=0))


@calm
@given(scores_and_masks(), st.floats(-100, 100, width=32))
def test_masked_softmax_does_not_see_a_shift(given: tuple[Tensor, Tensor], shift: float) -> None:
    scores, mask = given
    scores = scores / 1e3
    assert_close(
        masked_softmax(scores + shift, mask), masked_softmax(scores, mask), atol=1e-4, rtol=1e-3
    )


def test_masked_softmax_has_gradients_of_numbers_only() -> None:
    scores = randn(3, 4, dtype=torch.float64).requires_grad_()
    mask = mask_of(4, 2, 0)
    assert torch.autograd.gradcheck(lambda e: masked_softmax(e, mask), scores)
    half = masked_softmax(torch.zeros(2, 2, dtype=torch.float16), mask_of(1, 0, size=2))
    assert half.tolist() == [[1.0, 0.0], [0.0, 0.0]]


@calm
@given(lengths)
def test_reversing_twice_changes_nothing(lengths: list[int]) -> None:
    mask = from_lengths(torch.tensor(lengths), 6)
    states = randn(len(lengths), 6, 2)
    turned = reverse(states, mask)
    assert torch.equal(reverse(turned, mask), states)
    for row, back, n in zip(states, turned, lengths, strict=True):
        assert torch.equal(back[:n], row[:n].flip(0))
        assert torch.equal(back[n:], row[n:])


@calm
@given(lengths)
def test_last_is_the_last_kept_place(lengths: list[int]) -> None:
    states = randn(len(lengths), 6, 2)
    found = last(states, from_lengths(torch.tensor(lengths), 6))
    for row, one, n in zip(states, found, lengths, strict=True):
        assert torch.equal(one, row[n - 1] if n else torch.zeros(2))


def test_last_of_nothing_is_zero_even_if_the_padding_is_not_a_number() -> None:
    states = torch.full((1, 2, 3), torch.nan)
    assert last(states, mask_of(0, size=2)).tolist() == [[0.0, 0.0, 0.0]]


@calm
@given(lengths)
def test_from_lengths_keeps_the_first(lengths: list[int]) -> None:
    mask = from_lengths(torch.tensor(lengths))
    assert mask.shape == (len(lengths), max(lengths))
    assert mask.sum(dim=1).tolist() == lengths
    assert torch.equal(mask, mask.sort(dim=1, descending=True).values)


def test_causal_keeps_the_past() -> None:
    assert torch.equal(causal(4), torch.arange(4)[:, None] >= torch.arange(4))
