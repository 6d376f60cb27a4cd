"""What every decoder must do: above all, that writing at once is writing step by step."""

from dataclasses import replace
from functools import partial
from itertools import product

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from saccade.attention.base import Attention
from saccade.attention.hard import PROBABILITY
from saccade.cells.base import Cell
from saccade.decoders.base import Decoder
from saccade.errors import ShapeError
from saccade.flow import SOURCE, State, nested, reorder, reorder_within
from saccade.parts import Part, find
from saccade.positions.base import Positions
from tests import samples
from tests.samples import (
    SMALL,
    WIDTH,
    backward,
    made_by,
    missing_gradients,
    name,
    randn,
    readers,
    rows_of,
    scramble,
    variants,
)

DIM, T, LENGTHS = WIDTH, 4, (3, 5, 1)
RNN = {k: SMALL[k] for k in ("hidden", "layers", "dropout")}
TRANSFORMER = {k: SMALL[k] for k in ("layers", "feed_forward", "dropout")}
WIRINGS = (("bahdanau", True), ("luong", True), ("luong", False))
READERS = readers(DIM)
NONE = Part(Attention, "none")
ADDED, OTHERS = samples.positions(added=True), samples.positions(added=False)
INSIDE = [part for part in OTHERS if find(Positions, part.kind).adds]
MULTIHEAD = Part(Attention, "multihead", {"heads": 2})
MATES = [  # every cell under one attention, every attention over one cell
    *product([Part(Attention, "additive", {"hidden": 8})], variants(Cell)),
    *product(variants(Attention), [Part(Cell, "lstm")]),
]
RNNS = [
    Part(
        Decoder,
        "rnn",
        {
            **RNN,
            "wiring": wiring,
            "input_feeding": feeding,
            "attention": attention,
            "cell": cell,
            "layers": layers,
        },
    )
    for (wiring, feeding), (attention, cell), layers in product(WIRINGS, MATES, (1, 2))
]
TRANSFORMERS = [
    Part(
        Decoder,
        "transformer",
        {**TRANSFORMER, "norm": norm, "attention": attention, "positions": positions},
    )
    for norm, (attention, positions) in product(
        ("pre", "post"),
        [
            *product(READERS, ADDED),
            *product([one for one in READERS if one.kind == "multihead"], OTHERS),
        ],
    )
]
NEAR = Part(Decoder, "transformer", {**TRANSFORMER, "neighbourhood": 1})
CONVOLUTIONS = [
    *(Part(Decoder, "conv_s2s", {**RNN, "attention": a}) for a in variants(Attention) if a != NONE),
    *(Part(Decoder, "conv_s2s", {**RNN, "positions": part}) for part in ADDED),
    *(Part(Decoder, "conv_s2s", {**RNN, "kernel": kernel}) for kernel in (1, 2, 7)),
]
INSTANTS = [
    *(Part(Decoder, "instant", {**RNN, "attention": part}) for part in variants(Attention)),
    *(Part(Decoder, "instant", {**RNN, "positions": part}) for part in ADDED),
]
PLACED = [Part(Decoder, "transformer", {**TRANSFORMER, "positions": part}) for part in OTHERS]
GNMTS = [
    Part(Decoder, "gnmt", {**RNN, "layers": 3, "attention": attention, "cell": cell})
    for attention, cell in [*MATES[:2], *MATES[-4:]]
]
FEW = [
    *variants(Decoder),
    GNMTS[0],
    NEAR,
    *PLACED,
    *RNNS[::5],
    *TRANSFORMERS[::5],
    *CONVOLUTIONS[::3],
    *INSTANTS[::3],
]
COMBINATIONS = [*RNNS, *GNMTS, *TRANSFORMERS, NEAR, *CONVOLUTIONS, *INSTANTS]
all_combinations = pytest.mark.parametrize("part", COMBINATIONS, ids=name)
every = pytest.mark.parametrize("part", FEW, ids=name)
each_form = pytest.mark.usefixtures("each_form")  # by the kernels, and without them
memory = partial(samples.memory, dim=DIM)


