"""What the encoder in C reads is what the clear one reads."""

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch.testing import assert_close

from saccade.attention.base import Attention
from saccade.encoders.base import Encoder
from saccade.encoders.transformer import TransformerEncoder
from saccade.flow import Padded
from saccade.native import thread_choice
from saccade.native.transformer_encoder import NativeTransformerEncoder
from saccade.parts import Part
from tests.native.kernels import maker, needs_kernels
from tests.samples import mask_of, randn, scramble

pytestmark = needs_kernels
MULTIHEAD = Part(Attention, "multihead", {"heads": 2})
D = 32


@pytest.fixture(autouse=True)
def _no_gradients() -> Iterator[None]:
    with torch.no_grad():
        yield


def encoder(**options: Any) -> TransformerEncoder:
    given = {"layers": 2, "feed_forward": 40, "attention": MULTIHEAD, **options}
    built = Part(Encoder, "transformer", given).build(D)
    assert isinstance(built, TransformerEncoder)
    return scramble(built, scale=0.25)


def native(clear: TransformerEncoder, *, int8: bool = False) -> NativeTransformerEncoder:
    found = NativeTransformerEncoder.of(clear, maker(int8=int8))
    assert found is not None
    return found


def sentences(*lengths: int) -> Padded:
    mask = mask_of(*lengths)
    return Padded(randn(*mask.shape, D), mask)


@pytest.mark.parametrize("lengths", [(1,), (7,), (5, 3, 1), (20, 17, 4, 20), (3, 0), (70, 65)])
@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("positions", ["sinusoidal", "learned", "none", "rotary"])
def test_the_memory_is_that_of_the_clear_encoder(
    positions: str, norm: str, lengths: tuple[int, ...]
) -> None:
    clear, source = encoder(norm=norm, positions=positions), sentences(*lengths)
    before = source.values.clone()
    found, expected = native(clear)(source), clear(source)
    assert_close(found.states, expected.states, atol=1e-5, rtol=1e-4)
    assert_close(found.summary, expected.summary, atol=1e-5, rtol=1e-4)
    assert torch.equal(found.mask, expected.mask)
    assert not found.states[~source.mask].any()
    assert torch.equal(source.values, before)


def test_heads_and_hidden_numbers_may_be_many() -> None:
    for options in (
        {"attention": Part(Attention, "multihead", {"heads": 1}), "feed_forward": 7},
        {"layers": 1, "feed_forward": 130},
    ):
        clear, source = encoder(**options), sentences(9, 4)
        assert_close(native(clear)(source).states, clear(source).states, atol=1e-5, rtol=1e-4)


def test_a_sentence_is_the_same_alone_and_with_others_of_its_length() -> None:
    form, source = native(encoder()), sentences(9, 9, 9)
    together = form(source).states
    for i in range(3):
        alone = form(Padded(source.values[i : i + 1], source.mask[i : i + 1])).states
        assert torch.equal(alone[0], together[i])


def test_the_memory_does_not_depend_on_the_number_of_threads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(thread_choice, "_SMALL", 0)
    monkeypatch.setattr(thread_choice._Size, "shares", lambda _: True)
    form, source = native(encoder()), sentences(9, 5, 7)
    one = form(source).states
    torch.set_num_threads(2)
    assert torch.equal(form(source).states, one)


@pytest.mark.parametrize(
    "options",
    [
        {"neighbourhood": 1},
        {"positions": "relative"},
        {"positions": "merged"},
        {"attention": Part(Attention, "multihead", {"heads": 4})},  # heads of 8
        {"attention": Part(Attention, "multihead", {"heads": 2, "key_width": 32})},
        {"attention": Part(Attention, "multihead", {"heads": 2, "score": "additive"})},
        {"attention": "scaled_dot"},
    ],
)
def test_others_are_not_served(options: dict[str, Any]) -> None:
    assert NativeTransformerEncoder.of(encoder(**options), maker()) is None


def test_nor_is_double_precision_nor_another_kind() -> None:
    assert NativeTransformerEncoder.of(encoder().double(), maker()) is None
    assert NativeTransformerEncoder.of(Part(Encoder, "rnn").build(D), maker()) is None
