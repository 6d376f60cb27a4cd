"""What a Transformer decoder in C writes is what the clear one writes."""

import gc
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
import torch
from torch.testing import assert_close

from saccade.decoders.base import Decoder
from saccade.encoders.base import Encoder
from saccade.errors import ShapeError
from saccade.flow import Padded, only
from saccade.inference import cache
from saccade.inference.model import ClearSteps, PackedSteps, steps_of
from saccade.models.base import Model
from saccade.native import thread_choice
from saccade.native import transformer_decoder as native_module
from saccade.native.searcher import native_model
from saccade.native.transformer_decoder import (
    NativePastCache,
    NativeTransformer,
)
from saccade.native.transformer_encoder import NativeTransformerEncoder
from saccade.parts import Part
from saccade.search.base import Search, Task
from saccade.search.beam import Beam
from saccade.search.greedy import Greedy
from saccade.search.sample import Sample
from tests.inference.walk import SIZE, SOURCES, Walk, build, source, written
from tests.native.kernels import maker, needs_kernels
from tests.samples import name

pytestmark = needs_kernels
NEAR = 2e-5
LONG = [[4 + i % 17 for i in range(n)] for n in (30, 17, 25, 30)]  # longer than a head is wide


def part(norm: str = "pre", reader: str = "transformer", **options: Any) -> Part[Model]:
    """A model of heads of 16 numbers, which the kernels serve."""
    layers = {"layers": 2, "feed_forward": 40, "norm": norm, "attention": {"heads": 2}}
    reading = layers if reader == "transformer" else {"hidden": 12}
    given = {
        "embedding": 32,
        "encoder": Part(Encoder, reader, reading),
        "decoder": Part(Decoder, "transformer", layers),
    }
    return Part(Model, "encoder_decoder", {**given, **options})


def placed(positions: str) -> Part[Model]:
    """The same with other positions."""
    layers = {"layers": 2, "feed_forward": 40, "attention": {"heads": 2}, "positions": positions}
    return part(
        encoder=Part(Encoder, "transformer", layers), decoder=Part(Decoder, "transformer", layers)
    )


EVERY = [
    placed("rotary"),
    *(part(norm, reader) for norm, reader in product(("pre", "post"), ("transformer", "rnn"))),
    part(tie="none"),
    part(tie="all"),
]
every = pytest.mark.parametrize("kind", EVERY, ids=name)


@pytest.fixture(autouse=True)
def _no_gradients() -> Iterator[None]:
    with torch.no_grad():
        yield


