"""What is found once for all places where a vector stands is what is found for each of them."""

from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.testing import assert_close

from saccade.decoders.base import Decoder
from saccade.encoders.base import Encoder
from saccade.kernels.library import found
from saccade.layers import alike
from saccade.layers.alike import Rows, look_up, products
from saccade.layers.dropout import Dropout
from saccade.layers.transformer import Embedding
from saccade.models.base import Model
from saccade.parts import Part
from tests.samples import batch_of, randn, scramble

LUONG = {"wiring": "luong", "attention": "bilinear", "hidden": 32, "dropout": 0.0}
DECODERS: dict[str, dict[str, Any]] = {
    "fed": {**LUONG, "cell": "lstm"},
    "swept": {**LUONG, "cell": "lstm", "input_feeding": False},
    "gru": {**LUONG, "cell": "gru", "input_feeding": False},
    "bahdanau": {"cell": "lstm", "hidden": 32, "dropout": 0.0},
}
BATCH = batch_of(
    ([4, 5, 4, 4, 8, 4], [6, 6, 7, 6]), ([5, 9, 5], [6, 4, 6, 6, 4]), ([4], [7, 7, 7, 7, 7])
)
IDS = torch.tensor([[0, 2, 2, 2], [1, 0, 0, 0], [0, 3, 0, 2]])
by_kernels = pytest.mark.skipif(found().kernels is None, reason=f"no kernels: {found().told}")


def build(kind: str, **options: Any) -> Model:
    encoder = Part(Encoder, "rnn", {"cell": "lstm", "hidden": 16, "dropout": 0.0})
    if kind == "alone":
        plain = {"cell": "lstm", "hidden": 32, "dropout": 0.0, "wiring": "luong"}
        decoder = Part(Decoder, "rnn", {**plain, "attention": "none", "input_feeding": False})
        given = {"embedding": 24, "dropout": 0.0, "decoder": decoder, **options}
        return scramble(Part(Model, "language_model", given).build(12, 12), scale=0.3)
    parts = {"encoder": encoder, "decoder": Part(Decoder, "rnn", DECODERS[kind])}
    given = {"embedding": 24, "dropout": 0.0, "tie": "all", **parts, **options}
    return scramble(Part(Model, "encoder_decoder", given).build(12, 12), scale=0.3)


def with_gradients(model: Model) -> list[Tensor]:
    """Return features, and the gradients of all parameters."""
    model.zero_grad()
    torch.manual_seed(3)
    features = model(BATCH).features
    features.backward(randn(*features.shape, dtype=features.dtype))
    held = [one.grad for one in model.parameters() if one.grad is not None]
    return [features.detach(), *(one.clone() for one in held)]


