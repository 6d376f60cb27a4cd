from pathlib import Path

import pytest
import torch
from torch import Tensor

from saccade.attention.base import Attention
from saccade.cells.base import Cell
from saccade.decoders.base import Decoder
from saccade.encoders.base import Encoder
from saccade.errors import RecipeError
from saccade.export import _graphs
from saccade.models.base import Model
from saccade.models.encoder_decoder import EncoderDecoder
from saccade.parts import Part
from saccade.positions.base import Positions
from tests.contracts.test_models import OTHERS
from tests.export.graphs import assert_same_steps, sessions_of
from tests.samples import MODELS, name, scramble, sides, untrained, variants

SIZE = 12
RNN, HALF = {"hidden": 8, "dropout": 0.0}, {"hidden": 4, "dropout": 0.0}
MULTIHEAD = Part(Attention, "multihead", {"heads": 2})


def model_of(encoder: Part[Encoder], decoder: Part[Decoder]) -> Part[Model]:
    options = {"encoder": encoder, "decoder": decoder, "embedding": 8, "dropout": 0.0}
    return Part(Model, "encoder_decoder", options)


def rnn(**options: object) -> Part[Model]:
    own = {"attention": MULTIHEAD, **options}
    return model_of(Part(Encoder, "rnn", HALF), Part(Decoder, "rnn", {**RNN, **own}))


def celled(cell: Part[Cell]) -> Part[Model]:
    own = {**RNN, "cell": cell}
    return model_of(
        Part(Encoder, "rnn", own), Part(Decoder, "rnn", {**own, "attention": MULTIHEAD})
    )


READING = [
    rnn(attention=part, wiring=wiring)
    for wiring in ("bahdanau", "luong")
    for part in variants(Attention)
]
CELLS = [celled(part) for part in variants(Cell)]
ENCODERS = [model_of(part, Part(Decoder, "rnn", RNN)) for part in variants(Encoder)]
DECODERS = [
    model_of(Part(Encoder, "rnn", HALF), part)
    for part in variants(Decoder, attention=MULTIHEAD)
    if part.options.get("begin") != "carried"  # wants an encoder that is refused
]
LAYERS = {"layers": 1, "feed_forward": 16, "attention": MULTIHEAD, "dropout": 0.0}
PLACED = [
    model_of(Part(Encoder, "transformer", layers), Part(Decoder, "transformer", layers))
    for layers in ({**LAYERS, "positions": part} for part in variants(Positions))
]
EVERY = [*READING, *CELLS, *ENCODERS, *DECODERS, *PLACED, *OTHERS]
REFUSED = {
    "hierarchical": "model.encoder: hierarchical: cuts the source by what it says",
    "kalchbrenner_blunsom": "model.encoder: kalchbrenner_blunsom: takes as many layers as",
    "encoder=dense": "model.encoder: dense: counts the places of every source",
    "carry=True": "model.encoder.carry: waits at the end of every sentence",
    "choose=sample": "attention hard: choose: sample: draws random numbers",
    "factors=2": "model.factors: 2: checks every sentence",
    **dict.fromkeys(("ngram", "noisy_channel"), "model: looks up what was counted"),
    "ctc-": "model: ctc: adds up the paths of frames",
    "dynamic_memory": "model: dynamic_memory: takes a step for every sentence",
    "read_then_write": "cell: has a memory of slots",
    **dict.fromkeys(("cell=ntm", "cell=dnc", "cell=sparse_access"), "cell: has a memory of slots"),
}


def build(part: Part[Model]) -> Model:
    return scramble(part.build(*sides(SIZE)), scale=0.25)


@pytest.mark.parametrize("kind", ["luong", "pre"])
def test_every_step_is_that_of_torch(kind: str, tmp_path: Path) -> None:
    assert_same_steps(untrained(kind), sessions_of(untrained(kind), tmp_path))


@pytest.mark.slow
@pytest.mark.parametrize("kind", sorted(set(MODELS) - {"luong", "pre"}))
def test_every_step_of_other_models_is_that_of_torch(kind: str, tmp_path: Path) -> None:
    assert_same_steps(untrained(kind), sessions_of(untrained(kind), tmp_path))


@pytest.mark.parametrize("part", PLACED[-4:-1], ids=["relative", "rotary", "across"])
def test_positions_inside_attention_are_in_the_graphs(part: Part[Model], tmp_path: Path) -> None:
    model = build(part)
    assert_same_steps(model, sessions_of(model, tmp_path))


@pytest.mark.slow
@pytest.mark.parametrize("part", EVERY, ids=name)
def test_every_part_is_written_or_refused(part: Part[Model], tmp_path: Path) -> None:
    model, told = build(part), [text for key, text in REFUSED.items() if key in name(part)]
    said = _graphs.refusals(model)
    assert len(said) == len(told)
    assert all(text in one for text, one in zip(told, said, strict=True))
    if not told:
        assert_same_steps(model, sessions_of(model, tmp_path))


@pytest.mark.parametrize("key", sorted(REFUSED))
def test_what_no_graph_can_hold_is_refused(key: str) -> None:
    options = {"encoder": Part(Encoder, "rnn", RNN), "embedding": 8, "factors": 2}
    found = [part for part in EVERY if key in name(part)]
    part = found[0] if found else Part(Model, "tagger", options)
    (told,) = _graphs.refusals(build(part))
    assert REFUSED[key] in told
    assert told.endswith("--engine torch.")


class _Peeking(Positions):
    """A part that looks at values, as one from outside may do."""

    def forward(self, x: Tensor, first: int = 0) -> Tensor:
        return x + 1 if x.sum() > 0 else x


def test_what_cannot_be_traced_is_told(tmp_path: Path) -> None:
    part = model_of(Part(Encoder, "transformer", {"layers": 1}), Part(Decoder, "rnn", RNN))
    model = build(part)
    assert isinstance(model, EncoderDecoder)
    model.get_submodule("reading.encoders.source").positions = _Peeking(8, None)
    with pytest.raises(RecipeError, match=r"torch cannot trace EncoderDecoder .* --engine torch"):
        _graphs.write(model, tmp_path)


def test_names_are_paths() -> None:
    one = torch.zeros(1)
    flat = _graphs.flatten({"source": {"0": {"keys": one}, "mask": one}, "attention": {}, "h": one})
    assert list(flat) == ["source.0.keys", "source.mask", "h"]
    assert list(_graphs.moving(flat)) == ["h"]
