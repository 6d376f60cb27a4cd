"""What the recurrent encoder in C reads is what the clear one reads."""

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch.testing import assert_close

from saccade.cells.base import Cell
from saccade.encoders.base import Encoder
from saccade.encoders.rnn import RnnEncoder
from saccade.flow import Padded
from saccade.native import thread_choice
from saccade.native.rnn_encoder import NativeRnnEncoder
from saccade.parts import Part
from tests.native.kernels import maker, needs_kernels
from tests.samples import mask_of, randn, scramble

pytestmark = needs_kernels
X, D = 20, 32


@pytest.fixture(autouse=True)
def _no_gradients() -> Iterator[None]:
    with torch.no_grad():
        yield


def encoder(**options: Any) -> RnnEncoder:
    given = {"cell": Part(Cell, "lstm"), "hidden": D, **options}
    built = Part(Encoder, "rnn", given).build(X)
    assert isinstance(built, RnnEncoder)
    return scramble(built, scale=0.4).eval()


def native(clear: RnnEncoder, *, int8: bool = False) -> NativeRnnEncoder:
    found = NativeRnnEncoder.of(clear, maker(int8=int8))
    assert found is not None
    return found


def sentences(*lengths: int) -> Padded:
    mask = mask_of(*lengths)
    return Padded(randn(*mask.shape, X), mask)


KINDS: list[dict[str, Any]] = [
    {},
    {"bidirectional": False},
    {"layers": 3},
    {"layers": 3, "residual": True},
    {"layers": 2, "residual": True, "above": "forward"},
    {"layers": 4, "residual": True, "above": "forward", "residual_from": 3},
]


@pytest.mark.parametrize("lengths", [(1,), (7,), (5, 3, 1), (20, 17, 4, 20), (3, 0), (70, 65)])
@pytest.mark.parametrize("kind", KINDS)
def test_the_memory_is_that_of_the_clear_encoder(
    kind: dict[str, Any], lengths: tuple[int, ...]
) -> None:
    clear, source = encoder(**kind), sentences(*lengths)
    found, expected = native(clear)(source), clear(source)
    assert_close(found.states, expected.states, atol=1e-5, rtol=1e-4)
    assert_close(found.summary, expected.summary, atol=1e-5, rtol=1e-4)
    assert torch.equal(found.mask, source.mask)


@pytest.mark.parametrize("kind", KINDS)
def test_symbols_are_read_as_their_vectors_are(kind: dict[str, Any]) -> None:
    some, vectors = native(encoder(**kind)), randn(9, X)
    symbols, mask = torch.tensor([[3, 4, 3, 8], [4, 4, 0, 0]]), mask_of(4, 2)
    expected = some(Padded(vectors[symbols], mask))
    found = some.of_symbols(Padded(symbols, mask), vectors.__getitem__)
    assert torch.equal(found.states, expected.states)
    assert torch.equal(found.summary, expected.summary)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("in_bytes", [False, True])
def test_a_sentence_is_read_the_same_in_any_company(
    threads: int, in_bytes: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thread_choice, "_SMALL", 0)
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        read = native(encoder(layers=2), int8=in_bytes)
        source = sentences(9, 14, 1, 6)
        together = read(source)
        for i, n in enumerate(source.lengths.tolist()):
            alone = read(Padded(source.values[i : i + 1, :n], source.mask[i : i + 1, :n]))
            assert torch.equal(alone.states[0], together.states[i, :n])
            assert torch.equal(alone.summary[0], together.summary[i])
            assert not together.states[i, n:].any()
    finally:
        torch.set_num_threads(before)


def test_what_the_kernels_do_not_know_is_left_alone() -> None:
    assert NativeRnnEncoder.of(encoder(), maker()) is not None
    assert NativeRnnEncoder.of(encoder(carry=True), maker()) is None
    assert NativeRnnEncoder.of(encoder(cell=Part(Cell, "gru")), maker()) is None
    assert (
        NativeRnnEncoder.of(encoder(cell=Part(Cell, "lstm", {"without": "input"})), maker()) is None
    )
    assert NativeRnnEncoder.of(encoder(hidden=20), maker()) is None
    assert NativeRnnEncoder.of(encoder().double(), maker()) is None
