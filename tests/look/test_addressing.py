"""Addresses of a model at work, from the recording to the picture."""

import pytest
import torch

from saccade.data.codecs import Codecs
from saccade.errors import RecipeError
from saccade.look.addressing import addresses_drawing, addressing, has_memory
from saccade.metrics.base import Metric
from saccade.modalities.bits import BitsCodec
from saccade.models.base import Model
from saccade.parts import Part
from saccade.predict.predictor import Predictor
from saccade.recipe import Decoding
from tests.samples import scramble

TEXT = "011 100 111"


def predictor(cell: str, **options: object) -> Predictor:
    codecs = Codecs({"source": BitsCodec(3, 5)}, BitsCodec(3, 5))
    part = {"kind": cell, **({} if cell == "lstm" else {"slots": 6, "width": 4, **options})}
    model = Part(Model, "read_then_write", {"cell": part, "embedding": 4, "hidden": 8})
    built = scramble(model.build(*codecs.shape), scale=0.3)
    return Predictor(built, codecs, Decoding(metrics=list[Part[Metric]]()))


@pytest.mark.parametrize(("cell", "n_reads"), [("ntm", 2), ("dnc", 2), ("sparse_access", 1)])
def test_heads_are_seen_at_every_step(cell: str, n_reads: int) -> None:
    opened = predictor(cell, reads=n_reads)
    one = opened.predict(TEXT)
    found = addressing(opened, one)
    assert found.reading == 4
    assert found.steps[:4] == ("011", "100", "111", "</s>")
    assert len(found.steps) == 4 + len(one.tokens)
    names = ["write head", *(["read head 1", "read head 2"] if n_reads > 1 else ["read head"])]
    assert [head.name for head in found.heads] == names
    for head in found.heads:
        assert head.weights.shape == (len(found.steps), 6)
        assert head.vectors.shape == (len(found.steps), 4)
    drawn = addresses_drawing(opened, one)
    assert drawn.svg.startswith("<svg")
    assert "read head" in drawn.terminal(80)


def test_what_was_read_is_what_stands_at_the_address() -> None:
    opened = predictor("dnc")
    with torch.no_grad():
        found = addressing(opened, opened.predict(TEXT))
    (read,) = (head for head in found.heads if head.name == "read head")
    assert (read.weights.sum(axis=1) <= 1 + 1e-5).all()


def test_a_model_without_a_memory_says_so() -> None:
    opened = predictor("lstm")
    assert not has_memory(opened.model)
    with pytest.raises(RecipeError, match=r"inspect: this model has no memory with addresses; exp"):
        addressing(opened, opened.predict(TEXT))
