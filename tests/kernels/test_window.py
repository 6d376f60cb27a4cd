"""The loop in one call computes what the clear one computes in doubles, and its gradients."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from saccade.attention.base import Attention
from saccade.cells.base import Cell
from saccade.decoders.window import WindowDecoder
from saccade.flow import Memory
from saccade.kernels.library import found
from saccade.kernels.precision import products
from saccade.parts import Part
from tests.samples import kernels_off, memory, randn, scramble

pytestmark = pytest.mark.skipif(found().kernels is None, reason=f"no kernels: {found().told}")
LENGTHS = (3, 5, 0, 1, 2, 7, 1)  # a row with nothing to keep among them
DIM, X = 32, 5


def build(components: int = 3, **options: Any) -> WindowDecoder:
    lstm = Part(Cell, "lstm", {"without": options.pop("without", "none")})
    bells = Part(Attention, "gaussian_mixture", {"components": components, "pace": 0.5})
    usual = {"hidden": 48, "layers": 1, "dropout": 0.0, "cell": lstm, "attention": bells}
    return scramble(WindowDecoder(X, DIM, **{**usual, **options}), scale=0.1)


def by_kernels(features: Tensor) -> bool:
    seen, rest = set(), [features.grad_fn]
    while rest:
        node = rest.pop()
        if node is not None and node not in seen:
            seen.add(node)
            rest.extend(following for following, _ in node.next_functions)
    return any("_Slide" in str(node) for node in seen)


def with_gradients(decoder: WindowDecoder, x: Tensor, source: Memory) -> list[Tensor]:
    """Return the features and the gradients of everything they depend on."""
    dtype = next(decoder.parameters()).dtype
    given = [one.to(dtype).detach().requires_grad_() for one in (x, source.states)]
    known = Memory(given[1], source.mask, source.summary.to(dtype))
    features = decoder(given[0], known).features
    assert by_kernels(features) is (dtype == torch.float32)
    back = randn(*features.shape, seed=8, dtype=dtype)
    return [
        features.detach(),
        *torch.autograd.grad(features, [*given, *decoder.parameters()], back),
    ]


def are_close(found: list[Tensor], expected: list[Tensor]) -> None:
    for one, other in zip(found, expected, strict=True):
        assert_close(one.double(), other, rtol=1e-4, atol=2e-5 * float(other.abs().max()) + 1e-7)


@pytest.mark.parametrize("options", [{}, {"layers": 3}, {"components": 1}, {"without": "input"}])
@pytest.mark.parametrize("T", [2, 9])
def test_values_and_gradients_are_the_clear_ones(T: int, options: dict[str, Any]) -> None:
    decoder, x = build(**options), randn(len(LENGTHS), T, X)
    found = with_gradients(decoder, x, memory(*LENGTHS, dim=DIM))
    are_close(found, with_gradients(decoder.double(), x, memory(*LENGTHS, dim=DIM)))


@pytest.mark.parametrize("hidden", [16, 64, 80])
@pytest.mark.parametrize("B", [1, 6, 13])
def test_any_number_of_rows_and_any_width_of_whole_vectors(B: int, hidden: int) -> None:
    decoder, x = build(hidden=hidden), randn(B, 6, X)
    source = memory(*range(1, B + 1), dim=DIM, extra=2)
    found = with_gradients(decoder, x, source)
    are_close(found, with_gradients(decoder.double(), x, source))


def test_masks_may_have_holes_and_tensors_any_layout() -> None:
    decoder, x = build(), randn(4, X, 3).mT[:3]
    states = randn(5, 3, DIM).transpose(0, 1)
    mask = torch.tensor([[1, 0, 1, 0, 0], [0, 0, 0, 0, 1], [1, 1, 1, 1, 1]]).bool()
    source = Memory(states, mask.T.contiguous().T, randn(3, DIM, seed=2))
    found = with_gradients(decoder, x, source)
    are_close(found, with_gradients(decoder.double(), x, source))


def test_any_number_of_threads_computes_the_same() -> None:
    decoder, x, source = build(hidden=128), randn(17, 5, X), memory(*range(1, 18), dim=DIM)
    runs = []
    before = torch.get_num_threads()
    for threads in (1, 1, 2, 3):
        torch.set_num_threads(threads)
        runs.append(with_gradients(decoder, x, source))
    torch.set_num_threads(before)
    assert all(map(torch.equal, runs[0], runs[1]))
    assert torch.equal(runs[0][0], runs[2][0])
    are_close(runs[3], [one.double() for one in runs[0]])


def refused() -> dict[str, Callable[[], Tensor]]:
    """Decoders that the kernel does not know, or that want what it does not give."""
    x, source = randn(7, 4, X), memory(*LENGTHS, dim=DIM)

    def features(decoder: WindowDecoder, *, look: bool = False) -> Tensor:
        return decoder(x, source, look=look).features  # type: ignore[no-any-return]

    def lower() -> Tensor:
        with products("bfloat16", x.device):
            return features(build())

    def without_gradients() -> Tensor:
        with torch.no_grad():
            return features(build())

    return {
        "other attention": lambda: features(build(attention=Part(Attention, "location"))),
        "gru": lambda: features(build(cell=Part(Cell, "gru"))),
        "width": lambda: features(build(hidden=24)),
        "look": lambda: features(build(), look=True),
        "bfloat16": lower,
        "no gradient": without_gradients,
    }


@pytest.mark.parametrize("why", refused())
def test_everything_else_goes_step_by_step(why: str) -> None:
    assert not by_kernels(refused()[why]())


def test_without_kernels_it_goes_step_by_step() -> None:
    decoder, x, source = build(), randn(7, 4, X), memory(*LENGTHS, dim=DIM)
    fast = decoder(x, source).features
    assert by_kernels(fast)
    with kernels_off():
        clear = decoder(x, source).features
    assert not by_kernels(clear)
    assert_close(fast, clear, rtol=1e-4, atol=1e-5)
