"""Both directions at once are what they are one by one in doubles, and so are their gradients."""

from collections.abc import Iterator

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from saccade.cells.base import Cell
from saccade.encoders.rnn import Directions
from saccade.kernels.library import found
from saccade.parts import Part
from tests.samples import randn, scramble

pytestmark = pytest.mark.skipif(found().kernels is None, reason=f"no kernels: {found().told}")
LENGTHS = [5, 2, 0, 4, 1, 5, 3]


@pytest.fixture(autouse=True)
def _threads(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr("saccade.kernels.lstm._PARALLEL_FROM", 0)
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


def layer(kind: str | dict[str, str] = "lstm", hidden: int = 48) -> Directions:
    options = {"kind": kind} if isinstance(kind, str) else dict(kind)
    cell = Part(Cell, options.pop("kind"), options)
    return scramble(Directions(cell, 20, hidden, bidirectional=True), scale=0.3)


def padding(lengths: list[int]) -> Tensor:
    return torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]


def by_kernels(states: Tensor) -> bool:
    return "_BidirectionalLstm" in str(states.grad_fn)


def with_gradients(directions: Directions, mask: Tensor) -> list[Tensor]:
    """Return states, the last of them, and the gradients of what they depend on."""
    dtype = next(directions.parameters()).dtype
    x = randn(*mask.shape, 20, dtype=dtype).requires_grad_()
    states, final = directions(x, mask)
    states = states * mask[:, :, None]  # what is said of padding is nobody's concern
    back = [randn(*one.shape, seed=8, dtype=dtype) for one in (states, final)]
    gradients = torch.autograd.grad([states, final], [x, *directions.parameters()], back)
    return [states.detach(), final.detach(), *gradients]


@pytest.mark.parametrize("kind", ["lstm", {"kind": "lstm", "without": "forget"}], ids=str)
@pytest.mark.parametrize("lengths", [LENGTHS, [1], [4, 4]], ids=str)
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_values_and_gradients_are_those_of_one_by_one(
    kind: str | dict[str, str], lengths: list[int], threads: int
) -> None:
    torch.set_num_threads(threads)
    mask = padding(lengths)
    assert by_kernels(layer(kind)(randn(*mask.shape, 20), mask).states)
    made, expected = with_gradients(layer(kind), mask), with_gradients(layer(kind).double(), mask)
    for one, other in zip(made, expected, strict=True):
        assert_close(one.double(), other, rtol=1e-4, atol=1e-5 * float(other.abs().max()) + 1e-7)


def test_a_row_is_the_same_in_any_company_but_for_rounding() -> None:
    directions, mask = layer(), padding(LENGTHS)
    x = randn(*mask.shape, 20)
    states, final = directions(x, mask)
    for i in (0, 1, 6):
        n = LENGTHS[i]
        alone = directions(x[i : i + 1, :n], mask[i : i + 1, :n])
        assert_close(alone.states[0], states[i, :n], rtol=1e-5, atol=1e-6)
        assert_close(alone.final[0], final[i], rtol=1e-5, atol=1e-6)


def test_padding_says_nothing_whatever_stands_there() -> None:
    directions, mask = layer(), padding(LENGTHS)
    x = randn(*mask.shape, 20)
    other = torch.where(mask[:, :, None], x, torch.full_like(x, torch.nan))
    assert torch.equal(directions(x, mask).states, directions(other, mask).states)
    assert not directions(x, mask).states[~mask].any()


def test_a_graph_may_be_gone_back_through_twice() -> None:
    directions, mask = layer(), padding(LENGTHS)
    total = directions(randn(*mask.shape, 20), mask).states.square().sum()
    first = torch.autograd.grad(total, list(directions.parameters()), retain_graph=True)
    again = torch.autograd.grad(total, list(directions.parameters()))
    assert all(torch.equal(one, other) for one, other in zip(first, again, strict=True))


def test_others_are_read_one_by_one() -> None:
    mask = padding(LENGTHS)
    x = randn(*mask.shape, 20)
    assert by_kernels(layer()(x, mask).states)
    assert not by_kernels(layer("gru")(x, mask).states)
    assert not by_kernels(layer(hidden=40)(x, mask).states)
    with torch.no_grad():
        assert not by_kernels(layer()(x, mask).states)
