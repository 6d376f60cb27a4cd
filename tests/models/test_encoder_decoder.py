import pytest
import torch
from torch import nn
from torch.nn.functional import pad
from torch.testing import assert_close

from saccade.decoders.base import Decoder
from saccade.encoders.base import Encoder
from saccade.errors import ShapeError
from saccade.flow import Batch, Memory, Padded
from saccade.heads.base import Head
from saccade.models.base import writer
from saccade.models.encoder_decoder import EncoderDecoder, _joined
from saccade.nouns import Side
from saccade.objectives._errors import squared_error
from saccade.parts import Part
from saccade.search.base import Task
from saccade.search.greedy import Greedy
from saccade.tokenizers._vocabulary import END, PAD, START, UNK
from tests.samples import (
    MODELS,
    PAIRS,
    backward,
    collate,
    mask_of,
    pairs_batch,
    randn,
    scramble,
    series,
    sides,
    trained,
    vocabulary,
    windows,
)

RNN = {"hidden": 6}


def names(**options: object) -> set[str]:
    parts = {"encoder": Part(Encoder, "rnn", RNN), "decoder": Part(Decoder, "rnn", RNN)}
    model = EncoderDecoder(*sides(9), **{**parts, **options})  # type: ignore[arg-type]
    inside = ("reading.encoders", "decoder")
    return {name for name, _ in model.named_parameters() if not name.startswith(inside)}


def test_tying_shares_matrices() -> None:
    common, source = {"target_embedding.weight", "head.bias"}, "reading.embedders.source.weight"
    narrow = {"head.narrow.weight", "head.narrow.bias"}
    assert names(embedding=6, tie="none") == common | {source, "head.weight"}
    assert names(embedding=6, tie="output") == common | {source}
    assert names(embedding=6, tie="all") == common
    assert names(embedding=5, tie="output") == common | {source} | narrow


def test_one_matrix_for_all_needs_one_vocabulary() -> None:
    message = (
        "model.tie: all needs one vocabulary, but the source has 9 symbols and the target 8. Set"
        " data.joint: true, or tie: output."
    )
    with pytest.raises(ShapeError, match=message):
        EncoderDecoder(*sides(9, 8), tie="all")


@pytest.mark.parametrize("kind", MODELS)
def test_learns_eight_pairs_exactly(kind: str) -> None:
    model, batch = writer(trained(kind)), pairs_batch()
    task = Task(START, END, torch.full((8,), 20), banned=(PAD, START, UNK))
    found = Greedy()(model.step, model.start(batch.sources), task)
    written = [vocabulary().decode(one.hypotheses[0].tokens) for one in found]
    assert written == [target for _, target in PAIRS]


def test_a_step_looks_over_the_source_even_if_the_memory_is_shorter() -> None:
    model = EncoderDecoder(
        *sides(len(vocabulary())),
        encoder=Part(Encoder, "pyramid", {"hidden": 6}),
        decoder=Part(Decoder, "rnn", RNN),
        embedding=6,
        dropout=0.0,
    ).eval()
    batch = pairs_batch()
    whole = model(batch, look=True).weights
    state, weights = model.start(batch.sources), []
    for t in range(3):
        _, one, state = model.advance(batch.prefix[:, t], state, look=True)
        assert one is not None
        weights.append(one)
    assert whole is not None
    assert_close(torch.stack(weights, dim=1), whole[:, :3])
    assert_close(whole.sum(dim=3), torch.ones_like(whole[..., 0]))


NARROW = {"hidden": 12, "dropout": 0.0}
PLAIN = {"attention": "none", "wiring": "luong", "input_feeding": False}


def forecaster(*, relative: bool = False) -> EncoderDecoder:
    return EncoderDecoder(
        *series(1),
        encoder=Part(Encoder, "rnn", NARROW),
        decoder=Part(Decoder, "rnn", {**NARROW, **PLAIN}),
        head=Part(Head, "values", {"relative": relative}),
        embedding=4,
        dropout=0.0,
    )


def waves() -> Batch:
    """Sines of sixteen phases: twelve places are read, six are written."""
    phases = torch.arange(16) * 0.4
    every = [torch.sin(torch.arange(18) * 0.8 + phase)[:, None] for phase in phases]
    return windows([wave[:12] for wave in every], [wave[12:] for wave in every])


def test_relative_adds_the_last_known_value() -> None:
    plain, relative = scramble(forecaster()), scramble(forecaster(relative=True))
    found = [model.head.best(model(waves()).features) for model in (plain, relative)]
    assert_close(found[1] - found[0], waves().source.values[:, -1:].expand(-1, 6, -1))


def test_learns_to_go_on_by_itself() -> None:
    with torch.random.fork_rng():
        torch.manual_seed(1)
        model = forecaster()
    batch = waves()
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-2)
    loss = squared_error(model, batch, free_running=True)
    for _ in range(150):
        optimiser.zero_grad()
        backward(loss.total / loss.count)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        loss = squared_error(model, batch, free_running=True)
    assert loss.total.item() / loss.count < 0.02  # sines have a variance of 0.5


def test_a_forecaster_has_no_log_probabilities() -> None:
    model, batch = forecaster(), waves()
    said = "ValueHead: writes values, which have no log-probabilities; expected a head of symbols"
    with pytest.raises(ShapeError, match=said):
        model.step(batch.prefix[:, 0], model.start(batch.sources))


