"""Attention caught at work: what is told is what the model does, and the model knows of nothing."""

from typing import Any, cast

import pytest
import torch
from torch.testing import assert_close

from saccade.decoders.base import Decoder
from saccade.encoders.base import Encoder
from saccade.flow import Batch, causal
from saccade.look.inspection import batch_of
from saccade.models.base import Model
from saccade.models.encoder_decoder import EncoderDecoder
from saccade.parts import Part
from saccade.predict.predictor import Predictor
from saccade.predict.watching import has_attention, self_attention_names, self_maps, watch
from tests import reference, samples
from tests.inspections.models import other
from tests.look.test_inspection import translator

SMALL = {"layers": 2, "feed_forward": 8, "dropout": 0.0, "attention": {"heads": 2}}


def example(asked: Predictor) -> Batch:
    return batch_of(asked, asked.translate("two cats", prefix="un "))


def test_the_first_layers_are_those_of_torch() -> None:
    """Its own attention, asked for weights, with the weights of ours and what the layer reads."""
    asked = translator("pre")
    batch, model = example(asked), asked.model
    assert isinstance(model, EncoderDecoder)
    encoder, decoder = model.reading.encoder, model.decoder
    assert self_attention_names(model)[:5] == (
        *(f"encoder layer 1 head {i}" for i in (1, 2, 3, 4)),
        "encoder layer 2 head 1",
    )
    found = {one.name: torch.tensor(one.weights) for one in self_maps(model, batch)}
    read = model.reading.embedder(batch.source).values  # [1, S, D]
    written = model.target_embedding.embed(batch.prefix)  # [1, T, D]
    hidden = ~causal(batch.prefix.shape[1])
    first: Any = encoder.layers[0], decoder.layers[0]  # type: ignore[index]
    reads = {
        "encoder": (first[0].attention, first[0].around_attention, encoder, read, None),
        "decoder": (first[1].self_attention, first[1].around_self, decoder, written, hidden),
    }
    for side, (ours, around, part, x, mask) in reads.items():
        y = around.enter(cast(Any, part).positions(x))
        theirs = reference.multihead(ours).eval()
        _, weights = theirs(y, y, y, attn_mask=mask, average_attn_weights=False)
        for i in range(4):
            assert_close(found[f"{side} layer 1 head {i + 1}"], weights[0, i], atol=1e-5, rtol=1e-4)


def test_a_decoder_sees_only_what_stands_before() -> None:
    asked = translator("post")
    long = asked.translate("two cats", prefix="un chat")
    short = batch_of(asked, long).prefix.shape[1] - 4
    cut = asked.batch([long.arrays], [long.hypothesis.tokens[: short - 1]])
    both = zip(
        self_maps(asked.model, batch_of(asked, long)), self_maps(asked.model, cut), strict=True
    )
    for whole, part in both:
        weights = torch.tensor(whole.weights)
        assert_close(weights.sum(dim=1), torch.ones(len(weights)))
        if whole.of_decoder:
            assert (weights.triu(1) == 0).all()
            assert_close(weights[:short, :short], torch.tensor(part.weights), atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("kind", [*samples.MODELS])
def test_what_is_watched_over_the_input_is_what_looking_tells(kind: str) -> None:
    asked = translator(kind)
    batch = example(asked)
    across = [one for one in watch(asked.model, batch) if not one.seat.side]
    weights = asked.model(batch, look=True).weights
    assert sum(len(one.names) for one in across) == len(asked.attention_names)
    assert has_attention(asked.model) is bool(asked.attention_names)
    if not asked.attention_names:
        return
    for t in range(weights.shape[1]):
        works = [work for one in across for work in one.work(t)]
        assert_close(torch.stack([work.weights for work in works]), weights[0, t])


def test_a_remembering_attention_is_asked_with_what_it_remembers() -> None:
    decoder = Part(Decoder, "rnn", {"attention": "location_aware", "hidden": 8})
    asked = other(Part(Model, "encoder_decoder", {"embedding": 8, "decoder": decoder}))
    batch = example(asked)
    (one,) = [one for one in watch(asked.model, batch) if not one.seat.side]
    weights = asked.model(batch, look=True).weights
    for t in range(batch.prefix.shape[1]):
        assert_close(one.work(t)[0].weights, weights[0, t, 0])


def test_the_model_is_left_as_it_was() -> None:
    asked = translator("pre")
    batch, before = example(asked), asked.model.state_dict()
    watched = watch(asked.model, batch)
    for module in asked.model.modules():
        assert not module._forward_hooks
        assert not module._forward_pre_hooks
    assert all(asked.model.state_dict()[name] is not None for name in before)
    ours = {id(parameter) for parameter in asked.model.parameters()}
    theirs = {id(p) for one in watched for p in one.attention.parameters()}
    assert theirs <= ours  # no weight is copied


def test_writing_asks_for_no_map(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> None:
        raise AssertionError("somebody looked")

    asked = translator("pre")
    monkeypatch.setattr("saccade.predict.predictor.self_maps", never)
    found = asked.translate(["two cats", "one"])
    assert [one.text for one in found]
    with pytest.raises(AssertionError, match="somebody looked"):
        _ = found[0].self_attention


def test_a_decoder_that_reads_its_own_past_has_a_place_before_start() -> None:
    decoder = Part(Decoder, "rnn_past", {"hidden": 8, "attention": "additive"})
    encoder = Part(Encoder, "rnn", {"hidden": 8})
    options = {"embedding": 8, "encoder": encoder, "decoder": decoder}
    asked = other(Part(Model, "encoder_decoder", options))
    assert asked.self_attention_names == ("decoder",)
    (one,) = self_maps(asked.model, example(asked))
    assert one.n_before == 1
    assert_close(torch.tensor(one.weights).sum(dim=1), torch.ones(len(one.weights)))
    assert (torch.tensor(one.weights).triu(1) == 0).all()


@pytest.mark.parametrize(
    ("kind", "part"),
    [("language_model", "decoder"), ("tagger", "encoder"), ("classifier", "encoder")],
)
def test_one_side_alone(kind: str, part: str) -> None:
    family = Decoder if part == "decoder" else Encoder
    model = Part(Model, kind, {"embedding": 8, part: Part(family, "transformer", dict(SMALL))})
    asked = other(model)
    assert set(asked.self_attention_names) == {
        f"{part} layer {i} head {j}" for i in (1, 2) for j in (1, 2)
    }
    tokens = samples.vocabulary().encode("deux")
    batch = asked.batch(asked.encode([{"source": "two"}]), [tokens])
    shapes = {one.weights.shape for one in self_maps(asked.model, batch)}
    n = batch.prefix.shape[1] if part == "decoder" else batch.source.mask.shape[1]
    assert shapes == {(n, n)}
