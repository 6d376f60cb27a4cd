"""All steps of an LSTM in one call are what `unroll` computes in doubles, and their gradients."""

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from saccade.cells.base import unroll
from saccade.cells.lstm import LSTM
from saccade.flow import State, Swept, tensor
from saccade.kernels.library import found
from saccade.kernels.precision import products
from tests.samples import kernels_off, randn, scramble

pytestmark = pytest.mark.skipif(found().kernels is None, reason=f"no kernels: {found().told}")


@pytest.fixture(autouse=True)
def _threads() -> Iterator[None]:
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


def cell(hidden: int = 48, **options: Any) -> LSTM:
    return scramble(LSTM(20, hidden, **options), scale=0.3)


def by_kernels(outputs: Tensor) -> bool:
    return "_LstmBackward" in str(outputs.grad_fn)


def with_gradients(sweep: Any, lstm: LSTM, x: Tensor, h: Tensor, c: Tensor) -> list[Tensor]:
    """Return outputs, last states and the gradients of everything they depend on."""
    given = [one.to(lstm.W.dtype).detach().requires_grad_() for one in (x, h, c)]
    swept: Swept = sweep(given[0], {"h": given[1], "c": given[2]})
    made = [swept.outputs, tensor(swept.state, "h"), tensor(swept.state, "c")]
    back = [randn(*one.shape, seed=8 + i, dtype=one.dtype) for i, one in enumerate(made)]
    gradients = torch.autograd.grad(made, [*given, *lstm.parameters()], back)
    return [*(one.detach() for one in made), *gradients]


def start(n: int, T: int, hidden: int = 48) -> tuple[Tensor, Tensor, Tensor]:
    return randn(n, T, 20), randn(n, hidden, seed=2), randn(n, hidden, seed=3)


@pytest.mark.parametrize("without", ["none", "input", "forget", "output"])
@pytest.mark.parametrize(("n", "T"), [(1, 1), (7, 1), (13, 5)])
def test_values_and_gradients_are_those_of_the_loop(n: int, T: int, without: str) -> None:
    lstm = cell(without=without)
    assert by_kernels(lstm.sweep(start(n, T)[0], lstm.start(start(n, T)[0])).outputs)
    found = with_gradients(lstm.sweep, lstm, *start(n, T))
    clear = cell(without=without).double()
    expected = with_gradients(lambda x, s: unroll(clear, x, s), clear, *start(n, T))
    for one, other in zip(found, expected, strict=True):
        assert_close(one.double(), other, rtol=1e-4, atol=1e-5 * float(other.abs().max()) + 1e-7)


def test_what_is_swept_does_not_depend_on_the_number_of_threads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("saccade.kernels.lstm._PARALLEL_FROM", 0)
    lstm, made = cell(), []
    for threads in (1, 2):
        torch.set_num_threads(threads)
        made.append(with_gradients(lstm.sweep, lstm, *start(9, 4)))
    assert torch.equal(made[0][0], made[1][0])
    for one, other in zip(*made, strict=True):
        assert_close(one, other)


def test_a_row_is_the_same_in_any_company() -> None:
    lstm, (x, h, c) = cell(), start(9, 4)
    whole = lstm.sweep(x, {"h": h, "c": c}).outputs
    for i in (0, 5, 8):
        alone = lstm.sweep(x[i : i + 1], {"h": h[i : i + 1], "c": c[i : i + 1]}).outputs
        assert torch.equal(alone[0], whole[i])


def test_only_outputs_may_be_used() -> None:
    lstm, (x, h, c) = cell(), start(3, 4)
    lstm.sweep(x, {"h": h, "c": c}).outputs.sum().backward()  # type: ignore[no-untyped-call]
    assert all(p.grad is not None for p in lstm.parameters())


def test_others_are_left_to_torch() -> None:
    def swept(lstm: LSTM, dtype: torch.dtype = torch.float32, n: int = 3) -> Tensor:
        x, h, c = (one.to(dtype) for one in start(n, 4, lstm.hidden_dim))
        state: State = {"h": h, "c": c}
        return lstm.sweep(x, state).outputs

    assert by_kernels(swept(cell()))
    assert not by_kernels(swept(cell(40)))
    assert not by_kernels(swept(cell().double(), torch.float64))
    with torch.no_grad():
        assert not by_kernels(swept(cell()))
    with products("bfloat16", torch.device("cpu")):
        assert not by_kernels(swept(cell()))
    with kernels_off():
        assert not by_kernels(swept(cell()))