def build(part: Part[Decoder]) -> Decoder:
    scale = 0.12 if part.kind == "conv_s2s" else 0.25  # what a layer reads asks in the next layer
    return scramble(part.build(DIM, DIM), scale=scale)


def steps(decoder: Decoder, x: Tensor, state: State) -> tuple[Tensor, Tensor, State]:
    features, maps = [], []
    for t in range(x.shape[1]):
        written, weights, state = decoder.step(x[:, t], state, look=True)
        assert weights is not None
        features.append(written)
        maps.append(weights)
    return torch.stack(features, dim=1), torch.stack(maps, dim=1), state


def tensors(state: State) -> list[Tensor]:
    flat: list[Tensor] = []
    for entry in state.values():
        flat.extend([entry] if isinstance(entry, Tensor) else tensors(entry))
    return flat


FED = {**RNN, "layers": 1, "wiring": "luong", "cell": Part(Cell, "lstm"), "attention": "dot"}
TAKEN = [
    (Part(Decoder, "rnn", FED), "_Steps"),
    (Part(Decoder, "rnn", {**FED, "input_feeding": False}), "_Lstm"),
    (Part(Decoder, "transformer", {**TRANSFORMER, "attention": MULTIHEAD}), "_Attention"),
]


@pytest.mark.parametrize(("part", "function"), TAKEN, ids=name)
def test_kernels_take_part(part: Part[Decoder], function: str, each_form: str) -> None:
    features = build(part)(randn(3, T, DIM), memory(*LENGTHS)).features
    assert made_by(function, features) is (each_form == "kernels")


@all_combinations
@each_form
def test_at_once_is_step_by_step(part: Part[Decoder]) -> None:
    decoder, x = build(part), randn(3, T, DIM)
    whole = decoder(x, memory(*LENGTHS), look=True)
    features, weights, _ = steps(decoder, x, decoder.start(memory(*LENGTHS)))
    assert_close(features, whole.features)
    assert_close(weights, whole.weights)
    assert_close(decoder(x, memory(*LENGTHS)).features, whole.features)


@every
def test_shapes_and_names(part: Part[Decoder]) -> None:
    decoder, x = build(part), randn(3, T, DIM)
    features, weights = decoder(x, memory(*LENGTHS), look=True)
    assert features.shape == (3, T, decoder.feature_dim)
    assert weights.shape == (3, T, len(decoder.attention_names), 5)
    assert len(set(decoder.attention_names)) == len(decoder.attention_names)
    stepped = decoder.step(x[:, 0], decoder.start(memory(*LENGTHS)), look=True)
    assert stepped.weights is not None
    assert stepped.weights.shape == (3, len(decoder.attention_names), 5)


@every
def test_weights_are_made_only_when_asked_for(part: Part[Decoder]) -> None:
    decoder, x = build(part), randn(3, T, DIM)
    assert decoder(x, memory(*LENGTHS)).weights is None
    assert decoder.step(x[:, 0], decoder.start(memory(*LENGTHS))).weights is None


@every
def test_nobody_looks_at_padding(part: Part[Decoder]) -> None:
    decoder, x = build(part), randn(3, T, DIM)
    weights = decoder(x, memory(*LENGTHS), look=True).weights
    assert (weights.masked_select(~memory(*LENGTHS).mask[:, None, None]) == 0).all()


@every
@each_form
def test_adding_padding_changes_nothing(part: Part[Decoder]) -> None:
    decoder, x = build(part), randn(3, T, DIM)
    before = decoder(x, memory(*LENGTHS))
    after = decoder(torch.cat([x, x], dim=1), memory(*LENGTHS, extra=3))
    assert_close(after.features[:, :T], before.features)  # nor does what is written later


@every
@each_form
def test_rows_do_not_know_of_each_other(part: Part[Decoder]) -> None:
    decoder, x, source = build(part), randn(3, T, DIM), memory(*LENGTHS)
    whole = decoder(x, source).features
    turn = torch.tensor([2, 0, 1])
    assert_close(decoder(x[turn], rows_of(source, turn)).features, whole[turn])
    for i, n in enumerate(LENGTHS):
        row = rows_of(source, torch.tensor([i]))
        one = replace(row, states=row.states[:, :n], mask=row.mask[:, :n])
        assert_close(decoder(x[i : i + 1], one).features[0], whole[i])


