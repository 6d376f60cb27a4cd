"""What is found once for all places where a vector stands is what is found for each of them."""

from typing import Any

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from saccade.alike import Rows, products, spread
from saccade.decoders.base import Decoder
from saccade.encoders.base import Encoder
from saccade.models.base import Model
from saccade.models.encoder_decoder import EncoderDecoder
from saccade.native.library import found
from saccade.parts import Part
from tests.samples import batch_of, randn, scramble

LUONG = {"wiring": "luong", "attention": "bilinear", "hidden": 32, "dropout": 0.0}
DECODERS: dict[str, dict[str, Any]] = {
    "fed": {**LUONG, "cell": "lstm"},
    "swept": {**LUONG, "cell": "lstm", "input_feeding": False},
    "gru": {**LUONG, "cell": "gru", "input_feeding": False},
    "bahdanau": {"cell": "lstm", "hidden": 32, "dropout": 0.0},
}
BATCH = batch_of(([4, 5, 4, 4], [6, 6, 7]), ([5, 9], [6, 4, 6, 6, 4]), ([4], [7]))


def build(decoder: str, **options: Any) -> EncoderDecoder:
    encoder = Part(Encoder, "rnn", {"cell": "lstm", "hidden": 16, "dropout": 0.0})
    parts = {"encoder": encoder, "decoder": Part(Decoder, "rnn", DECODERS[decoder])}
    given = {"embedding": 24, "dropout": 0.0, "tie": "all", **parts, **options}
    model = scramble(Part(Model, "encoder_decoder", given).build(12, 12), scale=0.3)
    assert isinstance(model, EncoderDecoder)
    return model


def with_gradients(model: EncoderDecoder) -> list[Tensor]:
    """Return features, and the gradients of all parameters."""
    model.zero_grad()
    features = model(BATCH).features
    features.backward(randn(*features.shape, dtype=features.dtype))
    held = [one.grad for one in model.parameters() if one.grad is not None]
    return [features.detach(), *(one.clone() for one in held)]


@pytest.mark.parametrize("decoder", DECODERS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_values_and_gradients_are_those_of_every_place(decoder: str, dtype: torch.dtype) -> None:
    model = build(decoder).to(dtype)
    shared, apart = with_gradients(model.train()), with_gradients(model.eval())
    near = 1e-4 if dtype == torch.float32 else 1e-10
    for one, other in zip(shared, apart, strict=True):
        assert_close(one, other, rtol=near, atol=near * float(other.abs().max()))


def test_a_symbol_loses_the_same_wherever_it_stands() -> None:
    model = build("swept", dropout=0.5, dropout_by="symbol").train()
    vectors = model._vectors(model.source_embedding, BATCH.source.values)  # [B, S, D]
    fours = vectors[BATCH.source.values == 4]  # [N, D]
    assert len(fours) == 4
    assert (fours == fours[0]).all()
    assert 0 < int((fours[0] == 0).sum()) < fours.shape[1]
    assert (vectors[1, 0] != fours[0]).any()


def test_places_are_told_apart_by_default_and_in_the_end() -> None:
    model = build("swept", dropout=0.5).train()
    vectors = model._vectors(model.source_embedding, BATCH.source.values)
    assert (vectors[0, 0] != vectors[0, 2]).any()
    assert Rows.of(vectors).places is None
    by_symbol = build("swept", dropout=0.5, dropout_by="symbol").eval()
    assert Rows.of(by_symbol._vectors(by_symbol.source_embedding, BATCH.prefix)).places is None


def test_what_is_made_of_them_is_not_marked() -> None:
    x = spread(randn(3, 4), torch.tensor([[0, 2, 2], [1, 0, 0]]))
    assert Rows.of(x).places is not None
    for other in (x * 2, x + randn(2, 3, 4), x.transpose(0, 1), x[:1], x.clone()):
        assert Rows.of(other).places is None


@pytest.mark.parametrize("time_first", [False, True])
def test_rows_stand_where_they_are_said_to(time_first: bool) -> None:
    x = spread(randn(3, 4), torch.tensor([[0, 2, 2], [1, 0, 0]]))
    rows, places = Rows.of(x, time_first=time_first)
    assert places is not None
    assert_close(rows[places], Rows.of(x.clone(), time_first=time_first).rows, rtol=0, atol=0)


@pytest.mark.skipif(found().kernels is None, reason=f"no kernels: {found().told}")
@pytest.mark.parametrize("decoder", ["fed", "swept"])
def test_each_is_multiplied_once(decoder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def watched(rows: Tensor, places: Tensor | None, *matrix: Tensor) -> Tensor:
        assert places is not None
        seen.append((len(rows), len(places)))
        return products(rows, places, *matrix)

    for room in ("cells._swept", "decoders._fed"):
        monkeypatch.setattr(f"saccade.{room}.products", watched)
    build(decoder).train()(BATCH)
    source, prefix = BATCH.source.values, BATCH.prefix
    assert seen == [(len({*ids.flatten().tolist()}), ids.numel()) for ids in (source, prefix)]
