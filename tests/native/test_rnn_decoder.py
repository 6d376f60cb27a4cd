"""What a recurrent decoder in C writes is what the clear one writes."""

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import Tensor

from saccade.decoders.base import Decoder
from saccade.flow import Memory, Padded, only
from saccade.heads.symbols import SymbolHead
from saccade.inference.model import ClearSteps, steps_of
from saccade.inference.steps import Start
from saccade.models.base import Model
from saccade.native import rnn_decoder, thread_choice
from saccade.native.rnn_decoder import NativeRnn, RnnBatch
from saccade.native.searcher import native_model
from saccade.parts import Part
from saccade.search.base import Search, Task
from saccade.search.beam import Beam
from saccade.search.greedy import Greedy
from saccade.search.sample import Sample
from tests.inference.walk import SIZE, Walk, build, source, written, written_by
from tests.native.kernels import maker, needs_kernels
from tests.samples import name, sides

pytestmark = needs_kernels
NEAR = 2e-5
LUONG = {"cell": "lstm", "wiring": "luong", "attention": "bilinear", "hidden": 32}


def part(tie: str = "output", **options: Any) -> Part[Model]:
    """A model that the kernels serve; its output is narrowed unless nothing is tied."""
    encoder = {"kind": "rnn", "cell": "lstm", "hidden": 16}  # of two directions: a memory of 32
    decoder = Part(Decoder, "rnn", {**LUONG, **options})
    given = {"embedding": 24, "encoder": encoder, "decoder": decoder, "tie": tie}
    return Part(Model, "encoder_decoder", given)


EVERY = [
    part(),
    part("all", attention="dot"),
    part("none", attention="scaled_dot"),
    part(input_feeding=False),
    part(layers=2),
    part(layers=3, input_feeding=False),
]
every = pytest.mark.parametrize("kind", EVERY, ids=name)


@pytest.fixture(autouse=True)
def _no_gradients() -> Iterator[None]:
    with torch.no_grad():
        yield


def native(model: Model, *, int8: bool = False) -> NativeRnn:
    form = native_model(model, maker(int8=int8))
    assert isinstance(form, NativeRnn)
    return form


@every
def test_however_lines_are_moved_the_steps_are_the_same(kind: Part[Model]) -> None:
    model = build(kind)
    Walk(ClearSteps(model).begin(source()), native(model).begin(source()), NEAR).wander()


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


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("width", [1, 2, 7])
@pytest.mark.parametrize("int8", [False, True])
def test_a_beam_in_c_finds_what_one_step_by_step_finds(
    width: int, threads: int, int8: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thread_choice, "_SMALL", 0)
    monkeypatch.setattr(thread_choice._Size, "shares", lambda _: threads > 1)
    monkeypatch.setattr(rnn_decoder, "STEPS", 4)
    torch.set_num_threads(threads)
    beam = Beam(width=width, n_best=width, patient=False)
    form = native(build(part(layers=2)), int8=int8)
    task = Task(2, 3, torch.tensor([7, 0, 9, 30]), (0, 2))
    expected = beam(*form.begin(source()), task)
    assert form.read(only(source())).beam(beam.beam, task) == expected
    assert max(len(one.tokens) for found in expected for one in found.hypotheses) > 4


def test_what_is_known_of_symbols_serves_other_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rnn_decoder, "_KNOWN", 40)
    model, beam, task = build(part()), Beam(width=3), Task(2, 3, torch.tensor([9, 9]), (0, 2))
    form, batches = native(model), [[[4, 5], [6]], [[7, 8, 9], [10]], [[11], [12, 4, 4]]]
    for batch in batches:
        alone = native(model).read(only(source(batch))).beam(beam.beam, task)
        assert form.read(only(source(batch))).beam(beam.beam, task) == alone
    assert form.known._structure.n > 0


