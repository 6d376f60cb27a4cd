"""What a fast form writes is what the clear model writes, however lines are moved about."""

from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from saccade.attention.base import Attention
from saccade.decoders.base import Decoder
from saccade.encoders.base import Encoder
from saccade.flow import only
from saccade.inference import transformer
from saccade.inference.base import Start
from saccade.models.base import Model, writer
from saccade.native.model import Clear, PackedEncoderDecoder, Ready, form_of
from saccade.native.transformer_decoder import NativeTransformer
from saccade.parts import Part
from saccade.recipe import Training
from saccade.search.base import Search, Task
from saccade.search.beam import Beam
from saccade.search.greedy import Greedy
from saccade.search.sample import Sample
from saccade.train import weights
from saccade.train.optim import adamw
from tests.inference.walk import Walk, build, source
from tests.samples import MODELS, name, variants

MULTIHEAD = Part(Attention, "multihead", {"heads": 2})
ENCODER = Part(Encoder, "rnn", {"hidden": 8, "dropout": 0.0})
TRANSFORMERS = [
    Part(
        Decoder,
        "transformer",
        {
            "layers": 2,
            "feed_forward": 16,
            "norm": norm,
            "attention": MULTIHEAD,
            "positions": places,
        },
    )
    for norm, places in product(("pre", "post"), ("sinusoidal", "learned"))
]
MIXED: list[dict[str, Any]] = [
    {"cell": "lstm", "attention": "bilinear"},
    {"cell": "lstm", "attention": {"kind": "additive", "hidden": 8}, "layers": 2},
    {"cell": {"kind": "lstm", "without": "output"}, "attention": "none"},
    {"cell": "gru", "attention": MULTIHEAD, "feed_summary": True},
]
READERS = [
    part
    for part in variants(Attention)
    if not (found := part.build(8, 8)).recurrent and not found.hard
]
RNNS = [
    *(
        Part(Decoder, "rnn", {"hidden": 8, "wiring": wiring, "input_feeding": feeding, **more})
        for (wiring, feeding), more in product(
            (("bahdanau", True), ("luong", True), ("luong", False)),
            MIXED,
        )
    ),
    *(Part(Decoder, "rnn", {"hidden": 16, "attention": part}) for part in READERS),
]
FAST = [
    Part(
        Model,
        "encoder_decoder",
        {"encoder": ENCODER, "decoder": decoder, "embedding": embedding, "tie": tie},
    )
    for decoder, embedding, tie in [
        *((decoder, 8, "output") for decoder in [*TRANSFORMERS, *RNNS]),
        *((decoder, 16, "output") for decoder in TRANSFORMERS),  # wide enough to be folded
        (Part(Decoder, "rnn", {"hidden": 10}), 8, "all"),
        (TRANSFORMERS[0], 8, "none"),
    ]
]
SERVED = [  # by the kernels, if there are any
    Part(Model, "encoder_decoder", {"encoder": ENCODER, "decoder": decoder, "embedding": 32})
    for decoder in TRANSFORMERS
]
CLEAR = [
    Part(Decoder, "transformer", {"layers": 2, "neighbourhood": 1, "attention": MULTIHEAD}),
    Part(Decoder, "transformer", {"layers": 2, "attention": {"heads": 2, "key_width": 3}}),
    Part(Decoder, "rnn", {"hidden": 8, "attention": "location_aware"}),
    Part(Decoder, "rnn_past", {"hidden": 8}),
]
every_fast = pytest.mark.parametrize("part", FAST, ids=name)


@pytest.fixture(autouse=True)
def _no_gradients() -> Iterator[None]:
    with torch.no_grad():
        yield


def both(model: Model) -> tuple[Start, Start]:
    fast = form_of(model)
    assert isinstance(fast, PackedEncoderDecoder)
    return Clear(writer(model)).begin(source()), fast.begin(source())


@every_fast
@pytest.mark.parametrize("few", [0, 4])
def test_however_lines_are_moved_the_steps_are_the_same(
    part: Part[Model], few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transformer, "_FEW", few)
    Walk(*both(build(part).double())).wander()


