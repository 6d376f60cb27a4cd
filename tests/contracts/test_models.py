"""What every model must do: any encoder with any decoder, tied or not, and every other model."""

from itertools import cycle, product

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from saccade.attention.base import Attention
from saccade.decoders.base import Decoder
from saccade.encoders.base import Encoder
from saccade.flow import Batch, Padded, State, reorder
from saccade.kernels.precision import products
from saccade.models.base import Model
from saccade.parts import Part, find, kinds
from tests.samples import (
    MODELS,
    backward,
    batch_of,
    missing_gradients,
    name,
    randn,
    scramble,
    variants,
)

SIZE = 12
PAIRS = [([4, 5, 6], [7, 8]), ([9], [10, 11, 4, 5]), ([6, 7, 3, 9, 10], [11])]
MULTIHEAD = Part(Attention, "multihead", {"heads": 2})
ENCODERS, DECODERS = variants(Encoder), variants(Decoder, attention=MULTIHEAD)
FIRST = [next(part for part in DECODERS if part.kind == kind) for kind in kinds(Decoder)]
REST = [part for part in DECODERS if part not in FIRST]
CROSSED = [  # every encoder with one decoder of each kind, every other decoder with one encoder
    Part(
        Model,
        "encoder_decoder",
        {"encoder": encoder, "decoder": decoder, "embedding": 8, "dropout": 0.0, "tie": tie},
    )
    for (encoder, decoder), tie in zip(
        [*product(ENCODERS, FIRST), *product(ENCODERS[-1:], REST)],
        cycle(("none", "output", "all")),
        strict=False,
    )
]
SMALL_RNN = {"hidden": 8, "dropout": 0.0}
SMALL_PARTS = {
    "embedding": 8,
    "encoder": Part(Encoder, "rnn", SMALL_RNN),
    "decoder": Part(Decoder, "rnn", {**SMALL_RNN, "attention": {"kind": "additive", "hidden": 8}}),
}
COPYING = [  # weights that need not sum to one, a memory of weights, several maps
    Part(Model, "pointer_generator", {**SMALL_PARTS, "dropout": 0.0, "decoder": decoder})
    for decoder in [
        *(
            Part(Decoder, "rnn", {**SMALL_RNN, "attention": attention})
            for attention in ("location_aware", "gaussian_mixture", "local")
        ),
        Part(Decoder, "transformer", {"layers": 2, "dropout": 0.0, "attention": MULTIHEAD}),
    ]
]
ALONE = [d for d in variants(Decoder, attention=MULTIHEAD) if find(Decoder, d.kind).alone]
PLAIN = Part(Decoder, "rnn", {"hidden": 8, "wiring": "luong", "attention": "none"})
WRITING = [
    Part(Model, "language_model", {"embedding": 8, "dropout": 0.0, "decoder": decoder, "tie": tie})
    for decoder, tie in zip(
        [PLAIN, PLAIN, *(d for d in ALONE if d.kind != "rnn")],
        cycle((True, False)),
        strict=False,
    )
]
APART = ("encoder_decoder", "language_model")  # tried above
OTHERS = [
    *(
        part
        for part in variants(Model, **SMALL_PARTS)
        if part.kind not in APART and not find(Model, part.kind).numeric  # see test_forecasters.py
    ),
    *COPYING,
    *WRITING,
]
PARTS = [*MODELS.values(), *CROSSED, *OTHERS]
IDS = [*MODELS, *(name(part) for part in [*CROSSED, *OTHERS])]
every = pytest.mark.parametrize("part", PARTS, ids=IDS)


def build(part: Part[Model]) -> Model:
    return scramble(part.build(SIZE, SIZE), scale=0.25)  # so that no softmax is quite one-hot


def log_probs(model: Model, batch: Batch) -> Tensor:
    return model.head.log_probs(model(batch).features)


def wider(padded: Padded) -> Padded:
    values = torch.cat([padded.values, torch.full_like(padded.values[:, :2], 5)], dim=1)
    nothing = torch.zeros_like(padded.mask[:, :2])
    assert padded.ends is not None
    ends = torch.cat([padded.ends, nothing], dim=1)
    return Padded(values, torch.cat([padded.mask, nothing], dim=1), ends)


