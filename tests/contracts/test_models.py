"""What every model must do: any encoder with any decoder, tied or not, and every other model."""

from itertools import cycle, product

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn.functional import pad
from torch.testing import assert_close

from saccade.attention.base import Attention
from saccade.cells.base import Cell
from saccade.data.batching import collate as make_batch
from saccade.data.codecs import Codecs
from saccade.decoders.base import Decoder
from saccade.encoders.base import Encoder
from saccade.flow import Batch, Padded, State, reorder
from saccade.folders.model import put_weights
from saccade.kernels.precision import products
from saccade.modalities.text import TextCodec
from saccade.models.base import LaidPairs, LaidSide, Model, Writer, counted_model, writer
from saccade.parts import Part, find, kinds
from saccade.tokenizers._vocabulary import Reading
from saccade.train import weights
from tests import samples
from tests.samples import (
    MODELS,
    WIDTH,
    backward,
    codecs,
    made_by,
    missing_gradients,
    name,
    randn,
    scramble,
    sides,
    variants,
    vocabulary,
)

SIZE = 12
PAIRS = [([4, 5, 6], [7, 8]), ([9], [10, 11, 4, 5]), ([6, 7, 3, 9, 10], [11])]
MULTIHEAD, LSTM = Part(Attention, "multihead", {"heads": 2}), Part(Cell, "lstm")
ENCODERS, DECODERS = variants(Encoder), variants(Decoder, attention=MULTIHEAD)
FIRST = [next(part for part in DECODERS if part.kind == kind) for kind in kinds(Decoder)]
REST = [part for part in DECODERS if part not in FIRST]
READING = [next(part for part in ENCODERS if part.kind == kind) for kind in kinds(Encoder)]
OTHERWISE = [part for part in ENCODERS if part not in READING]  # their memories are no other
CARRYING = Part(
    Encoder,
    "rnn",
    {"hidden": WIDTH, "layers": 2, "dropout": 0.0, "bidirectional": False, "carry": True},
)
CROSSED = [  # every kind of encoder with every kind of decoder, every other form of both once
    Part(
        Model,
        "encoder_decoder",
        {"encoder": encoder, "decoder": decoder, "embedding": WIDTH, "dropout": 0.0, "tie": tie},
    )
    for (encoder, decoder), tie in zip(
        [*product(READING, FIRST), *zip(OTHERWISE, cycle(FIRST)), *product([CARRYING], REST)],
        cycle(("none", "output", "all")),
        strict=False,
    )
]
SMALL_RNN = {"hidden": WIDTH, "dropout": 0.0}
SMALL_PARTS = {
    "embedding": WIDTH,
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
PLAIN = Part(Decoder, "rnn", {"hidden": WIDTH, "wiring": "luong", "attention": "none"})
EMBEDDED = {"embedding": WIDTH, "dropout": 0.0}
WRITING = [
    Part(Model, "language_model", {**EMBEDDED, "decoder": decoder, "tie": tie})
    for decoder, tie in zip(
        [PLAIN, PLAIN, *(d for d in ALONE if d.kind != "rnn")],
        cycle((True, False)),
        strict=False,
    )
]
APART = (  # above; test_forecasters.py; tests/models/test_draw.py
    *("encoder_decoder", "language_model", "dense_forecaster", "kalman", "draw", "ensemble"),
)
PICTURED = [kind for kind in kinds(Model) if find(Model, kind).source_raws == ("picture",)]
OTHERS = [  # those of pictures: tests/models
    *(p for p in variants(Model, **SMALL_PARTS) if p.kind not in (*APART, *PICTURED)),
    *COPYING,
    *WRITING,
]
FED = Part(  # the one that kernels know best
    Model,
    "encoder_decoder",
    {
        "embedding": WIDTH,
        "dropout": 0.0,
        "encoder": Part(Encoder, "rnn", {**SMALL_RNN, "cell": LSTM}),
        "decoder": Part(
            Decoder, "rnn", {**SMALL_RNN, "cell": LSTM, "wiring": "luong", "attention": "bilinear"}
        ),
    },
)
TOGETHER = Part(Model, "ensemble", {"members": [FED, MODELS["pre"], MODELS["convolution"]]})
PARTS = [*MODELS.values(), FED, *CROSSED, *OTHERS, TOGETHER]
IDS = [*MODELS, *(name(part) for part in [FED, *CROSSED, *OTHERS]), "ensemble"]


def by_gradient(part: Part[Model]) -> bool:
    """Tell whether a model is a network, of numbers that have a gradient."""
    return find(Model, part.kind).learner == "gradient"


each_form = pytest.mark.usefixtures("each_form")  # by the kernels, and without them
every = pytest.mark.parametrize("part", PARTS, ids=IDS)


trained = pytest.mark.parametrize(
    "part",
    [part for part in PARTS if by_gradient(part)],
    ids=[i for i, part in zip(IDS, PARTS, strict=True) if by_gradient(part)],
)


def build(part: Part[Model], seed: int = 1) -> Writer:
    """Build a model with noise for weights, or one that has counted some noise."""
    model = writer(part.build(*sides(SIZE)))
    if by_gradient(part):
        return scramble(model, seed, scale=0.125)  # so that no softmax is quite one-hot
    chance = np.random.Generator(np.random.PCG64(seed))
    laid = LaidSide(chance.integers(4, SIZE, 60), np.full(12, 5))
    counted_model(model).count(LaidPairs({"source": laid}, laid), 0)
    return model.eval()


def batch_of(part: Part[Model], *pairs: tuple[list[int], list[int]]) -> Batch:
    """Make a batch; for an encoder of turns, each of which ends in END, one of `[B, N, S]`."""
    encoder = part.options.get("encoder")
    cut = encoder is not None and find(Encoder, encoder.kind).nested
    return turns_of(*pairs) if cut else samples.batch_of(*pairs)


def turns_of(*pairs: tuple[list[int], list[int]]) -> Batch:
    """Make a batch of sources that are cut into turns."""
    turned = TextCodec(vocabulary().read_as(Reading(separator="|")))
    rows = [[np.array(ids, dtype=np.int64) for ids in side] for side in zip(*pairs, strict=True)]
    return make_batch(Codecs({"source": turned}, codecs().target), {"source": rows[0]}, rows[1])


def log_probs(model: Model, batch: Batch) -> Tensor:
    return model.head.log_probs(model(batch).features)


def wider(padded: Padded) -> Padded:
    """Add two places of padding, and a turn of it where there are turns."""
    more = (0, 2) if padded.mask.dim() == 2 else (0, 2, 0, 1)
    return Padded(pad(padded.values, more, value=5), pad(padded.mask, more))


def test_kernels_take_part(each_form: str) -> None:
    features = build(FED)(batch_of(FED, *PAIRS)).features
    for function in ("_BidirectionalLstm", "_Steps"):
        assert made_by(function, features) is (each_form == "kernels")


@every
def test_log_probs_are_those_of_a_distribution(part: Part[Model]) -> None:
    model, batch = build(part), batch_of(part, *PAIRS)
    found = log_probs(model, batch)
    assert found.shape == (3, 5, SIZE)
    sums = found.exp().sum(dim=2)
    assert_close(sums if model.normalised else sums.clamp(min=1.0), torch.ones(3, 5))
    decoded = model(batch, look=True)
    assert decoded.weights.shape == (3, 5, len(model.attention_names), 6)
    assert (decoded.weights.masked_select(~batch.source.flat().mask[:, None, None]) == 0).all()
    assert model(batch).weights is None


@trained
def test_bfloat16_changes_it_by_its_rounding(part: Part[Model]) -> None:
    model, batch = build(part), batch_of(part, *PAIRS)
    with products("bfloat16", torch.device("cpu")):
        found = log_probs(model, batch)
    assert found.dtype is torch.float32
    assert_close(found.exp(), log_probs(model, batch).exp(), atol=0.1, rtol=0.1)
    backward(found[batch.target.mask][:, 5].sum())
    assert all(p.grad.isfinite().all() for p in model.parameters() if p.grad is not None)


@every
def test_at_once_is_step_by_step(part: Part[Model]) -> None:
    model, batch = build(part).double(), batch_of(part, *PAIRS)  # deep stacks amplify rounding
    whole, state = log_probs(model, batch), model.start(batch.sources)
    for t in range(5):
        step, state = model.step(batch.prefix[:, t], state)
        assert_close(step, whole[:, t], atol=1e-5, rtol=1e-5)


@every
@each_form
def test_rows_do_not_know_of_each_other(part: Part[Model]) -> None:
    model, batch = build(part), batch_of(part, *PAIRS)
    whole = log_probs(model, batch)
    turned = log_probs(model, batch_of(part, *(PAIRS[i] for i in (2, 0, 1))))
    assert_close(turned, whole[[2, 0, 1]], atol=1e-5, rtol=1e-5)
    for i, pair in enumerate(PAIRS):
        alone = log_probs(model, batch_of(part, pair))[0]
        assert_close(alone, whole[i, : len(alone)], atol=1e-5, rtol=1e-5)


@every
@each_form
def test_adding_padding_changes_nothing(part: Part[Model]) -> None:
    model, batch = build(part), batch_of(part, *PAIRS)
    sources = {"source": wider(batch.source)}
    padded = Batch(sources, wider(batch.target), wider(batch.target).values)
    padded.prefix[:, :5] = batch.prefix
    whole, more = log_probs(model, batch), log_probs(model, padded)
    assert_close(more[:, :5], whole, atol=1e-5, rtol=1e-5)


@every
def test_a_model_that_knows_no_turns_reads_them_end_to_end(part: Part[Model]) -> None:
    model, turns, sequence = build(part), turns_of(*PAIRS), samples.batch_of(*PAIRS)
    assert turns.source.mask.dim() == 3
    if batch_of(part, *PAIRS).source.mask.dim() == 2:
        assert torch.equal(log_probs(model, turns), log_probs(model, sequence))
    else:
        assert not torch.allclose(log_probs(model, turns), log_probs(model, sequence))


@every
def test_states_can_be_reordered(part: Part[Model]) -> None:
    model, batch, turn = build(part), batch_of(part, *PAIRS), torch.tensor([1, 1, 2, 0])

    def follow(state: State, rows: Tensor) -> Tensor:
        return model.step(batch.prefix[rows, 1], state).log_probs

    _, state = model.step(batch.prefix[:, 0], model.start(batch.sources))
    expected = follow(state, torch.arange(3))[turn]
    assert_close(follow(reorder(state, turn), turn), expected, atol=1e-5, rtol=1e-5)


@trained
@each_form
def test_every_parameter_gets_a_gradient(part: Part[Model]) -> None:
    model = build(part).train()
    found = log_probs(model, batch_of(part, *PAIRS))
    backward((found * randn(*found.shape)).sum())
    assert missing_gradients(model) == unread(part)


def unread(part: Part[Model]) -> list[str]:
    """What is written is not read by an instant decoder, so untied it needs no embedding."""
    decoder = part.options.get("decoder")
    blind = decoder is not None and decoder.kind == "instant"
    return ["target_embedding.weight"] if blind and part.options.get("tie") == "none" else []


@every
@each_form
def test_weights_survive_saving(part: Part[Model]) -> None:
    model, other = build(part), build(part, seed=7)
    saved = {name: one.clone() for name, one in weights.of(model).items()}
    put_weights(other, saved, "saved")
    batch = batch_of(part, *PAIRS)
    assert torch.equal(log_probs(model, batch), log_probs(other, batch))