@contextmanager
def price(of: float) -> Iterator[None]:
    """Let what is lost cost so much; if it is endless, nothing is shared unless nothing is lost."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(alike, "_PRICE", of)
        yield


def assert_same(some: list[Tensor], others: list[Tensor], near: float = 1e-4) -> None:
    for one, other in zip(some, others, strict=True):
        most = float(other.abs().max()) if other.numel() else 0.0
        assert_close(one, other, rtol=near, atol=near * most)


@pytest.mark.parametrize("kind", [*DECODERS, "alone"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_values_and_gradients_are_those_of_every_place(kind: str, dtype: torch.dtype) -> None:
    model = build(kind).to(dtype).train()
    shared = with_gradients(model)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(alike, "_shared", lambda *_, **__: None)
        apart = with_gradients(model)
    assert_same(shared, apart, 1e-4 if dtype == torch.float32 else 1e-10)


@by_kernels
@pytest.mark.parametrize("kind", [*DECODERS, "alone"])
@pytest.mark.parametrize("p", [0.02, 0.1, 0.5])
@pytest.mark.parametrize("width", [3, 24, 61])
def test_so_they_are_where_each_place_loses_other_numbers(kind: str, p: float, width: int) -> None:
    model = build(kind, dropout=p, embedding=width).train()
    with price(0.0):
        shared = with_gradients(model)
    with price(inf):
        apart = with_gradients(model)
    assert_same(shared, apart)


@by_kernels
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_many_places_and_threads(threads: int) -> None:
    torch.set_num_threads(threads)
    table, dropout = Embedding(90, 40), Dropout(0.2)
    ids = torch.randint(60, (30, 20))
    ids[7] = torch.arange(60, 80)  # these stand in one place alone
    cell = scramble(nn.Linear(40, 192), scale=0.3)
    d_y = randn(600, 192)
    said = []
    for each in (0.0, inf):
        torch.manual_seed(5)
        with price(each):
            x = Rows.of(look_up(table, ids, dropout), time_first=True)
        assert (x.lists is None) == (each == inf)
        d_W = torch.empty(192, 40)
        with torch.no_grad():
            y = products(x, cell.weight, cell.bias)
            d_rows, d_b = alike.gradients(x, cell.weight, d_y, d_W)
        table.zero_grad()
        torch.autograd.backward(x.rows, d_rows)
        assert table.weight.grad is not None
        said.append([y, d_W, d_b, table.weight.grad.clone()])
    assert_same(said[0], said[1], near=1e-5)


@by_kernels
def test_what_is_lost_is_what_dropout_takes() -> None:
    x = look_up(Embedding(4, 50), IDS, Dropout(0.3))
    with price(0.0):
        rows, places, lists = Rows.of(x)
    assert lists is not None
    assert places is not None
    bounds, lost = lists.parts[0], lists.parts[1].flatten()
    whole = rows.detach()[places]  # [N, X]
    for place, (begin, end) in enumerate(bounds[:-1].tolist()):
        whole[place, lost[begin:end].long()] = 0.0
    assert_close(whole, x.detach().flatten(0, 1), rtol=1e-6, atol=0)
    assert not bounds[4].diff().any()  # the only 1: its row has lost already


def test_it_is_not_done_where_much_is_lost_or_little_is_shared() -> None:
    table = Embedding(50, 8)
    assert Rows.of(look_up(table, IDS, Dropout(0.7))).places is None
    assert Rows.of(look_up(table, torch.arange(48).view(6, 8), Dropout(0.0))).places is None
    assert Rows.of(look_up(table, IDS, Dropout(0.0))).places is not None


def test_what_is_made_of_them_is_not_marked() -> None:
    x = look_up(Embedding(4, 6), IDS, Dropout(0.0))
    assert Rows.of(x).places is not None
    for other in (x * 2, x + randn(3, 4, 6), x.transpose(0, 1), x[:1], x.clone()):
        assert Rows.of(other).places is None


def test_nothing_is_remembered_where_nothing_is_learned() -> None:
    table, dropout = Embedding(4, 6), Dropout(0.0)
    with torch.no_grad():
        assert Rows.of(look_up(table, IDS, dropout)).places is None
    assert Rows.of(look_up(table, IDS, dropout.eval())).places is None


@pytest.mark.parametrize("time_first", [False, True])
def test_rows_stand_where_they_are_said_to(time_first: bool) -> None:
    x = look_up(Embedding(4, 6), IDS, Dropout(0.0))
    rows, places, _ = Rows.of(x, time_first=time_first)
    assert places is not None
    assert_close(rows[places], Rows.of(x.clone(), time_first=time_first).rows, rtol=0, atol=0)


@by_kernels
@pytest.mark.parametrize("p", [0.0, 0.1])
@pytest.mark.parametrize("decoder", ["fed", "swept"])
def test_each_is_multiplied_once(decoder: str, p: float, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def watched(x: Rows, *matrix: Tensor) -> Tensor:
        assert x.places is not None
        seen.append((len(x.rows), len(x.places)))
        return products(x, *matrix)

    for room in ("cells._swept", "decoders._fed"):
        monkeypatch.setattr(f"saccade.{room}.products", watched)
    build(decoder, dropout=p).train()(BATCH)
    source, prefix = BATCH.source.values, BATCH.prefix
    assert seen == [(len({*ids.flatten().tolist()}), ids.numel()) for ids in (source, prefix)]