SOURCES = {"question": [[4, 5, 6], [7]], "passage": [[8], [5, 4, 8, 7]]}
TARGETS = [[4, 5], [6]]
ENCODERS = {
    "one each": {},
    "a shorter memory": {"passage": Part(Encoder, "pyramid", {"hidden": 6, "layers": 2})},
    "other values": {"question": Part(Encoder, "conv_s2s", {"hidden": 6, "layers": 1})},
}
every = pytest.mark.parametrize("kind", ENCODERS)


def reader(kind: str = "one each") -> EncoderDecoder:
    """A model of two sources."""
    wide = Part(Encoder, "rnn", {"hidden": 6, "bidirectional": kind != "other values"})
    return scramble(
        EncoderDecoder(
            {name: Side(9) for name in SOURCES},
            Side(9),
            encoder=wide,
            encoders=ENCODERS[kind],
            decoder=Part(Decoder, "rnn", RNN),
            embedding=6,
            dropout=0.0,
        )
    )


def two(*rows: int, wider: str = "") -> Batch:
    """Make a batch of two sources, one of them with three places of padding more."""
    targets = collate([[]] * len(rows), [TARGETS[i] for i in rows])
    sources = {
        name: collate([texts[i] for i in rows], [[]] * len(rows)).source
        for name, texts in SOURCES.items()
    }
    if wider:
        values, mask = sources[wider].values, sources[wider].mask
        sources[wider] = Padded(pad(values, (0, 3), value=5), pad(mask, (0, 3)))
    return Batch(sources, targets.target, targets.prefix)


@every
@pytest.mark.parametrize("wider", SOURCES)
def test_padding_of_one_source_changes_nothing(kind: str, wider: str) -> None:
    model = reader(kind)
    assert_close(model(two(0, 1, wider=wider)).features, model(two(0, 1)).features)


@every
def test_two_sources_of_a_row_do_not_know_of_other_rows(kind: str) -> None:
    model = reader(kind)
    whole = model(two(0, 1)).features
    for i in range(2):
        alone = model(two(i)).features[0]
        assert_close(alone, whole[i, : len(alone)])


@every
def test_weights_of_joined_places_sum_to_one_and_lie_on_their_sources(kind: str) -> None:
    model, batch = reader(kind), two(0, 1)
    whole = model(batch, look=True).weights  # [B, T, 1, S1 + S2]
    places = torch.cat([batch.sources[name].mask for name in SOURCES], dim=1)  # [B, S1 + S2]
    assert whole.shape == (2, 3, 1, places.shape[1])
    assert_close(whole.sum(dim=3), torch.ones(2, 3, 1))
    assert torch.equal(whole[:, 0, 0] > 0, places)
    state, stepped = model.start(batch.sources), []
    for t in range(3):
        _, weights, state = model.advance(batch.prefix[:, t], state, look=True)
        assert weights is not None
        stepped.append(weights)
    assert_close(torch.stack(stepped, dim=1), whole)


def test_weights_map_back_to_the_places_of_their_own_source() -> None:
    """The joined states stand in another order than the places; the map undoes it."""
    model, batch = reader(), two(0, 1)
    memory = model.reading(batch.sources)
    assert memory.places is not None
    own = [
        encoder.read(model.reading.embedders[name](batch.sources[name])).states
        for name, encoder in model.reading.encoders.items()
        if isinstance(encoder, Encoder)
    ]
    places = torch.cat([batch.sources[name].mask for name in SOURCES], dim=1)
    for row, states in enumerate(torch.cat(own, dim=1)):
        found = memory.states[row, memory.places[row, places[row]]]
        assert_close(found, states[places[row]])


def test_each_source_may_be_of_its_own_kind() -> None:
    """Numbers beside text; both are read."""
    model = scramble(
        EncoderDecoder(
            {"text": Side(9), "series": Side(2, "linear", "values")},
            Side(9),
            encoder=Part(Encoder, "rnn", RNN),
            decoder=Part(Decoder, "rnn", RNN),
            embedding=6,
            dropout=0.0,
        )
    )
    text = collate([[4, 5], [6]], TARGETS)
    numbers = windows([randn(3, 2), randn(1, 2)], [randn(1, 2)] * 2).source
    found = model(Batch({"text": text.source, "series": numbers}, text.target, text.prefix))
    moved = Padded(numbers.values + 1, numbers.mask)
    other = model(Batch({"text": text.source, "series": moved}, text.target, text.prefix))
    assert found.features.isfinite().all()
    assert not torch.allclose(found.features, other.features)


def test_the_places_of_all_sources_are_one_row() -> None:
    model = reader()
    assert model.grid({"question": (4,), "passage": (5,)}) == (9,)
    assert forecaster().grid({"source": (7, 1)}) == (7,)


def test_memories_of_unequal_width_are_refused() -> None:
    said = "model.encoders: the memories have different widths: a 6, b 8; expected one width."
    parts = {
        name: Part(Encoder, "rnn", {"hidden": hidden, "bidirectional": False})
        for name, hidden in (("a", 6), ("b", 8))
    }
    with pytest.raises(ShapeError, match=said):
        EncoderDecoder({"a": Side(9), "b": Side(9)}, Side(9), encoders=parts)


def test_a_joined_memory_says_whose_its_places_are() -> None:
    one, other = (
        Memory(randn(2, n, 4, seed=n), mask_of(*lengths), randn(2, 4))
        for n, lengths in ((3, (3, 1)), (2, (1, 2)))
    )
    joined = _joined([one, other])
    assert joined.belongs is not None
    found = joined.belongs.long().argmax(dim=2)
    assert [row[m].tolist() for row, m in zip(found, joined.mask, strict=True)] == [
        [0, 0, 0, 1],
        [0, 1, 1],
    ]