def test_log_probabilities_of_a_wide_range_are_right() -> None:
    model = part("none").build(*sides(3001))
    head = model.head
    assert isinstance(head, SymbolHead)
    head.weight.zero_()
    for spread in (0.1, 3.0, 40.0):
        head.bias.copy_(torch.randn(3001, generator=torch.Generator().manual_seed(1)) * spread)
        step, state = native(model).begin(source())
        log_probs = step(torch.tensor([4, 5, 6, 7]), state).log_probs.double()
        expected = head.bias.double().log_softmax(dim=0).expand(4, -1)
        near = 1e-6 + 1.2e-7 * float(head.bias.abs().max())  # the rounding of scores themselves
        torch.testing.assert_close(log_probs, expected, atol=near, rtol=3e-7)


@pytest.mark.parametrize("lines", [1, 3, 7])
def test_steps_do_not_depend_on_the_number_of_threads(
    lines: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thread_choice, "_SMALL", 0)
    monkeypatch.setattr(thread_choice._Size, "shares", lambda _: True)
    form, both = native(build(part(layers=2))), []
    for threads in (1, 2):
        torch.set_num_threads(threads)
        both.append(written(form, source(), 5, lines))
    assert torch.equal(*both)


@pytest.mark.parametrize("int8", [False, True])
@pytest.mark.parametrize("lines", [1, 2, 3, 7])
def test_a_sentence_is_the_same_alone_and_with_others(lines: int, int8: bool) -> None:
    form = native(build(part()), int8=int8)
    states, summary = torch.randn(4, 5, 32), torch.randn(4, 32)
    mask = torch.arange(5) < torch.tensor([5, 3, 1, 4])[:, None]

    def steps(rows: slice) -> Tensor:
        memory = Memory(states[rows], mask[rows], summary[rows])
        batch = RnnBatch(form, memory)
        return written_by(Start(batch.step, batch.start), len(memory.mask), 4, lines)

    together = steps(slice(0, 4))
    for i in range(4):
        assert torch.equal(steps(slice(i, i + 1)), together[:, i * lines : (i + 1) * lines])


def test_symbols_that_were_forgotten_are_found_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rnn_decoder, "_KNOWN", 1)  # room for four symbols of one line
    model, one = build(part()), source([[4, 5, 6]])
    (clear, its), (fast, own) = ClearSteps(model).begin(one), native(model).begin(one)
    for symbol in (4, 5, 6, 7, 4, 8, 9, 5, 5, 10, 4):
        expected, its = clear(torch.tensor([symbol]), its)
        found, own = fast(torch.tensor([symbol]), own)
        torch.testing.assert_close(found, expected, atol=NEAR, rtol=NEAR)


def test_a_source_of_nothing_is_read_as_the_clear_model_reads_it() -> None:
    model, whole = build(part()), only(source())
    mask = whole.mask.clone()
    mask[1] = False
    read = {"source": Padded(whole.values, mask)}
    walk = Walk(ClearSteps(model).begin(read), native(model).begin(read), NEAR)
    for _ in range(3):
        walk.step()


@pytest.mark.parametrize(
    "options",
    [
        {"wiring": "bahdanau"},
        {"cell": "gru"},
        {"cell": {"kind": "lstm", "without": "output"}},
        {"attention": "additive"},
        {"feed_summary": True},
        {"hidden": 24},
    ],
    ids=str,
)
def test_of_others_the_linear_layers_are_the_kernels(options: dict[str, Any]) -> None:
    model = build(part(**options))
    assert native_model(model, maker()) is None
    form = steps_of(model, maker())
    walk = Walk(ClearSteps(model).begin(source()), form.begin(source()), NEAR)
    for _ in range(3):
        walk.step()
        walk.move([1, 0, 2, 3])


def test_what_is_written_is_a_distribution() -> None:
    log_probs = written(native(build(part())), source(), 3, lines=2)
    assert log_probs.shape == (3, 8, SIZE)
    sums = log_probs.double().exp().sum(dim=2)
    torch.testing.assert_close(sums, torch.ones_like(sums), atol=1e-6, rtol=0.0)