def native(model: Model) -> NativeTransformer:
    form = native_model(model, maker())
    assert isinstance(form, NativeTransformer)
    return form


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("width", [1, 2, 7])
@pytest.mark.parametrize("sentences", [SOURCES, LONG], ids=["short", "long"])
@pytest.mark.parametrize("first", [1, 64])  # steps for which there is room at first
@pytest.mark.parametrize("kind", [part(), placed("rotary")], ids=["sinusoidal", "rotary"])
def test_a_beam_in_c_finds_what_one_step_by_step_finds(
    width: int,
    threads: int,
    sentences: list[list[int]],
    first: int,
    kind: Part[Model],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(thread_choice, "_SMALL", 0)
    monkeypatch.setattr(thread_choice._Size, "shares", lambda _: threads > 1)
    monkeypatch.setattr(native_module, "STEPS", 4)
    monkeypatch.setattr(cache, "_FEW", 0)
    monkeypatch.setattr(NativePastCache, "steps_at_first", first)
    torch.set_num_threads(threads)
    beam, form = Beam(width=width, n_best=width, patient=False), native(build(kind))
    task = Task(2, 3, torch.tensor([7, 0, 19, 30]), (0, 2))
    expected = beam(*form.begin(source(sentences)), task)
    assert form.read(only(source(sentences))).beam(beam.beam, task) == expected
    assert max(len(one.tokens) for found in expected for one in found.hypotheses) > 4


def test_a_walk_asks_for_no_place_that_there_is_not() -> None:
    positions = {"kind": "learned", "most": 6}
    options = {"layers": 1, "attention": {"heads": 2}, "positions": positions}
    kind = part(decoder=Part(Decoder, "transformer", options))
    form, beam = native(build(kind)), Beam(width=2)
    assert form.read(only(source())).beam(beam.beam, Task(2, 3, torch.full((4,), 5), (0, 2)))
    endless = Task(2, 99, torch.full((4,), 9), (0, 2))
    with pytest.raises(ShapeError, match="place 7 of a sequence is beyond most=6"):
        form.read(only(source())).beam(beam.beam, endless)


@every
@pytest.mark.parametrize("few", [0, 4])  # sources that are folded at once
@pytest.mark.parametrize("sentences", [SOURCES, LONG], ids=["short", "long"])
def test_however_lines_are_moved_the_steps_are_the_same(
    kind: Part[Model], few: int, sentences: list[list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "_FEW", few)
    model, read = build(kind), source(sentences)
    Walk(ClearSteps(model).begin(read), native(model).begin(read), NEAR).wander()


@pytest.mark.parametrize("lines", [1, 3])
@pytest.mark.parametrize("sentences", [SOURCES, LONG], ids=["folded", "as it is"])
def test_steps_do_not_depend_on_the_number_of_threads(
    sentences: list[list[int]], lines: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thread_choice, "_SMALL", 0)
    monkeypatch.setattr(thread_choice._Size, "shares", lambda _: True)
    form, found = native(build(part())), []
    for threads in (1, 2):
        torch.set_num_threads(threads)
        found.append(written(form, source(sentences), 5, lines))
    assert torch.equal(*found)


@every
@pytest.mark.parametrize("search", [Beam(width=3, n_best=2), Greedy(), Sample(n=3)])
def test_a_search_finds_the_same(kind: Part[Model], search: Search) -> None:
    model = build(kind)
    task = Task(2, 3, torch.tensor([7, 3, 9, 30]), (0, 2), keys=[1, 2, 3, 4])
    expected = search(*ClearSteps(model).begin(source()), task)
    found = search(*native(model).begin(source()), task)
    for one, other in zip(found, expected, strict=True):
        for mine, theirs in zip(one.hypotheses, other.hypotheses, strict=True):
            assert mine.tokens == theirs.tokens
            assert mine.token_scores == pytest.approx(theirs.token_scores, abs=1e-4)


@pytest.mark.parametrize("few", [0, 9])
@pytest.mark.parametrize("lines", [1, 3])
def test_a_sentence_is_the_same_alone_and_with_others_of_its_length(
    few: int, lines: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "_FEW", few)
    form, sentences = native(build(part())), [[4, 5, 6], [9, 3, 7], [6, 7, 3], [8, 8, 8]]
    together = written(form, source(sentences), 4, lines)
    for i, one in enumerate(sentences):
        alone = written(form, source([one]), 4, lines)
        assert torch.equal(alone, together[:, i * lines : (i + 1) * lines])


@pytest.mark.parametrize(("sentences", "folded"), [(SOURCES, True), (LONG, False)])
def test_a_memory_is_folded_when_it_pays(sentences: list[list[int]], folded: bool) -> None:
    batch = native(build(part())).read(only(source(sentences)))
    batch.step(torch.full((4,), 4), batch.start)
    assert {one.folded for one in batch.sources} == {folded}


def test_a_source_of_nothing_is_read_as_the_clear_model_reads_it() -> None:
    model = build(part())
    whole = only(source())
    mask = whole.mask.clone()
    mask[1] = False
    read = {"source": Padded(whole.values, mask)}
    walk = Walk(ClearSteps(model).begin(read), native(model).begin(read), NEAR)
    for _ in range(3):
        walk.step()


def test_rows_that_serve_two_groups_are_written_apart() -> None:
    """Lines that leave one by one, as those of `sample` do, stand in groups of unequal size."""
    model = build(part())
    walk = Walk(ClearSteps(model).begin(source()), native(model).begin(source()), NEAR)
    walk.step()
    walk.move([0, 0, 1, 2, 2, 3])
    for _ in range(4):
        walk.step()
    walk.move([0, 0, 2, 2, 0, 0])  # of equal size, but one of them twice
    for _ in range(4):
        walk.step()


def test_a_form_outlives_its_model() -> None:
    model = build(part())
    expected = written(native(model), source(), 2)
    form = native(build(part()))
    gc.collect()
    assert len([torch.full((32,), 7.0) for _ in range(200)]) == 200  # take what was let go
    assert torch.equal(written(form, source(), 2), expected)


def test_other_encoders_are_packed_for_the_decoder() -> None:
    near = Part(Encoder, "transformer", {"layers": 1, "neighbourhood": 1})
    for kind, own in ((part(), True), (part(reader="rnn"), False), (part(encoder=near), False)):
        model = build(kind)
        form = native(model)
        assert isinstance(form.encoder, NativeTransformerEncoder) == own
        step, state = ClearSteps(model).begin(source())
        expected = step(torch.full((4,), 4), state).log_probs
        assert_close(written(form, source(), 1)[0], expected, atol=NEAR, rtol=NEAR)


@pytest.mark.parametrize(
    "options",
    [
        {"embedding": 24},  # heads of 12
        {"decoder": Part(Decoder, "transformer", {"layers": 1, "attention": {"heads": 4}})},
        {"decoder": Part(Decoder, "transformer", {"layers": 1, "neighbourhood": 2})},
        {"decoder": Part(Decoder, "transformer", {"layers": 1, "attention": {"key_width": 16}})},
        {"decoder": Part(Decoder, "rnn", {"hidden": 16})},
    ],
    ids=["width", "heads", "neighbourhood", "keys", "rnn"],
)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_of_others_the_linear_layers_are_the_kernels(
    options: dict[str, Any], dtype: torch.dtype
) -> None:
    model = build(part(**options)).to(dtype)
    assert native_model(model, maker()) is None
    form = steps_of(model, maker())
    walk = Walk(ClearSteps(model).begin(source()), form.begin(source()), NEAR)
    for _ in range(3):
        walk.step()
        walk.move([1, 0, 2, 3])


def test_double_precision_is_torchs() -> None:
    model = build(part()).double()
    assert native_model(model, maker()) is None
    form = steps_of(model, maker())
    assert isinstance(form, PackedSteps)
    walk = Walk(ClearSteps(model).begin(source()), form.begin(source()))
    for _ in range(3):
        walk.step()


def test_what_is_written_is_a_distribution() -> None:
    log_probs = written(native(build(part())), source(), 3, lines=2)
    assert log_probs.shape == (3, 8, SIZE)
    sums = log_probs.double().exp().sum(dim=2)
    assert_close(sums, torch.ones_like(sums), atol=1e-6, rtol=0.0)
