"""What a form writes is what the clear model writes, however lines are moved about."""

from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
import torch
from torch.testing import assert_close

from saccade.attention.base import Attention
from saccade.decoders.base import Decoder
from saccade.encoders.base import Encoder
from saccade.flow import only
from saccade.inference import cache
from saccade.inference.linear import BlockedLinear
from saccade.inference.model import ClearSteps, EnsembleSteps, PackedSteps, steps_of
from saccade.inference.steps import ModelSteps, Start
from saccade.inference.transformer import TransformerLines
from saccade.models.base import Model, Writer
from saccade.parts import Part
from saccade.search.base import Search, Task
from saccade.search.beam import Beam
from saccade.search.greedy import Greedy
from saccade.search.sample import Sample
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
    for norm, places in product(("pre", "post"), ("sinusoidal", "learned", "rotary"))
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
CLEAR = [
    Part(Decoder, "transformer", {"layers": 2, "attention": MULTIHEAD, "positions": "relative"}),
    Part(Decoder, "transformer", {"layers": 2, "attention": MULTIHEAD, "positions": "merged"}),
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


def both(model: Writer) -> tuple[Start, Start]:
    fast = steps_of(model, BlockedLinear)
    assert isinstance(fast, PackedSteps)
    return ClearSteps(model).begin(source()), fast.begin(source())


@every_fast
@pytest.mark.parametrize("few", [0, 4])
def test_however_lines_are_moved_the_steps_are_the_same(
    part: Part[Model], few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "_FEW", few)
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


def test_an_ensemble_is_laid_out_member_by_member() -> None:
    model = build(Part(Model, "ensemble", {"members": [MODELS["luong"], MODELS["pre"], FAST[0]]}))
    form = steps_of(model.double(), BlockedLinear)
    assert isinstance(form, EnsembleSteps)
    assert all(isinstance(one, PackedSteps) for one in form.members)
    assert form.batch_places(4) == min(one.batch_places(4) for one in form.members)
    Walk(ClearSteps(model).begin(source()), form.begin(source())).wander()


def test_a_memory_is_folded_when_it_pays() -> None:
    part = TRANSFORMERS[0]
    narrow, wide = (
        steps_of(build(Part(Model, "encoder_decoder", {"decoder": part, **more})), BlockedLinear)
        for more in ({"embedding": 8, "encoder": ENCODER}, {"embedding": 16, "encoder": ENCODER})
    )
    for form, folded in ((narrow, False), (wide, True)):
        assert isinstance(form, PackedSteps)
        vectors = form.embedder(only(source()))
        lines = form.decoder.begin(form.encoder(vectors))
        assert isinstance(lines, TransformerLines)
        lines.step(vectors.values[:, 0], lines.start)
        assert {one.folded for one in lines.sources} == {folded}


@pytest.mark.parametrize("part", [*FAST[:6], *FAST[-6:]], ids=name)
def test_single_precision_is_near(part: Part[Model]) -> None:
    model = build(part)
    form = steps_of(model, BlockedLinear)
    assert type(form) is PackedSteps
    _write_the_same(model, form, steps=5)


@pytest.mark.parametrize("decoder", CLEAR, ids=name)
def test_what_has_no_form_is_used_as_it_is(decoder: Part[Decoder]) -> None:
    part = Part(Model, "encoder_decoder", {"encoder": ENCODER, "decoder": decoder, "embedding": 8})
    assert isinstance(steps_of(build(part), BlockedLinear), ClearSteps)


@pytest.mark.parametrize("kind", MODELS)
def test_the_form_of_any_model_writes_what_the_model_writes(kind: str) -> None:
    model = build(MODELS[kind])
    _write_the_same(model, steps_of(model, BlockedLinear), steps=3)


def _write_the_same(model: Writer, form: ModelSteps, steps: int) -> None:
    clear, fast = ClearSteps(model).begin(source()), form.begin(source())
    states = [clear.state, fast.state]
    for t in range(steps):
        token = torch.arange(4) + 4 + t
        expected, states[0] = clear.step(token, states[0])
        found, states[1] = fast.step(token, states[1])
        assert_close(found, expected, atol=1e-5, rtol=1e-5)
