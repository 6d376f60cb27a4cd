"""The loop in one call computes what the clear one computes in doubles, and its gradients."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.testing import assert_close

from saccade.attention.base import Attention
from saccade.cells.base import Cell
from saccade.decoders.rnn import RnnDecoder
from saccade.flow import Memory
from saccade.kernels.library import found
from saccade.kernels.precision import products
from saccade.layers.dropout import Dropout
from saccade.parts import Part
from tests.samples import kernels_off, mask_of, memory, randn, scramble

pytestmark = pytest.mark.skipif(found().kernels is None, reason=f"no kernels: {found().told}")
KINDS = ["dot", "scaled_dot", "bilinear"]
LENGTHS = (3, 5, 0, 1, 2, 7, 1)  # a row with nothing to keep among them


def build(kind: str = "bilinear", **options: Any) -> RnnDecoder:
    lstm = Part(Cell, "lstm", {"without": options.pop("without", "none")})
    usual = {"hidden": 48, "wiring": "luong", "dropout": 0.0, "cell": lstm}
    attention = Part(Attention, kind)
    return scramble(RnnDecoder(20, 48, **{**usual, "attention": attention, **options}), scale=0.1)


def by_kernels(features: Tensor) -> bool:
    return "_Steps" in str(features.grad_fn)


def with_gradients(decoder: RnnDecoder, x: Tensor, source: Memory) -> list[Tensor]:
    """Return the features and the gradients of everything they depend on."""
    given = [x, source.states, source.summary]
    given = [one.to(decoder.readout.weight.dtype).detach().requires_grad_() for one in given]
    features = decoder(given[0], Memory(given[1], source.mask, given[2])).features
    assert by_kernels(features) is (features.dtype == torch.float32)
    back = randn(*features.shape, seed=8, dtype=features.dtype)
    return [
        features.detach(),
        *torch.autograd.grad(features, [*given, *decoder.parameters()], back),
    ]


def are_close(found: list[Tensor], expected: list[Tensor]) -> None:
    for one, other in zip(found, expected, strict=True):
        assert_close(one.double(), other, rtol=1e-4, atol=1e-5 * float(other.abs().max()) + 1e-7)


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("T", [1, 4])
@pytest.mark.parametrize("kind", KINDS)
def test_values_and_gradients_are_the_clear_ones(kind: str, T: int, training: bool) -> None:
    decoder, x = build(kind).train(training), randn(len(LENGTHS), T, 20)
    found = with_gradients(decoder, x, memory(*LENGTHS, dim=48))
    are_close(found, with_gradients(decoder.double(), x, memory(*LENGTHS, dim=48)))


@pytest.mark.parametrize("without", ["input", "forget", "output"])
def test_a_gate_may_have_been_taken_out(without: str) -> None:
    decoder, x = build(without=without), randn(len(LENGTHS), 4, 20)
    found = with_gradients(decoder, x, memory(*LENGTHS, dim=48))
    are_close(found, with_gradients(decoder.double(), x, memory(*LENGTHS, dim=48)))


@pytest.mark.parametrize("hidden", [16, 32, 64, 80, 144])
@pytest.mark.parametrize("B", [1, 6, 13])
def test_any_number_of_rows_and_any_width_of_whole_vectors(B: int, hidden: int) -> None:
    decoder, x = build(hidden=hidden), randn(B, 3, 20)
    source = memory(*range(1, B + 1), dim=48, extra=2)
    found = with_gradients(decoder, x, source)
    are_close(found, with_gradients(decoder.double(), x, source))


def test_what_is_compared_need_not_be_what_is_read() -> None:
    decoder, x, source = build(), randn(3, 4, 20), memory(2, 5, 3, dim=48)
    grads = []
    for dtype in (torch.float32, torch.float64):
        values = randn(3, 5, 48, seed=7, dtype=dtype).requires_grad_()
        states = source.states.to(dtype).requires_grad_()
        known = Memory(states, source.mask, source.summary.to(dtype), values=values)
        features = decoder.to(dtype)(x.to(dtype), known).features
        assert by_kernels(features) is (dtype == torch.float32)
        back = randn(*features.shape, seed=8, dtype=dtype)
        grads.append([*torch.autograd.grad(features, [values, states], back)])
    are_close(*grads)


def test_masks_may_have_holes_and_tensors_any_layout() -> None:
    decoder, x = build(), randn(4, 20, 3).mT
    states = randn(5, 3, 48).transpose(0, 1)
    x = x[:3]
    mask = torch.tensor([[1, 0, 1, 0, 0], [0, 0, 0, 0, 1], [1, 1, 1, 1, 1]]).bool()
    source = Memory(states, mask.T.contiguous().T, randn(3, 48, seed=2))
    found = with_gradients(decoder, x, source)
    are_close(found, with_gradients(decoder.double(), x, source))


def test_under_dropout_a_seed_gives_the_clear_form_the_same_mask() -> None:
    """Whether a number stays is what `Dropout` draws for the features of all steps."""
    decoder, x, source = build(dropout=0.4).train(), randn(7, 4, 20), memory(*LENGTHS, dim=48)
    with torch.random.fork_rng():
        torch.manual_seed(5)
        found = with_gradients(decoder, x, source)
        torch.manual_seed(5)
        masks = Dropout(0.4)(torch.ones(7, 4, 48))
        torch.manual_seed(5)
        clear = with_gradients(decoder.double(), x, source)
    assert torch.equal(found[0] == 0, masks == 0)
    assert 0.3 < (masks == 0).double().mean() < 0.5
    are_close(found, clear)


def test_a_seed_gives_the_same_run_with_any_number_of_threads() -> None:
    decoder, x = build(hidden=128, dropout=0.3).train(), randn(17, 5, 20)
    runs = []
    with torch.random.fork_rng():
        for threads, seed in ((1, 5), (1, 5), (2, 5), (3, 5), (1, 6)):
            torch.set_num_threads(threads)
            torch.manual_seed(seed)
            runs.append(with_gradients(decoder, x, memory(*range(1, 18), dim=48)))
    assert all(map(torch.equal, runs[0], runs[1]))
    assert torch.equal(runs[0][0], runs[2][0])
    assert torch.equal(runs[0][0], runs[3][0])
    are_close(runs[2], [one.double() for one in runs[0]])
    assert not torch.equal(runs[0][0], runs[4][0])


def test_going_back_twice_gives_the_same_twice() -> None:
    decoder, x = build(dropout=0.3).train(), randn(7, 4, 20).requires_grad_()
    features = decoder(x, memory(*LENGTHS, dim=48)).features
    first = torch.autograd.grad(features.square().sum(), x, retain_graph=True)
    assert torch.equal(*first, *torch.autograd.grad(features.square().sum(), x))


def refused() -> dict[str, Callable[[], Tensor]]:
    """Decoders that the kernels do not know, or that want what they do not give."""
    x, source = randn(7, 4, 20), memory(*LENGTHS, dim=48)

    def features(decoder: RnnDecoder, *, look: bool = False) -> Tensor:
        return decoder(x, source, look=look).features  # type: ignore[no-any-return]

    def lower() -> Tensor:
        with products("bfloat16", x.device):
            return features(build())

    def without_gradients() -> Tensor:
        with torch.no_grad():
            return features(build())

    return {
        "additive": lambda: features(build("additive")),
        "multihead": lambda: features(build("multihead")),
        "gru": lambda: features(build(cell=Part(Cell, "gru"))),
        "layers": lambda: features(build(layers=2)),
        "summary": lambda: features(build(feed_summary=True)),
        "bahdanau": lambda: features(build(wiring="bahdanau")),
        "unfed": lambda: features(build(input_feeding=False)),
        "width": lambda: features(build(hidden=24)),
        "look": lambda: features(build(), look=True),
        "bfloat16": lower,
        "no gradient": without_gradients,
    }


@pytest.mark.parametrize("why", refused())
def test_everything_else_goes_step_by_step(why: str) -> None:
    assert not by_kernels(refused()[why]())


def test_without_kernels_it_goes_step_by_step() -> None:
    decoder, x, source = build(), randn(7, 4, 20), memory(*LENGTHS, dim=48)
    fast = decoder(x, source).features
    assert by_kernels(fast)
    with kernels_off():
        clear = decoder(x, source).features
    assert not by_kernels(clear)
    assert_close(fast, clear, rtol=1e-4, atol=1e-5)


def test_the_curves_are_good_to_the_last_digits() -> None:
    """Read-out and gates are set so that one step writes a curve of the biases."""
    decoder = RnnDecoder(
        16, 16, cell=Part(Cell, "lstm"), attention=Part(Attention, "dot"), hidden=16, wiring="luong"
    ).eval()
    bias, source = decoder.get_parameter("cells.0.b"), Memory(*_nothing())
    for parameter in decoder.parameters():
        nn.init.zeros_(parameter)
    every = torch.cat([torch.linspace(-20, 20, 800), torch.logspace(-8, 0, 160)])
    for points in every.view(-1, 16):
        nn.init.zeros_(decoder.readout.weight)
        decoder.readout.bias.data.copy_(points)
        found = decoder(torch.zeros(1, 1, 16), source).features[0, 0]
        assert_close(found.double(), points.double().tanh(), rtol=4e-7, atol=0.0)
        decoder.readout.bias.data.zero_()
        decoder.readout.weight.data[:, :16] = torch.eye(16)
        bias.data.copy_(torch.cat([torch.full((48,), 100.0), points]))  # c = 1
        found = decoder(torch.zeros(1, 1, 16), source).features[0, 0]
        h = points.double().sigmoid() * torch.ones((), dtype=torch.float64).tanh()
        assert_close(found.double(), h.tanh(), rtol=1e-6, atol=0.0)


def _nothing() -> tuple[Tensor, Tensor, Tensor]:
    return torch.zeros(1, 1, 16), mask_of(1), torch.zeros(1, 16)