@every
@each_form
def test_a_source_of_nothing_does_no_harm(part: Part[Decoder]) -> None:
    decoder, x = build(part), randn(2, T, DIM)
    decoded = decoder(x, memory(0, 3), look=True)
    assert decoded.features.isfinite().all()
    assert (decoded.weights[0] == 0).all()
    assert_close(decoder(x, memory(0, 3)).features, decoded.features)
    backward(decoder(x, memory(0, 3)).features.sum())
    assert all(p.grad is None or p.grad.isfinite().all() for p in decoder.parameters())


@every
def test_state_is_a_value_with_rows_first(part: Part[Decoder]) -> None:
    decoder, x, source = build(part), randn(3, T, DIM), memory(*LENGTHS)
    _, _, state = steps(decoder, x[:, :2], decoder.start(source))
    copies = [one.clone() for one in tensors(state)]
    assert all(len(one) == 3 for one in tensors(state))
    expected, _, _ = steps(decoder, x[:, 2:], state)
    turn = torch.tensor([1, 1, 2, 0])
    turned, _, _ = steps(decoder, x[turn, 2:], reorder(state, turn))
    assert_close(turned, expected[turn])
    assert all(torch.equal(*pair) for pair in zip(tensors(state), copies, strict=True))


@every
def test_rows_of_one_source_may_change_places(part: Part[Decoder]) -> None:
    decoder, x = build(part), randn(4, T, DIM)
    source = rows_of(memory(3, 5), torch.tensor([0, 0, 1, 1]))
    _, _, state = steps(decoder, x[:, :2], decoder.start(source))
    turn = torch.tensor([1, 1, 3, 2])
    within, _, _ = steps(decoder, x[:, 2:], reorder_within(state, turn))
    plainly, _, _ = steps(decoder, x[:, 2:], reorder(state, turn))
    assert_close(within, plainly)


@every
def test_what_is_called_source_depends_on_the_source_alone(part: Part[Decoder]) -> None:
    decoder, source = build(part), memory(*LENGTHS)
    start = nested(decoder.start(source), SOURCE)
    _, _, after = steps(decoder, randn(3, T, DIM), decoder.start(source))
    later = nested(after, SOURCE)
    assert all(torch.equal(*pair) for pair in zip(tensors(start), tensors(later), strict=True))


@every
@each_form
def test_every_parameter_gets_a_gradient(part: Part[Decoder]) -> None:
    decoder = build(part).train()
    features, weights = decoder(randn(3, T, DIM), memory(*LENGTHS), look=True)
    total = (features * randn(*features.shape, seed=3)).sum()
    if any(name.endswith(PROBABILITY) for name in decoder.attention_names):  # hard attention
        total = total + (weights * randn(*weights.shape, seed=4)).sum()
    backward(total)
    assert missing_gradients(decoder) == unread(part)


def unread(part: Part[Decoder]) -> list[str]:
    """A cell that forgets everything starts from nothing, unless attention asks for its state."""
    cell, wiring = part.options.get("cell"), part.options.get("wiring")
    forgets = cell is not None and cell.kind == "feedforward"
    return ["bridge.weight", "bridge.bias"] if forgets and wiring == "luong" else []


@every
@each_form
def test_weights_survive_saving(part: Part[Decoder]) -> None:
    decoder, other = build(part), scramble(part.build(DIM, DIM), seed=7)
    other.load_state_dict(decoder.state_dict())
    x, source = randn(3, T, DIM), memory(*LENGTHS)
    assert torch.equal(decoder(x, source).features, other(x, source).features)


@pytest.mark.parametrize("kind", ["conv_s2s", "instant", "transformer"])
@pytest.mark.parametrize("positions", INSIDE, ids=name)
def test_positions_without_heads_to_act_on_are_refused(
    kind: str, positions: Part[Positions]
) -> None:
    part = Part(Decoder, kind, {"attention": Part(Attention, "dot"), "positions": positions})
    with pytest.raises(ShapeError, match=f"positions {positions.kind}: they act on the queries"):
        part.build(DIM, DIM)
