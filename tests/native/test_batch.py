"""The best few symbols are the first of all, in order."""

from collections.abc import Callable, Iterator

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from saccade.flow import only
from saccade.models.base import Model
from saccade.native import thread_choice
from saccade.native.batch import NativeBatch
from saccade.native.searcher import native_model
from saccade.parts import Part
from tests.inference.walk import SOURCES, source
from tests.native.kernels import maker, needs_kernels
from tests.native.test_rnn_decoder import part as rnn
from tests.native.test_transformer_decoder import part as transformer
from tests.samples import scramble, sides

pytestmark = needs_kernels
BANNED = torch.tensor([0, 7, 2])
TOKENS = torch.tensor([4, 5, 6, 7])


def _as_they_are(bias: Tensor) -> None:
    """Leave them alone."""


def _of_three_levels(bias: Tensor) -> None:
    bias[:] = torch.randint(3, bias.shape).float()


def _level(bias: Tensor) -> None:
    bias[:] = 0.0


def _banned_are_highest(bias: Tensor) -> None:
    bias[BANNED] = 30.0


def _never(bias: Tensor) -> None:
    bias[3:] = -torch.inf


BIASES = [_as_they_are, _of_three_levels, _level, _banned_are_highest, _never]


@pytest.fixture(autouse=True)
def _no_gradients() -> Iterator[None]:
    with torch.no_grad():
        yield


@pytest.mark.parametrize("kind", [transformer(tie="none"), rnn(tie="none")], ids=["layers", "rnn"])
@pytest.mark.parametrize("size", [23, 64, 700, 1601])
@pytest.mark.parametrize("change", BIASES, ids=lambda one: one.__name__)
@pytest.mark.parametrize("threads", [1, 2])
def test_few_are_the_first_of_all(
    kind: Part[Model],
    size: int,
    change: Callable[[Tensor], None],
    threads: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(thread_choice, "_SMALL", 0)
    monkeypatch.setattr(thread_choice._Size, "shares", lambda _: threads > 1)
    torch.set_num_threads(threads)
    model = scramble(kind.build(*sides(size)), scale=0.25)
    if change is not _as_they_are:
        model.head.weight.zero_()  # type: ignore[operator]
    change(model.head.bias)  # type: ignore[arg-type]
    for n in (2, 10, 50):
        batch = _read(model)
        log_probs, _ = batch.step(TOKENS, batch.start)
        log_probs = log_probs.index_fill(1, BANNED, -torch.inf)
        expected = log_probs.sort(dim=1, descending=True, stable=True)
        batch = _read(model)
        few = batch.best(TOKENS, batch.start, n, BANNED)
        assert few.symbols.tolist() == expected.indices[:, :n].tolist()
        assert_close(few.gains, expected.values[:, :n], rtol=0, atol=0)


def test_more_lines_than_are_held_at_a_time() -> None:
    model = scramble(rnn().build(*sides(300)), scale=0.25)
    sentences = [[4 + i, 5] for i in range(120)]
    batch = _read(model, sentences)
    few = batch.best(torch.arange(120), batch.start, 4, BANNED)
    batch = _read(model, sentences[70:71])
    alone = batch.best(torch.tensor([70]), batch.start, 4, BANNED)
    assert few.symbols[70:71].tolist() == alone.symbols.tolist()
    assert_close(few.gains[70:71], alone.gains, rtol=0, atol=0)


def test_what_is_no_number_is_not_hidden() -> None:
    model = scramble(rnn().build(*sides(300)), scale=0.25)
    model.head.bias[9] = torch.nan  # type: ignore[operator]
    batch = _read(model)
    few = batch.best(TOKENS, batch.start, 4, BANNED)
    assert few.gains.isnan().any(dim=1).all()


def _read(model: Model, sentences: list[list[int]] = SOURCES) -> NativeBatch:
    native = native_model(model, maker())
    assert native is not None
    return native.read(only(source(sentences)))