@every_fast
@pytest.mark.parametrize("search", [Beam(width=3, n_best=2), Beam(width=1), Greedy(), Sample(n=3)])
def test_a_search_finds_the_same(part: Part[Model], search: Search) -> None:
    clear, fast = both(build(part).double())
    task = Task(2, 3, torch.tensor([7, 3, 9, 30]), (0, 2), keys=[1, 2, 3, 4])
    expected, found = search(*clear, task), search(*fast, task)
    for one, other in zip(found, expected, strict=True):
        for mine, theirs in zip(one.hypotheses, other.hypotheses, strict=True):
            assert mine.tokens == theirs.tokens
            assert mine.token_scores == pytest.approx(theirs.token_scores, abs=1e-6)


def test_a_memory_is_folded_when_it_pays() -> None:
    narrow, wide = (
        form_of(build(Part(Model, "encoder_decoder", {"decoder": TRANSFORMERS[0], **more})))
        for more in ({"embedding": 8, "encoder": ENCODER}, {"embedding": 16, "encoder": ENCODER})
    )
    for form, folded in ((narrow, False), (wide, True)):
        assert isinstance(form, PackedEncoderDecoder)
        vectors = form.embedder(only(source()))
        lines = form.decoder.begin(form.encoder(vectors))
        assert isinstance(lines, transformer.Writing)
        lines.step(vectors.values[:, 0], lines.start)
        kinds = {transformer.Folded if folded else transformer.Source}
        assert {type(one) for one in lines.sources} == kinds


@pytest.mark.parametrize("part", [*FAST[:6], *FAST[-6:], *SERVED], ids=name)
def test_single_precision_is_near(part: Part[Model], each_form: str) -> None:
    model = build(part)
    form = form_of(model)
    native = part in SERVED and each_form == "kernels"
    assert type(form) is (NativeTransformer if native else PackedEncoderDecoder)
    clear, fast = Clear(model).begin(source()), form.begin(source())
    states = [clear.state, fast.state]
    for t in range(5):
        token = torch.arange(4) + 4 + t
        expected, states[0] = clear.step(token, states[0])
        found, states[1] = fast.step(token, states[1])
        assert_close(found, expected, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("decoder", CLEAR, ids=name)
def test_what_has_no_form_is_used_as_it_is(decoder: Part[Decoder]) -> None:
    part = Part(Model, "encoder_decoder", {"encoder": ENCODER, "decoder": decoder, "embedding": 8})
    assert isinstance(form_of(build(part)), Clear)


@pytest.mark.usefixtures("each_form")
@pytest.mark.parametrize("kind", MODELS)
def test_the_form_of_any_model_writes_what_the_model_writes(kind: str) -> None:
    model = build(MODELS[kind])
    clear, fast = Clear(model).begin(source()), form_of(model).begin(source())
    states = [clear.state, fast.state]
    for t in range(3):
        token = torch.arange(4) + 4 + t
        expected, states[0] = clear.step(token, states[0])
        found, states[1] = fast.step(token, states[1])
        assert_close(found, expected, atol=1e-5, rtol=1e-5)


def first_log_probs(ready: Ready) -> Tensor:
    step, state = ready.form.begin(source())
    return step(torch.full((4,), 2), state).log_probs


@pytest.mark.usefixtures("each_form")
@pytest.mark.parametrize("part", [FAST[0], SERVED[0]], ids=name)
def test_a_form_is_kept_until_the_weights_move(part: Part[Model]) -> None:
    model = build(part)
    ready, clear = Ready(model), Clear(model)
    assert ready.form is ready.form

    def moved(before: object) -> bool:
        step, state = clear.begin(source())
        expected = step(torch.full((4,), 2), state).log_probs
        assert_close(first_log_probs(ready), expected, atol=1e-5, rtol=1e-5)
        return ready.form is not before

    optimiser, kept = adamw(model, Training()), {k: v.clone() for k, v in weights.of(model).items()}
    form = ready.form
    for parameter in model.parameters():
        parameter.grad = torch.ones_like(parameter)
    optimiser.step()
    assert moved(form)
    form = ready.form
    weights.put(model, kept, "here")
    assert moved(form)
    form = ready.form
    model.load_state_dict({k: 2 * v for k, v in model.state_dict().items()})
    assert moved(form)
    assert not moved(ready.form)