@every
def test_log_probs_are_those_of_a_distribution(part: Part[Model]) -> None:
    model, batch = build(part), batch_of(*PAIRS)
    found = log_probs(model, batch)
    assert found.shape == (3, 5, SIZE)
    assert_close(found.exp().sum(dim=2), torch.ones(3, 5))
    decoded = model(batch, look=True)
    assert decoded.weights.shape == (3, 5, len(model.attention_names), 6)
    assert (decoded.weights.masked_select(~batch.source.mask[:, None, None]) == 0).all()
    assert model(batch).weights is None


@every
def test_bfloat16_changes_it_by_its_rounding(part: Part[Model]) -> None:
    model, batch = build(part), batch_of(*PAIRS)
    with products("bfloat16", torch.device("cpu")):
        found = log_probs(model, batch)
    assert found.dtype is torch.float32
    assert_close(found.exp(), log_probs(model, batch).exp(), atol=0.1, rtol=0.1)
    backward(found[batch.target.mask][:, 5].sum())
    assert all(p.grad.isfinite().all() for p in model.parameters() if p.grad is not None)


@every
def test_at_once_is_step_by_step(part: Part[Model]) -> None:
    model, batch = build(part).double(), batch_of(*PAIRS)  # deep stacks amplify rounding
    whole, state = log_probs(model, batch), model.start(batch.sources)
    for t in range(5):
        step, state = model.step(batch.prefix[:, t], state)
        assert_close(step, whole[:, t], atol=1e-5, rtol=1e-5)


@every
def test_rows_do_not_know_of_each_other(part: Part[Model]) -> None:
    model, batch = build(part), batch_of(*PAIRS)
    whole = log_probs(model, batch)
    turned = log_probs(model, batch_of(*(PAIRS[i] for i in (2, 0, 1))))
    assert_close(turned, whole[[2, 0, 1]], atol=1e-5, rtol=1e-5)
    for i, pair in enumerate(PAIRS):
        alone = log_probs(model, batch_of(pair))[0]
        assert_close(alone, whole[i, : len(alone)], atol=1e-5, rtol=1e-5)


@every
def test_adding_padding_changes_nothing(part: Part[Model]) -> None:
    model, batch = build(part), batch_of(*PAIRS)
    padded = Batch(wider(batch.source), wider(batch.target), wider(batch.target).values)
    padded.prefix[:, :5] = batch.prefix
    whole, more = log_probs(model, batch), log_probs(model, padded)
    assert_close(more[:, :5], whole, atol=1e-5, rtol=1e-5)


@every
def test_states_can_be_reordered(part: Part[Model]) -> None:
    model, batch, turn = build(part), batch_of(*PAIRS), torch.tensor([1, 1, 2, 0])

    def follow(state: State, rows: Tensor) -> Tensor:
        return model.step(batch.prefix[rows, 1], state).log_probs

    _, state = model.step(batch.prefix[:, 0], model.start(batch.sources))
    expected = follow(state, torch.arange(3))[turn]
    assert_close(follow(reorder(state, turn), turn), expected, atol=1e-5, rtol=1e-5)


@every
def test_every_parameter_gets_a_gradient(part: Part[Model]) -> None:
    model = build(part).train()
    found = log_probs(model, batch_of(*PAIRS))
    backward((found * randn(*found.shape)).sum())
    assert missing_gradients(model) == unread(part)


def unread(part: Part[Model]) -> list[str]:
    """What is written is not read by an instant decoder, so untied it needs no embedding."""
    decoder = part.options.get("decoder")
    blind = decoder is not None and decoder.kind == "instant"
    return ["target_embedding.weight"] if blind and part.options.get("tie") == "none" else []


@every
def test_weights_survive_saving(part: Part[Model]) -> None:
    model, other = build(part), scramble(part.build(SIZE, SIZE), seed=7)
    other.load_state_dict(model.state_dict())
    batch = batch_of(*PAIRS)
    assert torch.equal(log_probs(model, batch), log_probs(other, batch))
